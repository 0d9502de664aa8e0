package coordinator

import (
	"context"
	"time"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
)

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

// suiteLeft is how long the suite still takes with what is left of this run.
func (cd *conductor) suiteLeft(eta record.ETA) (time.Duration, bool) {
	left, known := cd.left()
	return eta.With(cd.run.Archived.Case, left, known)
}

// progress is how many runs of a suite that has not ended have, and how long it still takes.
func (c *Coordinator) progress(ctx context.Context, id string) (ended int, left time.Duration, ok bool, err error) {
	suite, runs, err := c.results.Find(ctx, id)
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
		left, ok = cd.suiteLeft(record.NewETA(c.config.Reader, suite, runs, current))
		return ended, left, ok, nil
	}
	eta := record.NewETA(c.config.Reader, suite, runs, "")
	return ended, eta.After, eta.Known, nil
}
