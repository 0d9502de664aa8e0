package coordinator

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/benchd/benchd/internal/coordinator/conductor"
	"github.com/benchd/benchd/internal/promexport"
)

// metrics are the metrics of a coordinator, without those of its runs; see conductor.Metrics.
type metrics struct {
	merged, again, refused prometheus.Counter
	runs                   *conductor.Metrics
}

func newMetrics(r prometheus.Registerer, c *Coordinator, keep time.Duration) *metrics {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	m := &metrics{
		merged:  counter("benchd_windows_merged_total", "Windows merged, each once."),
		again:   counter("benchd_windows_repeated_total", "Windows that came again after they had been merged."),
		refused: counter("benchd_windows_refused_total", "Windows of runs that had ended, or of no run, which were not merged."),
		runs:    conductor.NewMetrics(keep),
	}
	gauge := func(name, help string, value func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
	}
	for _, collector := range append(m.runs.Collectors(),
		m.merged, m.again, m.refused, newClocks(c),
		gauge("benchd_agents_connected", "Agents that have a stream open.", func() float64 {
			return float64(c.countAgents(func(connected, _ bool) bool { return connected }))
		}),
		gauge("benchd_agents_away", "Agents that serve a run and have no stream open.", func() float64 {
			return float64(c.countAgents(func(connected, serving bool) bool { return serving && !connected }))
		}),
		gauge("benchd_runs_queued", "Runs that wait for agents.", func() float64 {
			c.mu.Lock()
			defer c.mu.Unlock()
			return float64(len(c.queue))
		}),
		gauge("benchd_runs_active", "Runs that are being executed.", func() float64 {
			c.mu.Lock()
			defer c.mu.Unlock()
			return float64(len(c.conductors))
		}),
		gauge("benchd_ingest_queue_windows", "Windows on their way into the archive.", func() float64 {
			return float64(len(c.ingest.in))
		}),
		gauge("benchd_archive_stuck", "1 while the archive takes no windows; agents keep them.", func() float64 {
			if c.ingest.stuck.Load() {
				return 1
			}
			return 0
		}),
	) {
		r.MustRegister(collector)
	}
	return m
}

// windows counts the windows that were archived, archived before, and refused.
func (m *metrics) windows(fresh, again, refused int) {
	m.merged.Add(float64(fresh))
	m.again.Add(float64(again))
	m.refused.Add(float64(refused))
}

// countAgents counts the agents for which is returns true.
func (c *Coordinator) countAgents(is func(connected, serving bool) bool) int {
	n := 0
	for _, m := range c.roster.All() {
		if _, connected := m.Connected(); is(connected, m.Serving() != "") {
			n++
		}
	}
	return n
}

// clocks exports the estimates of the agents' clocks.
type clocks struct {
	c                       *Coordinator
	offset, doubt, drifting *prometheus.Desc
}

func newClocks(c *Coordinator) *clocks {
	agent := []string{"agent"}
	return &clocks{
		c:        c,
		offset:   prometheus.NewDesc("benchd_clock_offset_seconds", "How far an agent's clock is ahead of the coordinator's.", agent, nil),
		doubt:    prometheus.NewDesc("benchd_clock_uncertainty_seconds", "Uncertainty of benchd_clock_offset_seconds.", agent, nil),
		drifting: prometheus.NewDesc("benchd_clock_drift_ratio", "How much faster an agent's clock goes.", agent, nil),
	}
}

// Describe sends the descriptions of the metrics.
func (k *clocks) Describe(to chan<- *prometheus.Desc) {
	to <- k.offset
	to <- k.doubt
	to <- k.drifting
}

// Collect sends the metrics of the connected agents.
func (k *clocks) Collect(to chan<- prometheus.Metric) {
	now := k.c.clock.Now()
	for _, m := range k.c.roster.All() {
		if _, connected := m.Connected(); !connected {
			continue
		}
		if est, ok := m.Estimate(now); ok {
			to <- promexport.Level(k.offset, time.Duration(est.Offset(now)).Seconds(), m.Name)
			to <- promexport.Level(k.doubt, time.Duration(est.Bound).Seconds(), m.Name)
			to <- promexport.Level(k.drifting, est.Line.Rate, m.Name)
		}
	}
}
