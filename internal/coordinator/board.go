package coordinator

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/exposition"
	"github.com/benchd/benchd/internal/result"
)

// showEvery is how often at most a run's metrics are made anew.
const showEvery = time.Second

// runNames are the metrics of a run.
type runNames struct {
	operations                        exposition.Operations
	info, rows, bytes, late, retries  *prometheus.Desc
	backlog, offered, skew, skewDoubt *prometheus.Desc
}

func newRunNames() runNames {
	of := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, append([]string{"run"}, labels...), nil)
	}
	return runNames{
		operations: exposition.NewOperations("benchd"),
		info:       of("benchd_run_info", "What a run is: 1.", "name", "case"),
		rows:       of("benchd_rows_total", "Rows read and written.", "phase"),
		bytes:      of("benchd_bytes_total", "Bytes of values read and written.", "phase"),
		late:       of("benchd_late_sends_total", "Operations sent late although a worker was free."),
		retries:    of("benchd_retries_total", "Attempts within operations that were followed by another.", "phase", "cause"),
		backlog:    of("benchd_backlog_operations", "Open loop: operations intended but not yet sent, over all agents."),
		offered:    of("benchd_offered_operations_per_second", "Open loop: the rate that has been intended in the current phase."),
		skew:       of("benchd_start_skew_seconds", "Time between the first operations of the first and the last agent."),
		skewDoubt:  of("benchd_start_uncertainty_seconds", "By how much that may be wrong."),
	}
}

func (n *runNames) all() []*prometheus.Desc {
	return append(n.operations.Names(), n.info, n.rows, n.bytes, n.late, n.retries, n.backlog, n.offered, n.skew, n.skewDoubt)
}

// board is where a run's conductor puts up what Prometheus may see. It outlives the conductor for a while.
type board struct {
	mu      sync.Mutex
	metrics []prometheus.Metric
}

// Metrics is what was put up last.
func (b *board) Metrics() []prometheus.Metric {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.metrics
}

func (b *board) put(metrics []prometheus.Metric) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.metrics = metrics
}

// show puts up what was merged until now: the numbers that the result is made from.
func (cd *conductor) show(live result.Snapshot) {
	names, id := &cd.c.metrics.names, cd.id
	metrics := []prometheus.Metric{
		exposition.Level(names.info, 1, id, cd.run.Suite.Name, cd.run.Archived.Case),
		exposition.Count(names.late, cd.lateSends, id),
	}
	for _, m := range cd.builder.Measured() {
		metrics = append(metrics, names.operations.Metrics(id, m.Phase, m.Series)...)
		metrics = append(metrics,
			exposition.Count(names.rows, m.Rows, id, m.Phase),
			exposition.Count(names.bytes, m.Bytes, id, m.Phase))
		for cause, n := range m.Retries {
			metrics = append(metrics, exposition.Count(names.retries, n, id, m.Phase, cause))
		}
	}
	if live.Offered != nil && !cd.run.State.Life.Status.Ended() {
		var backlog uint64
		for _, a := range live.Agents {
			backlog += a.Backlog
		}
		metrics = append(metrics,
			exposition.Level(names.offered, *live.Offered, id),
			exposition.Level(names.backlog, float64(backlog), id))
	}
	if start := cd.run.Start(); start != nil {
		const milli = 1e3
		metrics = append(metrics,
			exposition.Level(names.skew, start.SkewMS/milli, id),
			exposition.Level(names.skewDoubt, start.UncertaintyMS/milli, id))
	}
	cd.board.put(metrics)
	cd.shown, cd.unshown = clock.Mono(), false
}
