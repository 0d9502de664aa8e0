package record

import (
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/spec"
)

// ETA estimates the remaining time of a suite from the lengths of its ended runs. Of a suite with searches it is an upper
// bound: how many probes a search needs is not known before.
type ETA struct {
	took  map[string]time.Duration // by case
	After time.Duration            // of all runs after the current one
	Known bool                     // whether After is known
	// RunsAtMost is the maximum number of runs of a suite that gets more runs; 0 for other suites.
	RunsAtMost int

	planned map[string]time.Duration // by case
	mean    time.Duration            // of all runs that ended complete; 0: there is none
}

// NewETA estimates the runs of a suite without the current one: each takes as long as an earlier one of the same case, or
// as its phases, or as the average run of the suite.
func NewETA(reader *spec.Reader, suite archive.Suite, runs []archive.RunRecord, current string) ETA {
	e := ETA{took: make(map[string]time.Duration), planned: make(map[string]time.Duration), Known: true}
	var all, n time.Duration
	for _, r := range runs {
		if r.Status == result.Complete && !r.Started.IsZero() {
			e.took[r.Case] = r.Ended.Sub(r.Started)
			all, n = all+e.took[r.Case], n+1
		}
	}
	if n > 0 {
		e.mean = all / n
	}
	for _, r := range runs {
		if !r.Status.Ended() && r.ID != current {
			e.add(r.Case, 1, func() ([]plan.Phase, error) {
				opened, err := Open(reader, suite, r)
				if err != nil {
					return nil, err
				}
				return opened.Phases, nil
			})
		}
	}
	planner, err := NewPlanner(reader, suite)
	if err != nil || planner == nil || suite.Status.Ended() {
		return e
	}
	e.RunsAtMost = len(runs)
	for _, l := range planner.later(runs) {
		e.RunsAtMost += l.runs
		e.add(l.name, l.runs, func() ([]plan.Phase, error) {
			settings, err := reader.Resolve(l.once)
			return plan.Phases(settings), err
		})
	}
	return e
}

// add adds runs of a case, each of which has the same phases.
func (e *ETA) add(name string, runs int, phases func() ([]plan.Phase, error)) {
	if !e.Known || runs == 0 {
		return
	}
	d, known := e.took[name]
	if !known {
		d, known = e.planned[name]
	}
	if !known {
		all, err := phases()
		if d, known = plan.Length(all); !known && e.mean > 0 {
			d, known = e.mean, true
		}
		if err != nil || !known {
			e.Known, e.After = false, 0
			return
		}
		e.planned[name] = d
	}
	e.After += time.Duration(runs) * d
}

// With returns the remaining time of the suite with that of the current run; if that is unknown, it is estimated from the
// run's case.
func (e *ETA) With(name string, left time.Duration, known bool) (time.Duration, bool) {
	if !e.Known {
		return 0, false
	}
	if known {
		return left + e.After, true
	}
	took, ok := e.took[name]
	return took + e.After, ok // its progress is unknown: it may have just started
}
