package agent

import (
	"maps"
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/promexport"
)

// meterNames are the metrics of a run on one agent.
type meterNames struct {
	operations                       promexport.Operations
	rows, bytes, lateness, retries   *prometheus.Desc
	late, events, backlog, idle, lag *prometheus.Desc
}

func newMeterNames() *meterNames {
	of := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, append([]string{"run"}, labels...), nil)
	}
	return &meterNames{
		operations: promexport.NewOperations("benchd_agent"),
		rows:       of("benchd_agent_rows_total", "Rows read and written.", "phase"),
		bytes:      of("benchd_agent_bytes_total", "Bytes of values read and written.", "phase"),
		retries:    of("benchd_agent_retries_total", "Attempts within operations that were followed by another.", "phase", "cause"),
		lateness:   of("benchd_agent_send_lateness_seconds", "Open loop: from when operations were intended until they were sent.", "phase"),
		late:       of("benchd_agent_late_sends_total", "Operations sent late although a worker was free."),
		events:     of("benchd_agent_client_events_total", "Events of the target's client beside operations, such as retries.", "event"),
		backlog:    of("benchd_agent_backlog_operations", "Open loop: operations intended but not yet sent."),
		idle:       of("benchd_agent_host_idle_ratio", "Share of the host's processors that was idle in the last window."),
		lag:        of("benchd_agent_scheduler_lag_seconds", "How long goroutines waited for a processor in the last window, 99th percentile."),
	}
}

func (n *meterNames) all() []*prometheus.Desc {
	return append(n.operations.Names(), n.rows, n.bytes, n.lateness, n.retries, n.late, n.events, n.backlog, n.idle, n.lag)
}

// meter sums up a run's windows for Prometheus, over all shards of the run that the agent has had.
type meter struct {
	names *meterNames
	run   string

	mu     sync.Mutex
	phases map[string]*measured
	late   uint64
	events map[shardKey]map[string]uint64 // as each shard's target counts them
	newest map[shardKey]latency.Health    // of the held shards
}

// measured is the sum of a run's measurements in a phase.
type measured struct {
	series      latency.Merged
	rows, bytes uint64
	retries     map[string]uint64  // by cause
	lateness    *latency.Histogram // nil in a closed loop
}

func newMeter(names *meterNames, run string) *meter {
	return &meter{
		names: names, run: run, phases: make(map[string]*measured),
		events: make(map[shardKey]map[string]uint64), newest: make(map[shardKey]latency.Health),
	}
}

// add adds a window of a shard, and the events of its target's client so far.
func (m *meter) add(key shardKey, w *latency.Window, events map[string]uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.phases[w.ID.Phase]
	if p == nil {
		p = &measured{retries: make(map[string]uint64)}
		m.phases[w.ID.Phase] = p
	}
	p.rows += w.Rows
	p.bytes += w.Bytes
	for cause, n := range w.Retries {
		p.retries[cause] += n
	}
	m.late += w.Health.LateSends
	m.newest[key] = w.Health
	if len(events) > 0 {
		m.events[key] = events
	}
	if w.Lateness != nil {
		if p.lateness == nil {
			p.lateness = new(latency.Histogram)
		}
		if err := p.lateness.Merge(w.Lateness); err != nil {
			return err
		}
	}
	return p.series.Add(w.Series)
}

// forget drops the health of an ended shard.
func (m *meter) forget(key shardKey) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.newest, key)
}

// Metrics returns the metrics of the run.
func (m *meter) Metrics() []prometheus.Metric {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := []prometheus.Metric{promexport.Count(m.names.late, m.late, m.run)}
	open := false
	for _, phase := range slices.Sorted(maps.Keys(m.phases)) {
		p := m.phases[phase]
		out = append(out, m.names.operations.Metrics(m.run, phase, p.series.Series())...)
		out = append(out,
			promexport.Count(m.names.rows, p.rows, m.run, phase),
			promexport.Count(m.names.bytes, p.bytes, m.run, phase))
		for cause, n := range p.retries {
			out = append(out, promexport.Count(m.names.retries, n, m.run, phase, cause))
		}
		if p.lateness != nil {
			open = true
			out = append(out, promexport.Histogram(m.names.lateness, p.lateness, m.run, phase))
		}
	}
	events := make(map[string]uint64)
	for _, counts := range m.events {
		for event, n := range counts {
			events[event] += n
		}
	}
	for event, n := range events {
		out = append(out, promexport.Count(m.names.events, n, m.run, event))
	}
	return append(out, m.health(open)...)
}

// health returns the load of the generator while the run is in progress. The caller holds mu.
func (m *meter) health(open bool) []prometheus.Metric {
	if len(m.newest) == 0 {
		return nil
	}
	var backlog uint64
	var out []prometheus.Metric
	var worst latency.Health // all shards are on one host, but sample at different times
	for _, h := range m.newest {
		backlog += h.Backlog
		if worst.Cores == 0 || h.Cores > 0 && h.HostIdle < worst.HostIdle {
			worst.Cores, worst.HostIdle = h.Cores, h.HostIdle
		}
		worst.SchedLagP99 = max(worst.SchedLagP99, h.SchedLagP99)
	}
	if worst.Cores > 0 {
		out = append(out, promexport.Level(m.names.idle, worst.HostIdle, m.run))
	}
	if open {
		out = append(out, promexport.Level(m.names.backlog, float64(backlog), m.run))
	}
	return append(out, promexport.Level(m.names.lag, worst.SchedLagP99.Seconds(), m.run))
}
