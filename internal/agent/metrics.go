package agent

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/benchd/benchd/internal/promexport"
)

// register registers the agent's metrics. Without it windows are not summed up for Prometheus.
func (a *Agent) register(r prometheus.Registerer) {
	a.meterNames = newMeterNames()
	a.meters = promexport.NewRuns[*meter](0, 0, a.meterNames.all()...)
	r.MustRegister(
		a.meters,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "benchd_agent_connected", Help: "1 while the agent has a stream to its coordinator.",
		}, func() float64 {
			a.mu.Lock()
			defer a.mu.Unlock()
			if a.out == nil {
				return 0
			}
			return 1
		}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "benchd_agent_shards", Help: "Shards that the agent holds.",
		}, func() float64 {
			a.mu.Lock()
			defer a.mu.Unlock()
			return float64(len(a.shards))
		}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "benchd_agent_windows_held", Help: "Windows that the coordinator has not acknowledged.",
		}, func() float64 {
			a.mu.Lock()
			defer a.mu.Unlock()
			return float64(a.held())
		}),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "benchd_agent_windows_unspooled_total", Help: "Windows that could not be written to --spool.",
		}, func() float64 { return float64(a.windows.unsaved.Load()) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "benchd_agent_windows_dropped_total", Help: "Windows that were dropped for lack of room.",
		}, func() float64 {
			a.mu.Lock()
			defer a.mu.Unlock()
			return float64(a.dropped)
		}),
	)
}
