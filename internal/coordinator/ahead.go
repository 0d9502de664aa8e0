package coordinator

import (
	"context"
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/spec"
)

// ahead is how long runs of a suite took, and how long those take that have not begun, by an estimate.
type ahead struct {
	took  map[string]time.Duration // by case
	after time.Duration            // of all that come after the current run
	known bool                     // after is
}

// lookAhead estimates the runs of a suite but the current one: each takes as long as an earlier one of the same case did, or as
// its phases are long, or as runs of the suite took on the average.
func lookAhead(reader *spec.Reader, suite archive.Suite, runs []archive.RunRecord, current string) ahead {
	a := ahead{took: make(map[string]time.Duration), known: true}
	var all, n time.Duration
	for _, r := range runs {
		if r.Status == result.Complete && !r.Started.IsZero() {
			a.took[r.Case] = r.Ended.Sub(r.Started)
			all, n = all+a.took[r.Case], n+1
		}
	}
	planned := make(map[string]time.Duration)
	for _, r := range runs {
		if r.Status.Ended() || r.ID == current {
			continue
		}
		d, known := a.took[r.Case]
		if !known {
			d, known = planned[r.Case]
		}
		if !known {
			opened, err := openRun(reader, suite, r)
			if err != nil {
				return ahead{took: a.took}
			}
			if d, known = plan.Length(opened.phases); !known && n > 0 {
				d, known = all/n, true
			}
			planned[r.Case] = d
		}
		if !known {
			return ahead{took: a.took}
		}
		a.after += d
	}
	return a
}

// with is how long the suite still takes with what is left of the current run: of a conductor's that goes on.
func (a ahead) with(cd *conductor) (time.Duration, bool) {
	if !a.known {
		return 0, false
	}
	if left, ok := cd.left(); ok {
		return left + a.after, true
	}
	took, ok := a.took[cd.run.archived.Case]
	return took + a.after, ok // nothing tells how far it is: it may have just begun
}

// left is how long the run still takes: the rest of its phase, and those after it.
func (cd *conductor) left() (time.Duration, bool) {
	cd.view.Lock()
	view := cd.live
	cd.view.Unlock()
	return view.left(time.Duration(cd.c.clock.Now() - cd.epoch.Load()))
}

func (v *liveView) left(at time.Duration) (time.Duration, bool) {
	in, since := v.now(at)
	if in == nil {
		return plan.Length(v.state.Phases)
	}
	var ops uint64
	if v.live.Phase == string(in.Name) {
		ops = v.live.Ops
	}
	_, left, ok := in.Done(since, ops)
	for i := range v.state.Phases {
		if v.state.Phases[i].Name == in.Name {
			rest, bounded := plan.Length(v.state.Phases[i+1:])
			return left + rest, ok && bounded && left >= 0
		}
	}
	return 0, false
}

// standing tells of a suite that has not ended how many of its runs have, and how long it still takes.
func (c *Coordinator) standing(ctx context.Context, id string) (ended int, left time.Duration, ok bool, err error) {
	suite, runs, err := c.find(ctx, id)
	if err != nil {
		return 0, 0, false, err
	}
	current := ""
	for _, r := range runs {
		if r.Status.Ended() {
			ended++
		} else if current == "" {
			current = r.ID
		}
	}
	if cd := c.conductor(current); cd != nil {
		left, ok = lookAhead(c.config.Reader, suite, runs, current).with(cd)
		return ended, left, ok, nil
	}
	a := lookAhead(c.config.Reader, suite, runs, "")
	return ended, a.after, a.known, nil
}
