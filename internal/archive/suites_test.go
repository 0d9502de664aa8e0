package archive

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
)

func TestSuiteIsReadAsItWasCreated(t *testing.T) {
	dir := t.TempDir()
	a := openIn(t, dir)
	full, bare := suiteOf("s"), Suite{ID: "bare", Tags: map[string]string{}, Created: time.Unix(0, 0).UTC()}
	runs := []RunRecord{runOf("s", "1"), runOf("s", "2")}
	runs[1].Reason, runs[1].Header, runs[1].State = "it's \x00 a reason", []byte(`{"start":null}`), []byte(`{"at":3}`)
	runs[1].Started, runs[1].Ended = time.Unix(1, 2).UTC(), time.Unix(3, 4).UTC()
	runs[1].Agents = []Agent{{Name: "a", Shard: 0, Attempt: 1}, {Name: "b", Shard: 1, Attempt: 1}}
	require.NoError(t, a.CreateSuite(t.Context(), full, runs))
	require.NoError(t, a.CreateSuite(t.Context(), bare, nil))
	require.NoError(t, a.Close(t.Context()))

	a = openIn(t, dir)
	for _, want := range []Suite{full, bare} {
		got, err := a.Suite(t.Context(), want.ID)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	got, err := a.Runs(t.Context(), "s")
	require.NoError(t, err)
	require.Equal(t, runs, got)
	run, err := a.Run(t.Context(), "s.2")
	require.NoError(t, err)
	require.Equal(t, runs[1], run)
}

func TestSuitesAreListedNewestFirst(t *testing.T) {
	a := openIn(t, t.TempDir())
	old, recent := suiteOf("old"), suiteOf("recent")
	recent.Created = old.Created.Add(-time.Hour) // the clock went back: the order is that of submission
	require.NoError(t, a.CreateSuite(t.Context(), old, []RunRecord{runOf("old", "1"), runOf("old", "2")}))
	require.NoError(t, a.CreateSuite(t.Context(), recent, nil))
	got, err := a.Suites(t.Context())
	require.NoError(t, err)
	old.Spec, recent.Spec, old.Plan, recent.Plan = nil, nil, nil, nil
	require.Equal(t, []SuiteSummary{{Suite: recent}, {Suite: old, Runs: 2}}, got)
}

func TestSuiteIsCreatedWholeOrNotAtAll(t *testing.T) {
	a := openIn(t, t.TempDir())
	create(t, a, "s")
	stranger := runOf("elsewhere", "1")
	for name, tc := range map[string]struct {
		suite Suite
		runs  []RunRecord
		want  error
	}{
		"suite's id is taken":  {suiteOf("s"), nil, ErrExists},
		"run's id is taken":    {suiteOf("t"), []RunRecord{runOf("t", "1"), {ID: "s.1", Suite: "t"}}, ErrExists},
		"run's id twice":       {suiteOf("t"), []RunRecord{runOf("t", "1"), runOf("t", "1")}, ErrExists},
		"run of another suite": {suiteOf("t"), []RunRecord{stranger}, ErrInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			require.ErrorIs(t, a.CreateSuite(t.Context(), tc.suite, tc.runs), tc.want)
			list, err := a.Suites(t.Context())
			require.NoError(t, err)
			require.Len(t, list, 1)
			_, err = a.Run(t.Context(), "t.1")
			require.ErrorIs(t, err, ErrNotFound)
		})
	}
}

func TestChangeIsStoredWholeOrNotAtAll(t *testing.T) {
	a := openIn(t, t.TempDir())
	create(t, a, "s")
	run := runOf("s", "1")
	run.Status, run.Reason = result.Failed, "agent b was lost"
	run.State = []byte(`{"ended":true}`)
	run.Agents = []Agent{{Name: "a", Shard: 0, Attempt: 1}}
	event := Event{Run: "s.1", At: time.Unix(5, 6).UTC(), Phase: "measure", Offset: time.Second, Kind: "agent", Text: "b was lost"}

	for name, change := range map[string]Change{
		"no such run":          {Runs: []RunRecord{run, {ID: "s.9", Suite: "s"}}},
		"run of another suite": {Runs: []RunRecord{run, {ID: "s.1", Suite: "t"}}},
		"no such suite":        {Runs: []RunRecord{run}, Suite: "t", Status: result.Failed},
		"event of no run":      {Runs: []RunRecord{run}, Events: []Event{event, {Run: "s.9"}}},
	} {
		require.ErrorIs(t, a.Apply(t.Context(), change), ErrNotFound, name)
		got, err := a.Run(t.Context(), "s.1")
		require.NoError(t, err)
		require.Equal(t, runOf("s", "1"), got, name)
	}

	require.NoError(t, a.Apply(t.Context(), Change{Runs: []RunRecord{run}, Suite: "s", Status: result.Failed, Events: []Event{event}}))
	got, err := a.Run(t.Context(), "s.1")
	require.NoError(t, err)
	require.Equal(t, run, got)
	suite, err := a.Suite(t.Context(), "s")
	require.NoError(t, err)
	require.Equal(t, result.Failed, suite.Status)
	events, err := a.Events(t.Context(), "s.1")
	require.NoError(t, err)
	require.Equal(t, []Event{event}, events)
}

func TestEventsAreInTheOrderInWhichTheyHappened(t *testing.T) {
	a := openIn(t, t.TempDir())
	run := create(t, a, "s")
	at := func(second int64, text string) Event {
		return Event{Run: run, At: time.Unix(second, 0).UTC(), Kind: "limit", Text: text}
	}
	require.NoError(t, a.AddEvents(t.Context(), []Event{at(2, "b"), at(1, "a")}))
	require.NoError(t, a.AddEvents(t.Context(), nil))
	require.NoError(t, a.AddEvents(t.Context(), []Event{at(2, "c")}))
	got, err := a.Events(t.Context(), run)
	require.NoError(t, err)
	require.Equal(t, []Event{at(1, "a"), at(2, "b"), at(2, "c")}, got)
}

func TestUnfinishedRunsInTheOrderOfSubmission(t *testing.T) {
	a := openIn(t, t.TempDir())
	statuses := []result.Status{
		result.Complete, result.Running, result.Queued, result.Partial, result.Preparing,
		result.Failed, result.Cancelled, result.Stopping,
	}
	var want []string
	for _, id := range []string{"z", "b"} {
		runs := make([]RunRecord, len(statuses))
		for i, status := range statuses {
			runs[i] = runOf(id, string(rune('0'+9-i))) // neither suites nor runs in the order of the alphabet
			runs[i].Status = status
			if !status.Ended() {
				want = append(want, runs[i].ID)
			}
		}
		require.NoError(t, a.CreateSuite(t.Context(), suiteOf(id), runs))
	}
	list, err := a.Unfinished(t.Context())
	require.NoError(t, err)
	got := make([]string, len(list))
	for i := range list {
		got[i] = list[i].ID
	}
	require.Equal(t, want, got)
}

func TestAgentsOfARunAreOnlyAdded(t *testing.T) {
	a := openIn(t, t.TempDir())
	create(t, a, "s")
	run := runOf("s", "1")
	run.Agents = []Agent{{Name: "a", Shard: 0, Attempt: 1}}
	require.NoError(t, a.UpdateRun(t.Context(), run))
	run.Agents = []Agent{{Name: "b", Shard: 0, Attempt: 2}}
	require.NoError(t, a.UpdateRun(t.Context(), run))
	got, err := a.Run(t.Context(), "s.1")
	require.NoError(t, err)
	require.Equal(t, []Agent{{Name: "a", Shard: 0, Attempt: 1}, {Name: "b", Shard: 0, Attempt: 2}}, got.Agents)
}

func TestRemove(t *testing.T) {
	a := openIn(t, t.TempDir())
	kept, gone := create(t, a, "kept"), create(t, a, "gone")
	for _, run := range []string{kept, gone} {
		add(t, a, windowOf(latency.WindowID{Run: run, Phase: "measure"}, 12))
		require.NoError(t, a.AddEvents(t.Context(), []Event{{Run: run}}))
	}
	update := runOf("gone", "1")
	update.Agents = []Agent{{Name: "a"}}
	require.NoError(t, a.UpdateRun(t.Context(), update))

	require.ErrorIs(t, a.Remove(t.Context(), "gone"), ErrNotEnded)
	require.ErrorIs(t, a.Remove(t.Context(), "nobody"), ErrNotFound)
	require.Len(t, windowsIn(t, a, gone), 1)

	require.NoError(t, a.UpdateSuite(t.Context(), "gone", result.Cancelled))
	require.NoError(t, a.Remove(t.Context(), "gone"))
	require.ErrorIs(t, a.Remove(t.Context(), "gone"), ErrNotFound)
	_, err := a.Run(t.Context(), gone)
	require.ErrorIs(t, err, ErrNotFound)
	receipts, err := a.AddWindows(t.Context(), []latency.Window{windowOf(latency.WindowID{Run: gone, Phase: "measure"}, 12)})
	require.NoError(t, err)
	require.ErrorIs(t, receipts[0].Err, ErrNotFound, "a late window does not bring a run back")

	require.Len(t, windowsIn(t, a, kept), 1)
	for table, want := range map[string]int{"suite": 1, "run": 1, "agent": 0, "phase": 1, "window": 1, "measurement": 5, "error_sample": 1, "event": 1} {
		var rows int
		require.NoError(t, a.reader.QueryRowContext(t.Context(), `SELECT count(*) FROM "`+table+`"`).Scan(&rows))
		require.Equal(t, want, rows, table)
	}
}

func TestWhatIsNotThereIsNotFound(t *testing.T) {
	a := openIn(t, t.TempDir())
	_, err := a.Suite(t.Context(), "s")
	require.ErrorIs(t, err, ErrNotFound)
	require.EqualError(t, err, "find suite s: the archive has none of this id")
	_, err = a.Run(t.Context(), "s.1")
	require.ErrorIs(t, err, ErrNotFound)
	require.ErrorIs(t, a.UpdateSuite(t.Context(), "s", result.Failed), ErrNotFound)
	require.ErrorIs(t, a.UpdateRun(t.Context(), runOf("s", "1")), ErrNotFound)
	require.ErrorIs(t, a.AddEvents(t.Context(), []Event{{Run: "s.1"}}), ErrNotFound)
	runs, err := a.Runs(t.Context(), "s")
	require.NoError(t, err)
	require.Empty(t, runs)
	require.Empty(t, windowsIn(t, a, "s.1"))
}

func TestRunsAreAddedBehindTheOthers(t *testing.T) {
	a := openIn(t, t.TempDir())
	create(t, a, "s")
	before, err := a.Runs(t.Context(), "s")
	require.NoError(t, err)
	require.NoError(t, a.AddRuns(t.Context(), "s", result.Queued, []RunRecord{runOf("s", "8"), runOf("s", "9")}))
	after, err := a.Runs(t.Context(), "s")
	require.NoError(t, err)
	require.Len(t, after, len(before)+2)
	require.Equal(t, "s.9", after[len(after)-1].ID)

	require.ErrorIs(t, a.AddRuns(t.Context(), "s", result.Failed, []RunRecord{runOf("s", "10"), runOf("s", "8")}), ErrExists)
	again, err := a.Runs(t.Context(), "s")
	require.NoError(t, err)
	require.Equal(t, after, again, "all or nothing")
	suite, err := a.Suite(t.Context(), "s")
	require.NoError(t, err)
	require.Equal(t, result.Queued, suite.Status)
	require.ErrorIs(t, a.AddRuns(t.Context(), "nobody", result.Queued, nil), ErrNotFound)
	require.ErrorIs(t, a.AddRuns(t.Context(), "s", result.Queued, []RunRecord{runOf("t", "1")}), ErrInvalid)
}
