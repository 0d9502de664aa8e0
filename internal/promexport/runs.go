package promexport

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/benchd/benchd/internal/clock"
)

// Defaults of a Runs.
const (
	// DefaultKeep is how long the metrics of an ended run are shown: long enough for the last figures to be scraped, and
	// for rates over them to fall to 0.
	DefaultKeep = 15 * time.Minute
	// DefaultMost is the maximum number of ended runs shown: runs of a second must not flood Prometheus.
	DefaultMost = 32
)

// Source returns the metrics of one run. It is safe for concurrent use.
type Source interface{ Metrics() []prometheus.Metric }

// Runs is a collector of the metrics of runs. Make it with NewRuns.
type Runs[S Source] struct {
	names []*prometheus.Desc
	keep  time.Duration
	most  int

	mu   sync.Mutex
	runs map[string]*entry[S]
}

type entry[S Source] struct {
	run    string
	source S
	ended  clock.Instant // zero while the run is in progress
}

// NewRuns returns a collector of metrics with these names. It shows up to most ended runs (default DefaultMost), each for
// keep (default DefaultKeep).
func NewRuns[S Source](keep time.Duration, most int, names ...*prometheus.Desc) *Runs[S] {
	return &Runs[S]{
		names: names, keep: cmp.Or(keep, DefaultKeep), most: cmp.Or(most, DefaultMost),
		runs: make(map[string]*entry[S]),
	}
}

// Begin shows a run from now on, and returns its source: an already known run keeps its own, so that counters continue.
func (r *Runs[S]) Begin(run string, source S) S {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.runs[run]
	if e == nil {
		e = &entry[S]{run: run, source: source}
		r.runs[run] = e
	}
	e.ended = clock.Instant{}
	return e.source
}

// End marks a run as ended. Its last metrics stay for a while.
func (r *Runs[S]) End(run string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.runs[run]; e != nil {
		e.ended = clock.Mono()
	}
	r.expire()
}

// expire drops the ended runs that have been shown long enough. The caller must hold mu.
func (r *Runs[S]) expire() {
	now := clock.Mono()
	var ended []*entry[S]
	for run, e := range r.runs {
		switch {
		case e.ended.IsZero():
		case now.Sub(e.ended) >= r.keep:
			delete(r.runs, run)
		default:
			ended = append(ended, e)
		}
	}
	slices.SortFunc(ended, func(a, b *entry[S]) int { return b.ended.Compare(a.ended) })
	for _, e := range ended[min(r.most, len(ended)):] {
		delete(r.runs, e.run)
	}
}

// Describe sends the descriptions of all metrics of a run.
func (r *Runs[S]) Describe(to chan<- *prometheus.Desc) {
	for _, name := range r.names {
		to <- name
	}
}

// Collect shows all runs.
func (r *Runs[S]) Collect(to chan<- prometheus.Metric) {
	r.mu.Lock()
	r.expire()
	shown := make([]S, 0, len(r.runs))
	for _, e := range r.runs {
		shown = append(shown, e.source)
	}
	r.mu.Unlock()
	for _, source := range shown {
		for _, m := range source.Metrics() {
			to <- m
		}
	}
}
