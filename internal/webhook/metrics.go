package webhook

import "github.com/prometheus/client_golang/prometheus"

// outcome is how a delivery has ended.
type outcome string

const (
	delivered  outcome = "delivered"
	refused    outcome = "refused"    // by the receiver
	expired    outcome = "expired"    // it is older than MaxAge
	overflowed outcome = "overflowed" // the queue is full
	removed    outcome = "removed"    // its hook was removed from the file
	gone       outcome = "gone"       // its suite was removed before the notice was made
)

// metrics are the metrics of an Outbox.
type metrics struct {
	deliveries *prometheus.CounterVec
	retries    *prometheus.CounterVec
	seconds    *prometheus.HistogramVec
	unkept     prometheus.Counter
}

func newMetrics(r prometheus.Registerer, o *Outbox) *metrics {
	m := &metrics{
		deliveries: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "benchd_webhook_deliveries_total", Help: "Notices that were delivered or dropped, by outcome."}, []string{"hook", "outcome"}),
		retries:    prometheus.NewCounterVec(prometheus.CounterOpts{Name: "benchd_webhook_retries_total", Help: "Attempts of a delivery that will be followed by another attempt."}, []string{"hook"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "benchd_webhook_attempt_seconds", Help: "Time of an attempt of a delivery.", Buckets: []float64{0.01, 0.1, 1, 10, 60},
		}, []string{"hook"}),
		unkept: prometheus.NewCounter(prometheus.CounterOpts{Name: "benchd_webhook_unkept_total", Help: "Notices that could not be kept on the disk until their delivery."}),
	}
	broken := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "benchd_webhook_file_broken", Help: "1 while the changed file of webhooks cannot be used."}, func() float64 {
		if _, err := o.config.File.current(); err != nil {
			return 1
		}
		return 0
	})
	r.MustRegister(m.deliveries, m.retries, m.seconds, m.unkept, broken, queued{o})
	return m
}

func (m *metrics) done(hook string, how outcome) {
	m.deliveries.WithLabelValues(hook, string(how)).Inc()
}

// queued exports the lengths of the queues.
type queued struct{ o *Outbox }

func (queued) desc() *prometheus.Desc {
	return prometheus.NewDesc("benchd_webhook_queue", "Notices that are not delivered yet.", []string{"hook"}, nil)
}

// Describe sends the description of the metric.
func (q queued) Describe(to chan<- *prometheus.Desc) { to <- q.desc() }

// Collect sends the length of each queue.
func (q queued) Collect(to chan<- prometheus.Metric) {
	rules := q.o.config.File.Rules()
	for i := range rules.Hooks {
		name, n := rules.Hooks[i].Name, 0
		q.o.mu.Lock()
		if at := q.o.queues[name]; at != nil {
			n = len(at.entries)
		}
		q.o.mu.Unlock()
		to <- prometheus.MustNewConstMetric(q.desc(), prometheus.GaugeValue, float64(n), name)
	}
}
