package timetable

import (
	"context"
	"slices"
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/schedule"
	"github.com/benchd/benchd/internal/trend"
)

// mostSuites bounds the suites of a trend, as `benchctl trend` does.
const mostSuites = 400

// evaluateNext evaluates the oldest suite of a schedule that waits for that, if it has ended. The caller holds t.mu.
func (t *Table) evaluateNext(ctx context.Context, e *entry, suites []archive.SuiteSummary) {
	if e.evaluating || len(e.state.Pending) == 0 {
		return
	}
	suite := e.state.Pending[0]
	i := slices.IndexFunc(suites, func(s archive.SuiteSummary) bool { return s.ID == suite })
	switch {
	case i < 0 && suites != nil: // it was removed
		e.state.Pending, e.unsaved = e.state.Pending[1:], true
		return
	case i < 0 || !suites[i].Status.Ended():
		return
	}
	e.evaluating = true
	name, series := e.Name, seriesOf(e.Name, suites[i:])
	t.config.Go(func() { t.evaluate(ctx, e, name, suite, series) })
}

// seriesOf returns the ended suites of a schedule, the oldest first, of suites with the newest first.
func seriesOf(name string, suites []archive.SuiteSummary) []archive.SuiteSummary {
	var series []archive.SuiteSummary
	for _, s := range suites {
		if s.Tags[plan.ScheduleTag] == name && s.Status.Ended() && len(series) < mostSuites {
			series = append(series, s)
		}
	}
	slices.Reverse(series)
	return series
}

// evaluate makes the trend of a schedule up to a suite, and raises an alert for each change that the suite has revealed.
func (t *Table) evaluate(ctx context.Context, e *entry, name, suite string, series []archive.SuiteSummary) {
	found, err := t.config.Trend(ctx, name, series)
	if ctx.Err() != nil {
		return // the next coordinator evaluates it
	}
	changes := found.FoundIn(suite)
	if err != nil {
		t.config.Logger.Error("a suite of a schedule is not evaluated", "schedule", name, "suite", suite, "error", err)
		changes = nil
	}
	alerts := make([]schedule.Alert, 0, len(changes))
	for _, c := range changes {
		alerts = append(alerts, alertOf(c, found.Test, t.config.Clock.Wall().UTC()))
	}
	for !t.keep(ctx, e, suite, changes, alerts) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(again):
		}
	}
}

// keep archives the alerts of a suite, and reports whether that is done.
func (t *Table) keep(ctx context.Context, e *entry, suite string, changes []trend.Alert, alerts []schedule.Alert) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.entries[e.Name] != e {
		return true // it was deleted meanwhile
	}
	settle := func(bool) {}
	if len(changes) > 0 {
		settle = t.config.Announce(suite, changes)
	}
	pending := e.state.Pending
	e.state.Pending = slices.DeleteFunc(slices.Clone(pending), func(id string) bool { return id == suite })
	err := t.write(ctx, e, alerts)
	settle(err == nil)
	if err != nil {
		e.state.Pending = pending
		if ctx.Err() == nil {
			t.config.Logger.Error("alerts of a schedule are not written; it is tried again", "error", err)
		}
		return false
	}
	e.evaluating = false
	for _, a := range alerts {
		t.metrics.alert(e.Name, a)
		t.config.Logger.Warn("a suite of a schedule has revealed a change", "schedule", e.Name, "suite", a.Suite, "since", a.Since,
			"case", a.Case, "figure", a.Figure, "verdict", a.Verdict, "ratio", a.Ratio, "test", a.Test)
	}
	t.poke() // another suite may wait
	return true
}

func alertOf(c trend.Alert, test string, at time.Time) schedule.Alert {
	return schedule.Alert{
		At: at, Suite: c.Found, Since: c.Suite, Earliest: c.Earliest, Latest: c.Latest, Case: c.Case, Figure: c.Figure, Unit: c.Unit,
		Verdict: string(c.Verdict), Ratio: c.Ratio, Low: c.Low, High: c.High, Statistic: c.Statistic, Threshold: c.Threshold, Test: test,
	}
}
