package timetable

import (
	"context"
	"slices"
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/schedule"
)

// patience is how long a due time waits for the agents of its suite: they may be about to connect again, to a coordinator that has just started.
// It is at most half of the time until the next one.
const patience = 5 * time.Minute

// Run submits suites when they are due, and evaluates those that have ended, until ctx ends.
func (t *Table) Run(ctx context.Context) {
	for {
		changed := t.config.Changed()
		timer := time.NewTimer(t.step(ctx))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		case <-changed:
		case <-t.poked:
		}
		timer.Stop()
	}
}

// step decides about due times and ended suites, and returns the time until the next step.
func (t *Table) step(ctx context.Context) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.config.Clock.Wall().UTC()
	var suites []archive.SuiteSummary
	if slices.ContainsFunc(t.sorted(), func(e *entry) bool { return len(e.state.Pending) > 0 || e.state.Begun != nil || !e.Next.After(now) }) {
		var err error
		if suites, err = t.config.Archive.Suites(ctx); err != nil {
			if ctx.Err() == nil {
				t.config.Logger.Error("list the suites of schedules", "error", err)
			}
			return again
		}
	}
	wait := look
	for _, e := range t.sorted() {
		t.decide(ctx, e, now, suites)
		t.evaluateNext(ctx, e, suites)
		if e.unsaved {
			t.save(ctx, e)
		}
		switch {
		case e.unsaved:
			wait = min(wait, again)
		case !e.Paused:
			wait = min(wait, max(e.Next.Sub(now), 0))
		}
	}
	return wait
}

// decide decides about the due times of a schedule up to now. The caller holds t.mu.
func (t *Table) decide(ctx context.Context, e *entry, now time.Time, suites []archive.SuiteSummary) {
	left := t.settle(ctx, e, suites)
	d := e.when.Due(e.Created, e.Next, now)
	o := schedule.Outcome{Due: d.Due.UTC(), At: now, Missed: d.Missed}
	switch {
	case left != nil && d.Due.IsZero():
		o = *left
		o.At = now
	case left != nil:
		o.Missed += left.Missed + 1
	case d.Due.IsZero() || e.Paused:
		t.advance(e, d.Next)
		return
	}
	reason := e.busy(suites)
	if e.Paused {
		reason = "the coordinator ended before the suite was submitted, and the schedule was paused"
	}
	if reason != "" {
		o.Kind, o.Suite, o.Reason = schedule.Skipped, "", reason
		if left != nil {
			e.state.Begun = nil
		}
		t.advance(e, d.Next)
		t.note(ctx, e, o)
		return
	}
	order, err := t.begin(ctx, e, &o, d.Next, suites)
	if err != nil {
		e.unsaved = true // it is decided again
		if ctx.Err() == nil {
			t.config.Logger.Error("the suite of a schedule cannot be submitted; it is tried again", "schedule", e.Name, "error", err)
		}
		return
	}
	t.config.Go(func() { t.submit(ctx, e, order, o) })
}

// advance sets the first due time that is not decided.
func (t *Table) advance(e *entry, next time.Time) {
	if !next.Equal(e.Next) {
		e.Next, e.unsaved = next, true
		t.metrics.show(e)
	}
}

// settle decides about the submission that the process before this one has begun. It returns the due time of a suite that was not archived.
func (t *Table) settle(ctx context.Context, e *entry, suites []archive.SuiteSummary) (left *schedule.Outcome) {
	begun := e.state.Begun
	if begun == nil || e.submitting {
		return nil
	}
	if slices.ContainsFunc(suites, func(s archive.SuiteSummary) bool { return s.ID == begun.Suite }) {
		o := *begun
		o.Kind, e.state.Begun = schedule.Submitted, nil
		t.note(ctx, e, o)
		return nil
	}
	if begun.By != "" {
		e.state.Begun, e.unsaved = nil, true // who asked for it has got no answer
		return nil
	}
	return begun
}

// begin archives that a suite is about to be submitted, with its id, and that the due times before next are decided.
func (t *Table) begin(ctx context.Context, e *entry, o *schedule.Outcome, next time.Time, suites []archive.SuiteSummary) (Order, error) {
	for o.Suite = ""; o.Suite == "" || slices.ContainsFunc(suites, func(s archive.SuiteSummary) bool { return s.ID == o.Suite }); {
		o.Suite = t.config.NewID(o.At)
	}
	begun, changed := *o, *e
	changed.Next, changed.state.Begun = next, &begun
	if err := t.write(ctx, &changed, nil); err != nil {
		return Order{}, err
	}
	*e = changed
	e.submitting = true
	t.metrics.show(e)
	return Order{Schedule: e.Name, Suite: o.Suite, Request: e.Request, Owner: e.state.Owner, Patience: min(patience, max(next.Sub(o.Due), 0)/2)}, nil
}

// submit submits the suite of a due time.
func (t *Table) submit(ctx context.Context, e *entry, order Order, o schedule.Outcome) {
	err := t.config.Submit(ctx, order)
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case err == nil:
		o.Kind = schedule.Submitted
	case ctx.Err() != nil:
		return // the next coordinator decides
	default:
		o.Kind, o.Suite, o.Reason = schedule.Failed, "", err.Error()
	}
	e.submitting, e.state.Begun = false, nil
	o.At = t.config.Clock.Wall().UTC()
	t.note(ctx, e, o)
	t.poke()
}

// note keeps what became of a due time. The caller holds t.mu.
func (t *Table) note(ctx context.Context, e *entry, o schedule.Outcome) {
	if t.entries[e.Name] != e {
		return // it was deleted meanwhile
	}
	outcomes := append([]schedule.Outcome{o}, e.state.Outcomes...)
	e.state.Outcomes = outcomes[:min(len(outcomes), mostOutcomes)]
	if o.Kind == schedule.Submitted {
		e.state.Pending = append(slices.Clone(e.state.Pending), o.Suite)
	}
	t.metrics.count(e.Name, o)
	args := []any{"schedule", e.Name, "due", o.Due, "next", e.Next}
	if o.Missed > 0 {
		args = append(args, "missed", o.Missed)
	}
	switch o.Kind {
	case schedule.Submitted:
		t.config.Logger.Info("suite of a schedule is submitted", append(args, "suite", o.Suite)...)
	case schedule.Skipped:
		t.config.Logger.Warn("due time of a schedule is skipped", append(args, "reason", o.Reason)...)
	case schedule.Failed:
		t.config.Logger.Warn("suite of a schedule is refused", append(args, "reason", o.Reason)...)
	}
	t.save(ctx, e)
}

// save writes a schedule; if that fails, the next step tries again. The caller holds t.mu.
func (t *Table) save(ctx context.Context, e *entry) {
	e.unsaved = true
	if err := t.write(ctx, e, nil); err != nil && ctx.Err() == nil {
		t.config.Logger.Error("a schedule is not written; it is tried again", "error", err)
	}
}

// busy describes the suite of the schedule that is in progress, or is empty.
func (e *entry) busy(suites []archive.SuiteSummary) string {
	if e.submitting {
		return "the suite of an earlier due time waits for agents"
	}
	for _, s := range suites {
		if s.Tags[plan.ScheduleTag] == e.Name && !s.Status.Ended() {
			return "suite " + s.ID + " is " + string(s.Status)
		}
	}
	return ""
}
