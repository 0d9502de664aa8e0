package conductor

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/promexport"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
)

// showEvery is the minimum interval between two updates of a run's metrics.
const showEvery = time.Second

// runNames are the metrics of a run.
type runNames struct {
	operations                        promexport.Operations
	info, rows, bytes, late, retries  *prometheus.Desc
	backlog, offered, skew, skewDoubt *prometheus.Desc
}

func newRunNames() runNames {
	of := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, append([]string{"run"}, labels...), nil)
	}
	return runNames{
		operations: promexport.NewOperations("benchd"),
		info:       of("benchd_run_info", "Name and case of a run; always 1.", "name", "case"),
		rows:       of("benchd_rows_total", "Rows read and written.", "phase"),
		bytes:      of("benchd_bytes_total", "Bytes of values read and written.", "phase"),
		late:       of("benchd_late_sends_total", "Operations sent late although a worker was free."),
		retries:    of("benchd_retries_total", "Attempts within operations that were followed by another.", "phase", "cause"),
		backlog:    of("benchd_backlog_operations", "Open loop: operations intended but not yet sent, over all agents."),
		offered:    of("benchd_offered_operations_per_second", "Open loop: the offered rate of the current phase."),
		skew:       of("benchd_start_skew_seconds", "Time between the first operations of the first and the last agent."),
		skewDoubt:  of("benchd_start_uncertainty_seconds", "Uncertainty of benchd_start_skew_seconds."),
	}
}

func (n *runNames) all() []*prometheus.Desc {
	return append(n.operations.Names(), n.info, n.rows, n.bytes, n.late, n.retries, n.backlog, n.offered, n.skew, n.skewDoubt)
}

// snapshot is the latest metrics of a run. It outlives the conductor for a while.
type snapshot struct {
	mu      sync.Mutex
	metrics []prometheus.Metric
}

// Metrics returns the latest metrics.
func (s *snapshot) Metrics() []prometheus.Metric {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.metrics
}

func (s *snapshot) put(metrics []prometheus.Metric) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.metrics = metrics
}

// figures are the metrics of a run as its conductor updates them.
type figures struct {
	names     *runNames
	snapshot  *snapshot
	shown     clock.Instant // the time of the last update
	stale     bool          // the run has changed since
	lateSends uint64
}

// due reports whether the metrics must be updated.
func (f *figures) due() bool { return f.stale && f.shown.Elapsed() >= showEvery }

// Metrics are the metrics of all runs: their measurements, and the delay of their windows.
type Metrics struct {
	names runNames
	runs  *promexport.Runs[*snapshot]
	late  prometheus.Counter
	delay prometheus.Histogram
}

// NewMetrics returns the metrics of runs. The metrics of an ended run are exported for the duration keep.
func NewMetrics(keep time.Duration) *Metrics {
	m := &Metrics{
		names: newRunNames(),
		late:  prometheus.NewCounter(prometheus.CounterOpts{Name: "benchd_windows_late_total", Help: "Windows merged more than an interval after their end."}),
		delay: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "benchd_window_delay_seconds", Help: "From a window's end until it is merged and safe in the archive.",
			Buckets:                     []float64{0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60},
			NativeHistogramBucketFactor: 1.1, NativeHistogramMaxBucketNumber: 100,
		}),
	}
	m.runs = promexport.NewRuns[*snapshot](keep, 0, m.names.all()...)
	return m
}

// Collectors returns the collectors to register.
func (m *Metrics) Collectors() []prometheus.Collector {
	return []prometheus.Collector{m.late, m.delay, m.runs}
}

// begin returns the figures of a new run.
func (m *Metrics) begin(run string) figures {
	return figures{names: &m.names, snapshot: m.runs.Begin(run, new(snapshot))}
}

// End lets the metrics of a run expire.
func (m *Metrics) End(run string) { m.runs.End(run) }

// arrived records the delay between the end of a window and its merge.
func (m *Metrics) arrived(delay, interval time.Duration) {
	m.delay.Observe(max(delay, 0).Seconds())
	if delay > interval {
		m.late.Inc()
	}
}

// show updates the metrics from the windows merged so far, the same data as the result's.
func (f *figures) show(r *record.Run, builder *result.Builder, live result.Snapshot) {
	names, id := f.names, r.Archived.ID
	metrics := []prometheus.Metric{
		promexport.Level(names.info, 1, id, r.Suite.Name, r.Archived.Case),
		promexport.Count(names.late, f.lateSends, id),
	}
	for _, m := range builder.Measured() {
		metrics = append(metrics, names.operations.Metrics(id, m.Phase, m.Series)...)
		metrics = append(metrics,
			promexport.Count(names.rows, m.Rows, id, m.Phase),
			promexport.Count(names.bytes, m.Bytes, id, m.Phase))
		for cause, n := range m.Retries {
			metrics = append(metrics, promexport.Count(names.retries, n, id, m.Phase, cause))
		}
	}
	if live.Offered != nil && !r.State.Life.Status.Ended() {
		var backlog uint64
		for _, a := range live.Agents {
			backlog += a.Backlog
		}
		metrics = append(metrics,
			promexport.Level(names.offered, *live.Offered, id),
			promexport.Level(names.backlog, float64(backlog), id))
	}
	if start := r.Start(); start != nil {
		const milli = 1e3
		metrics = append(metrics,
			promexport.Level(names.skew, start.SkewMS/milli, id),
			promexport.Level(names.skewDoubt, start.UncertaintyMS/milli, id))
	}
	f.snapshot.put(metrics)
	f.shown, f.stale = clock.Mono(), false
}
