package record

import (
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/spec"
)

// ETA is how long runs of a suite took, and an estimate of how long those take that have not begun.
type ETA struct {
	took  map[string]time.Duration // by case
	After time.Duration            // of all runs that come after the current one
	Known bool                     // After is
}

// NewETA estimates the runs of a suite but the current one: each takes as long as an earlier one of the same case did, or as
// its phases are long, or as runs of the suite took on average.
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

// With is how long the suite still takes with what is left of the current run; its case is used where that is not known.
func (e ETA) With(name string, left time.Duration, known bool) (time.Duration, bool) {
	if !e.Known {
		return 0, false
	}
	if known {
		return left + e.After, true
	}
	took, ok := e.took[name]
	return took + e.After, ok // its progress is not known: it may have just begun
}
