package record

import (
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/spec"
)

// ETA estimates the remaining time of a suite from the lengths of its ended runs.
type ETA struct {
	took  map[string]time.Duration // by case
	After time.Duration            // of all runs after the current one
	Known bool                     // whether After is known
}

// NewETA estimates the runs of a suite without the current one: each takes as long as an earlier one of the same case, or
// as its phases, or as the average run of the suite.
func NewETA(reader *spec.Reader, suite archive.Suite, runs []archive.RunRecord, current string) ETA {
	e := ETA{took: make(map[string]time.Duration), Known: true}
	var all, n time.Duration
	for _, r := range runs {
		if r.Status == result.Complete && !r.Started.IsZero() {
			e.took[r.Case] = r.Ended.Sub(r.Started)
			all, n = all+e.took[r.Case], n+1
		}
	}
	planned := make(map[string]time.Duration)
	for _, r := range runs {
		if r.Status.Ended() || r.ID == current {
			continue
		}
		d, known := e.took[r.Case]
		if !known {
			d, known = planned[r.Case]
		}
		if !known {
			opened, err := Open(reader, suite, r)
			if err != nil {
				return ETA{took: e.took}
			}
			if d, known = plan.Length(opened.Phases); !known && n > 0 {
				d, known = all/n, true
			}
			planned[r.Case] = d
		}
		if !known {
			return ETA{took: e.took}
		}
		e.After += d
	}
	return e
}

// With returns the remaining time of the suite with that of the current run; if that is unknown, it is estimated from the
// run's case.
func (e ETA) With(name string, left time.Duration, known bool) (time.Duration, bool) {
	if !e.Known {
		return 0, false
	}
	if known {
		return left + e.After, true
	}
	took, ok := e.took[name]
	return took + e.After, ok // its progress is unknown: it may have just started
}
