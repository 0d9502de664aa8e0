package certs

import "github.com/prometheus/client_golang/prometheus"

type metrics struct {
	failures prometheus.Counter
	success  prometheus.Gauge
	expiry   *prometheus.GaugeVec
}

func newMetrics() *metrics {
	m := &metrics{
		failures: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "benchd_tls_reload_failures_total", Help: "Changed TLS files that could not be used.",
		}),
		success: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "benchd_tls_reload_success", Help: "1 while the TLS files are in use as they are, 0 while former ones are.",
		}),
		expiry: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "benchd_tls_certificate_expiry_timestamp_seconds", Help: "When the first certificate of a file expires.",
		}, []string{"file"}),
	}
	m.success.Set(1)
	return m
}

func (m *metrics) all() []prometheus.Collector {
	return []prometheus.Collector{m.failures, m.success, m.expiry}
}

// show shows when the certificates expire.
func (m *metrics) show(files Files, t *trust) {
	if t.cert != nil {
		m.expiry.WithLabelValues(files.Cert).Set(float64(t.expires.Unix()))
	}
	if !t.caUntil.IsZero() {
		m.expiry.WithLabelValues(files.CA).Set(float64(t.caUntil.Unix()))
	}
}

// outcome shows whether all files are in use as they are.
func (m *metrics) outcome(good bool) {
	m.success.Set(0)
	if good {
		m.success.Set(1)
	}
}
