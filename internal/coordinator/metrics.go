package coordinator

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics is what Prometheus sees of a coordinator.
type metrics struct {
	merged, again prometheus.Counter
}

func newMetrics(r prometheus.Registerer, c *Coordinator) *metrics {
	m := &metrics{
		merged: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "benchd_windows_merged_total", Help: "Windows merged, each once.",
		}),
		again: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "benchd_windows_repeated_total", Help: "Windows that came again after they had been merged.",
		}),
	}
	r.MustRegister(m.merged, m.again,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "benchd_agents_connected", Help: "Agents that have a stream open.",
		}, func() float64 {
			n := 0
			for _, a := range c.roster.all(time.Now()) {
				if _, ok := a.connected(); ok {
					n++
				}
			}
			return float64(n)
		}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "benchd_runs_queued", Help: "Runs that wait for agents.",
		}, func() float64 {
			c.mu.Lock()
			defer c.mu.Unlock()
			return float64(len(c.queue))
		}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "benchd_runs_active", Help: "Runs that are being executed.",
		}, func() float64 {
			c.mu.Lock()
			defer c.mu.Unlock()
			return float64(len(c.conductors))
		}),
	)
	return m
}

func (m *metrics) windows(fresh, again int) {
	m.merged.Add(float64(fresh))
	m.again.Add(float64(again))
}
