package lifecycle_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/result"
)

// repeats returns queued runs of one case.
func repeats(numbers ...int) []lifecycle.SuiteRun {
	var runs []lifecycle.SuiteRun
	for _, n := range numbers {
		runs = append(runs, lifecycle.SuiteRun{ID: fmt.Sprintf("S.%d", n), Case: "c", Repeat: n, Status: result.Queued})
	}
	return runs
}

// probes returns queued probes of one search.
func probes(numbers ...int) []lifecycle.SuiteRun {
	runs := repeats(numbers...)
	for i := range runs {
		runs[i].Probe = true
	}
	return runs
}

// Shorthands for events.
func taken(run string) lifecycle.SuiteEvent    { return lifecycle.RunTaken{Run: run} }
func released(run string) lifecycle.SuiteEvent { return lifecycle.RunReleased{Run: run} }
func cancel(run string) lifecycle.SuiteEvent   { return lifecycle.CancelAsked{Run: run, By: "ann"} }
func added(runs ...int) lifecycle.SuiteEvent   { return lifecycle.RunsAdded{Runs: repeats(runs...)} }

func becomes(run string, status result.Status) lifecycle.SuiteEvent {
	reason := ""
	if status == result.Failed {
		reason = "no table"
	}
	return lifecycle.RunChanged{Run: run, Status: status, Reason: reason}
}

// seen describes a suite and its commands after an event.
func seen(s *lifecycle.Suite, commands []lifecycle.SuiteCommand, err error) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, next %s", s.Status, s.Next())
	for _, c := range commands {
		switch c := c.(type) {
		case lifecycle.CancelRun:
			fmt.Fprintf(&b, ", cancel %s (%s%s)", c.Run, c.Cancel.By, c.Cancel.Because)
		case lifecycle.PlanMore:
			b.WriteString(", plan more")
		}
	}
	if err != nil {
		fmt.Fprintf(&b, ", refused: %v", err)
	}
	return b.String()
}

// served executes a run that ends with a status.
func served(s *lifecycle.Suite, run string, end result.Status) []lifecycle.SuiteCommand {
	s.Step(taken(run))
	for _, status := range []result.Status{result.Preparing, result.Running, end} {
		s.Step(becomes(run, status))
	}
	return s.Step(released(run))
}

func TestSuites(t *testing.T) {
	type step struct {
		event lifecycle.SuiteEvent
		want  string
	}
	stopped := "not started, because run S.1 failed: no table"
	for name, test := range map[string]struct {
		suite lifecycle.Suite
		steps []step
	}{
		"runs follow one another in their order": {lifecycle.Suite{Runs: repeats(1, 2)}, []step{
			{taken("S.1"), "queued, next "},
			{becomes("S.1", result.Preparing), "preparing, next "},
			{becomes("S.1", result.Running), "running, next "},
			{becomes("S.1", result.Stopping), "stopping, next "},
			{becomes("S.1", result.Partial), "running, next "},
			{released("S.1"), "running, next S.2"},
			{taken("S.2"), "running, next "},
			{becomes("S.2", result.Complete), "partial, next "},
			{released("S.2"), "partial, next "},
		}},
		"the order is that of the records, not that of the repeats": {lifecycle.Suite{Runs: repeats(2, 1, 3)}, []step{
			{taken("S.2"), "queued, next "},
			{becomes("S.2", result.Complete), "running, next "},
			{released("S.2"), "running, next S.1"},
		}},
		"an event that comes twice, or of an unknown run": {lifecycle.Suite{Runs: repeats(1, 2)}, []step{
			{taken("S.1"), "queued, next "},
			{taken("S.1"), "queued, next "},
			{becomes("S.1", result.Complete), "running, next "},
			{released("S.1"), "running, next S.2"},
			{released("S.1"), "running, next S.2"},
			{taken("T.1"), "running, next S.2"},
			{becomes("T.1", result.Failed), "running, next S.2"},
			{released("T.1"), "running, next S.2"},
			{lifecycle.SuiteClosed{}, "running, next S.2"},
		}},
		"a failure stops the runs that wait": {lifecycle.Suite{StopOnFailure: true, Runs: repeats(1, 2, 3)}, []step{
			{taken("S.1"), "queued, next "},
			{becomes("S.1", result.Failed), "running, next "},
			{released("S.1"), "running, next , cancel S.2 (" + stopped + "), cancel S.3 (" + stopped + ")"},
			{taken("S.2"), "running, next "},
			{becomes("S.2", result.Cancelled), "running, next "},
			{released("S.2"), "running, next "},
			{taken("S.3"), "running, next "},
			{becomes("S.3", result.Cancelled), "failed, next "},
			{released("S.3"), "failed, next "},
		}},
		"a failure stops nothing where the suite goes on": {lifecycle.Suite{Runs: repeats(1, 2)}, []step{
			{taken("S.1"), "queued, next "},
			{becomes("S.1", result.Failed), "running, next "},
			{released("S.1"), "running, next S.2"},
			{taken("S.2"), "running, next "},
			{becomes("S.2", result.Complete), "failed, next "},
		}},
		"one run is cancelled while another is served": {lifecycle.Suite{StopOnFailure: true, Runs: repeats(1, 2, 3)}, []step{
			{taken("S.1"), "queued, next "},
			{becomes("S.1", result.Running), "running, next "},
			{cancel("S.2"), "running, next , cancel S.2 (ann)"},
			{taken("S.2"), "running, next "},
			{becomes("S.2", result.Cancelled), "running, next "},
			{released("S.2"), "running, next "},
			{becomes("S.1", result.Complete), "running, next "},
			{released("S.1"), "running, next S.3"},
			{cancel("S.2"), "running, next S.3, refused: cancel suite S: it has ended"},
		}},
		"none begins once all are being cancelled": {lifecycle.Suite{Runs: repeats(1, 2)}, []step{
			{taken("S.1"), "queued, next "},
			{becomes("S.1", result.Preparing), "preparing, next "},
			{cancel(""), "preparing, next , cancel S.1 (ann), cancel S.2 (ann)"},
			{becomes("S.1", result.Cancelled), "running, next "},
			{released("S.1"), "running, next "},
			{cancel(""), "running, next , cancel S.2 (ann)"},
			{taken("S.2"), "running, next "},
			{becomes("S.2", result.Cancelled), "cancelled, next "},
			{cancel(""), "cancelled, next , refused: cancel suite S: it has ended"},
		}},
		"a probe that fails is repeated once, and then closes the suite": {lifecycle.Suite{Open: true, Searches: true, StopOnFailure: true, Runs: probes(1)}, []step{
			{taken("S.1"), "queued, next "},
			{becomes("S.1", result.Failed), "running, next "},
			{released("S.1"), "running, next , plan more"},
			{lifecycle.RunsAdded{Runs: []lifecycle.SuiteRun{{ID: "S.2", Case: "c", Repeat: 1, Status: result.Queued, Probe: true}}}, "running, next S.2"},
			{taken("S.2"), "running, next "},
			{becomes("S.2", result.Failed), "failed, next "},
			{released("S.2"), "failed, next "},
			{lifecycle.RunsAdded{Runs: []lifecycle.SuiteRun{{ID: "S.3", Case: "c", Repeat: 1, Status: result.Queued, Probe: true}}, Reopen: true}, "queued, next S.3"},
			{taken("S.3"), "queued, next "},
			{becomes("S.3", result.Complete), "running, next "},
			{released("S.3"), "running, next , plan more"},
			{lifecycle.SuiteClosed{}, "complete, next "},
		}},
		"a search that is cancelled between two probes": {lifecycle.Suite{Open: true, Searches: true, Runs: probes(1)}, []step{
			{taken("S.1"), "queued, next "},
			{becomes("S.1", result.Complete), "running, next "},
			{released("S.1"), "running, next , plan more"},
			{cancel(""), "cancelled, next "},
			{lifecycle.RunsAdded{Runs: probes(2)}, "cancelled, next , refused: add runs to suite S: it is closed"},
			{lifecycle.RunsAdded{Runs: probes(2), Reopen: true}, "queued, next S.2"},
			{taken("S.2"), "queued, next "},
			{becomes("S.2", result.Complete), "running, next "},
			{lifecycle.SuiteClosed{}, "complete, next "},
		}},
		"a run is added while another is served": {lifecycle.Suite{Open: true, Runs: repeats(1)}, []step{
			{taken("S.1"), "queued, next "},
			{becomes("S.1", result.Running), "running, next "},
			{added(2), "running, next "},
			{becomes("S.1", result.Complete), "running, next "},
			{released("S.1"), "running, next S.2"},
			{taken("S.2"), "running, next "},
			{lifecycle.SuiteClosed{}, "running, next "},
			{becomes("S.2", result.Complete), "complete, next "},
			{released("S.2"), "complete, next "},
		}},
		"a run is added after the last one, before the suite is closed": {lifecycle.Suite{Open: true, Runs: repeats(1)}, []step{
			{taken("S.1"), "queued, next "},
			{becomes("S.1", result.Complete), "running, next "},
			{released("S.1"), "running, next , plan more"},
			{added(2, 3), "running, next S.2"},
			{taken("S.2"), "running, next "},
			{becomes("S.2", result.Complete), "running, next "},
			{released("S.2"), "running, next S.3"},
			{taken("S.3"), "running, next "},
			{becomes("S.3", result.Complete), "running, next "},
			{released("S.3"), "running, next , plan more"},
			{lifecycle.SuiteClosed{}, "complete, next "},
			{added(4), "complete, next , refused: add runs to suite S: it is closed"},
		}},
		"more is asked for when the last run is released, whatever the order": {lifecycle.Suite{Open: true, Runs: repeats(1, 2)}, []step{
			{taken("S.1"), "queued, next "},
			{taken("S.2"), "queued, next "},
			{becomes("S.2", result.Complete), "running, next "},
			{becomes("S.1", result.Complete), "running, next "},
			{released("S.2"), "running, next "},
			{released("S.1"), "running, next , plan more"},
		}},
		"a failure is no end of an open suite that goes on": {lifecycle.Suite{Open: true, Runs: repeats(1)}, []step{
			{taken("S.1"), "queued, next "},
			{becomes("S.1", result.Failed), "running, next "},
			{released("S.1"), "running, next , plan more"},
			{lifecycle.SuiteClosed{}, "failed, next "},
		}},
		"a failure closes an open suite that it stops": {lifecycle.Suite{Open: true, StopOnFailure: true, Runs: repeats(1)}, []step{
			{taken("S.1"), "queued, next "},
			{becomes("S.1", result.Failed), "failed, next "},
			{released("S.1"), "failed, next "},
			{added(2), "failed, next , refused: add runs to suite S: it is closed"},
		}},
		"an open suite is cancelled while a run is being planned": {lifecycle.Suite{Open: true, Runs: repeats(1)}, []step{
			{taken("S.1"), "queued, next "},
			{becomes("S.1", result.Complete), "running, next "},
			{released("S.1"), "running, next , plan more"},
			{cancel("S.1"), "running, next , refused: cancel suite S: it has ended"},
			{cancel(""), "cancelled, next "},
			{added(2), "cancelled, next , refused: add runs to suite S: it is closed"},
		}},
		"an open suite is cancelled while a run is served that comes to its end": {lifecycle.Suite{Open: true, Runs: repeats(1)}, []step{
			{taken("S.1"), "queued, next "},
			{becomes("S.1", result.Running), "running, next "},
			{cancel(""), "running, next , cancel S.1 (ann)"},
			{added(2), "running, next , refused: add runs to suite S: it is closed"},
			{becomes("S.1", result.Complete), "cancelled, next "},
			{released("S.1"), "cancelled, next "},
		}},
		"a run of an open suite is cancelled: no more runs are planned": {lifecycle.Suite{Open: true, Runs: repeats(1)}, []step{
			{taken("S.1"), "queued, next "},
			{cancel("S.1"), "queued, next , cancel S.1 (ann)"},
			{becomes("S.1", result.Cancelled), "cancelled, next "},
			{released("S.1"), "cancelled, next "},
		}},
		"a run with an existing id is refused": {lifecycle.Suite{Open: true, Runs: repeats(1)}, []step{
			{added(1), "queued, next S.1, refused: add run S.1 to suite S: it has a run of this id"},
			{added(2, 2), "queued, next S.1, refused: add run S.2 to suite S: it has a run of this id"},
		}},
		"a suite is resumed while another of its runs is served": {lifecycle.Suite{Runs: repeats(1, 2)}, []step{
			{taken("S.1"), "queued, next "},
			{becomes("S.1", result.Failed), "running, next "},
			{released("S.1"), "running, next S.2"},
			{taken("S.2"), "running, next "},
			{again(3, 1), "running, next "},
			{becomes("S.2", result.Complete), "running, next "},
			{released("S.2"), "running, next S.3"},
			{taken("S.3"), "running, next "},
			{becomes("S.3", result.Complete), "complete, next "},
		}},
		"a failure whose run was replaced before its agents were free stops nothing": {lifecycle.Suite{StopOnFailure: true, Runs: repeats(1, 2)}, []step{
			{taken("S.1"), "queued, next "},
			{becomes("S.1", result.Failed), "running, next "},
			{again(3, 1), "running, next "},
			{released("S.1"), "running, next S.2"},
		}},
		"an ended suite is resumed": {lifecycle.Suite{Status: result.Failed, Runs: []lifecycle.SuiteRun{{ID: "S.1", Case: "c", Repeat: 1, Status: result.Failed}}}, []step{
			{added(2), "failed, next , refused: add runs to suite S: it is closed"},
			{again(2, 1), "queued, next S.2"},
			{taken("S.2"), "queued, next "},
			{becomes("S.2", result.Complete), "complete, next "},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &test.suite
			s.ID = "S"
			if s.Status == "" {
				s.Status = result.Queued
			}
			for i, step := range test.steps {
				status, err := s.After(step.event)
				commands := s.Step(step.event)
				require.Equal(t, step.want, seen(s, commands, err), "step %d: %#v", i+1, step.event)
				require.Equal(t, status, s.Status, "After and Step agree")
			}
		})
	}
}

// again adds a run that replaces another, as a user does who resumes the suite.
func again(number, repeat int) lifecycle.SuiteEvent {
	runs := repeats(number)
	runs[0].Repeat = repeat
	return lifecycle.RunsAdded{Runs: runs, Reopen: true}
}

func TestWhatIsLeftOfASuiteAfterARestart(t *testing.T) {
	in := func(statuses ...result.Status) []lifecycle.SuiteRun {
		var runs []lifecycle.SuiteRun
		for i, status := range statuses {
			run := repeats(i + 1)[0]
			run.Status, run.Reason = status, "no table"
			runs = append(runs, run)
		}
		return runs
	}
	const stopped = "cancel S.2 (not started, because run S.1 failed: no table)"
	for name, test := range map[string]struct {
		suite  lifecycle.Suite
		want   string
		active bool
	}{
		"nothing has started":              {lifecycle.Suite{Status: result.Queued, Runs: in(result.Queued, result.Queued)}, "queued, next S.1", true},
		"a run goes on":                    {lifecycle.Suite{Status: result.Running, Runs: in(result.Running, result.Queued)}, "running, next ", true},
		"between two runs":                 {lifecycle.Suite{Status: result.Running, Runs: in(result.Complete, result.Queued)}, "running, next S.2", true},
		"it has ended":                     {lifecycle.Suite{Status: result.Complete, Runs: in(result.Complete)}, "complete, next ", false},
		"one failed, the others go on":     {lifecycle.Suite{Status: result.Running, Runs: in(result.Failed, result.Queued)}, "running, next S.2", true},
		"one failed, the others do not":    {lifecycle.Suite{Status: result.Running, StopOnFailure: true, Runs: in(result.Failed, result.Queued)}, "running, next , " + stopped, true},
		"some of the others were stopped":  {lifecycle.Suite{Status: result.Running, StopOnFailure: true, Runs: in(result.Failed, result.Queued, result.Cancelled)}, "running, next , " + stopped, true},
		"it was open":                      {lifecycle.Suite{Status: result.Running, Runs: in(result.Complete)}, "running, next , plan more", true},
		"it is open, and a run goes on":    {lifecycle.Suite{Status: result.Running, Open: true, Runs: in(result.Running)}, "running, next ", true},
		"it is open, and has no run yet":   {lifecycle.Suite{Status: result.Queued, Open: true}, "queued, next , plan more", true},
		"it has no run":                    {lifecycle.Suite{Status: result.Queued}, "queued, next ", false},
		"all that failed was replaced":     {lifecycle.Suite{Status: result.Queued, StopOnFailure: true, Runs: append(in(result.Failed), again(2, 1).(lifecycle.RunsAdded).Runs...)}, "queued, next S.2", true},
		"a run was being cancelled, alone": {lifecycle.Suite{Status: result.Stopping, Runs: in(result.Stopping, result.Queued)}, "stopping, next ", true},
	} {
		t.Run(name, func(t *testing.T) {
			s := &test.suite
			s.ID = "S"
			require.Equal(t, test.want, seen(s, s.Resume(), nil))
			require.Equal(t, test.active, s.Active())
		})
	}
}

func TestRetriesAreOfWhatEndedOtherwiseThanComplete(t *testing.T) {
	s := &lifecycle.Suite{ID: "S", Status: result.Queued, Runs: repeats(1, 2, 3, 10)}
	require.Empty(t, s.Retries(), "nothing has ended")
	served(s, "S.1", result.Complete)
	served(s, "S.2", result.Partial)
	served(s, "S.3", result.Failed)
	require.True(t, s.Unfinished())
	retries := []lifecycle.Retry{{ID: "S.11", Of: "S.2"}, {ID: "S.12", Of: "S.3"}}
	require.Equal(t, retries, s.Retries(), "a queued run needs no retry")
	for _, r := range retries {
		runs := []lifecycle.SuiteRun{{ID: r.ID, Case: "c", Repeat: int(r.Of[2] - '0'), Status: result.Queued}}
		s.Step(lifecycle.RunsAdded{Runs: runs, Reopen: true})
	}
	require.Empty(t, s.Retries())
	require.Equal(t, map[string]string{"S.2": "S.11", "S.3": "S.12"}, lifecycle.ReplacedBy(s.Runs))
	served(s, "S.10", result.Complete)
	served(s, "S.11", result.Cancelled)
	require.Equal(t, []lifecycle.Retry{{ID: "S.13", Of: "S.11"}}, s.Retries())
}

// A suite that is rebuilt from its records between any two events continues like the original: the records are the runs
// with their statuses, and whether the suite is open.
func TestASuiteIsMadeFromItsRecordsAtAnyInstant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &lifecycle.Suite{
			ID: "S", Status: result.Queued, StopOnFailure: rapid.Bool().Draw(t, "stop"), Open: rapid.Bool().Draw(t, "open"),
			Runs: repeats(1, 2, 3)[:rapid.IntRange(1, 3).Draw(t, "runs")],
		}
		ends := rapid.SampledFrom([]result.Status{result.Complete, result.Partial, result.Failed, result.Cancelled})
		pending := s.Resume()
		for steps := 0; s.Active(); steps++ {
			require.Less(t, steps, 100, "the suite never ends")
			if rapid.Bool().Draw(t, "restart") {
				remade := &lifecycle.Suite{ID: s.ID, Status: s.Status, StopOnFailure: s.StopOnFailure, Open: s.Open}
				for _, r := range s.Runs {
					r.Taken, r.Unwanted = false, false
					remade.Runs = append(remade.Runs, r)
				}
				s, pending = remade, remade.Resume()
			}
			switch next := s.Next(); {
			case len(pending) > 0:
				command := pending[0]
				pending = pending[1:]
				if c, is := command.(lifecycle.CancelRun); is {
					pending = append(pending, served(s, c.Run, result.Cancelled)...)
				} else if n := len(s.Runs); n < 5 && rapid.Bool().Draw(t, "more") {
					s.Step(added(n + 1))
				} else {
					s.Step(lifecycle.SuiteClosed{})
				}
			case next != "":
				pending = append(pending, served(s, next, ends.Draw(t, "end"))...)
			default:
				require.Fail(t, "nothing is left to do, and the suite has not ended", "%+v", s)
			}
		}
		require.True(t, s.Status.Ended())
	})
}
