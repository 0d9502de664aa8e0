package timetable

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/benchd/benchd/internal/schedule"
)

// metrics are the metrics of schedules. Those of a deleted one are removed.
type metrics struct {
	next               *prometheus.GaugeVec
	due, missed, found *prometheus.CounterVec
}

func newMetrics(r prometheus.Registerer) *metrics {
	m := &metrics{
		next: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "benchd_schedule_next_timestamp_seconds", Help: "The next due time of a schedule, since 1970; 0 while it is paused.",
		}, []string{"schedule"}),
		due: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "benchd_schedule_due_total", Help: "Due times of a schedule, by outcome: submitted, skipped or failed.",
		}, []string{"schedule", "outcome"}),
		missed: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "benchd_schedule_missed_total", Help: "Due times of a schedule that were missed, while the coordinator was down.",
		}, []string{"schedule"}),
		found: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "benchd_schedule_changes_total", Help: "Changes of figures that suites of a schedule have revealed, by verdict.",
		}, []string{"schedule", "verdict"}),
	}
	r.MustRegister(m.next, m.due, m.missed, m.found)
	return m
}

// show exports the next due time. All counters of the schedule exist from now on, so that their first increase is seen.
func (m *metrics) show(e *entry) {
	next := 0.0
	if !e.Paused {
		next = float64(e.Next.Unix())
	}
	m.next.WithLabelValues(e.Name).Set(next)
	for _, kind := range []schedule.Kind{schedule.Submitted, schedule.Skipped, schedule.Failed} {
		m.due.WithLabelValues(e.Name, string(kind))
	}
	for _, verdict := range []string{"better", "worse"} {
		m.found.WithLabelValues(e.Name, verdict)
	}
	m.missed.WithLabelValues(e.Name)
}

func (m *metrics) count(name string, o schedule.Outcome) {
	m.due.WithLabelValues(name, string(o.Kind)).Inc()
	m.missed.WithLabelValues(name).Add(float64(o.Missed))
}

func (m *metrics) alert(name string, a schedule.Alert) {
	m.found.WithLabelValues(name, a.Verdict).Inc()
}

func (m *metrics) forget(name string) {
	of := prometheus.Labels{"schedule": name}
	for _, v := range []interface{ DeletePartialMatch(prometheus.Labels) int }{m.next, m.due, m.missed, m.found} {
		v.DeletePartialMatch(of)
	}
}
