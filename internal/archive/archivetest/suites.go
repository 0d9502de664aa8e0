package archivetest

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
)

func testSuiteIsReadAsItWasCreated(t *testing.T, open Open) {
	dir := t.TempDir()
	a := open(t, dir)
	full, bare := SuiteOf("s"), archive.Suite{ID: "bare", Tags: map[string]string{}, Created: time.Unix(0, 0).UTC()}
	runs := []archive.RunRecord{RunOf("s", "1"), RunOf("s", "2")}
	runs[1].Reason, runs[1].Header, runs[1].State = "it's \x00 a reason", []byte(`{"start":null}`), []byte(`{"at":3}`)
	runs[1].Started, runs[1].Ended = time.Unix(1, 2).UTC(), time.Unix(3, 4).UTC()
	runs[1].Agents = []archive.Agent{{Name: "a", Shard: 0, Attempt: 1}, {Name: "b", Shard: 1, Attempt: 1}}
	require.NoError(t, a.CreateSuite(t.Context(), full, runs))
	require.NoError(t, a.CreateSuite(t.Context(), bare, nil))
	require.NoError(t, a.Close(t.Context()))

	a = open(t, dir)
	for _, want := range []archive.Suite{full, bare} {
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

func testSuitesAreListedNewestFirst(t *testing.T, open Open) {
	a := open(t, t.TempDir())
	old, recent := SuiteOf("old"), SuiteOf("recent")
	recent.Created = old.Created.Add(-time.Hour) // the clock went back: the order is that of submission
	require.NoError(t, a.CreateSuite(t.Context(), old, []archive.RunRecord{RunOf("old", "1"), RunOf("old", "2")}))
	require.NoError(t, a.CreateSuite(t.Context(), recent, nil))
	got, err := a.Suites(t.Context())
	require.NoError(t, err)
	old.Spec, recent.Spec, old.Plan, recent.Plan = nil, nil, nil, nil
	require.Equal(t, []archive.SuiteSummary{{Suite: recent}, {Suite: old, Runs: 2}}, got)
}

func testSuitesAreSelected(t *testing.T, open Open) {
	a := open(t, t.TempDir())
	for i, id := range []string{"a", "b", "c", "d"} {
		s := SuiteOf(id)
		s.Created = s.Created.Add(time.Duration(i) * time.Hour)
		s.Tags = map[string]string{"place": id, "it's": "50%"}
		s.Name = []string{"even", "odd"}[i%2]
		s.Status = []result.Status{result.Complete, result.Failed, result.Running, result.Queued}[i]
		require.NoError(t, a.CreateSuite(t.Context(), s, []archive.RunRecord{RunOf(id, "1")}))
	}
	start := SuiteOf("a").Created
	for name, test := range map[string]struct {
		query archive.SuiteQuery
		want  string
	}{
		"all":          {archive.SuiteQuery{}, "dcba"},
		"a page":       {archive.SuiteQuery{Limit: 2}, "dc"},
		"the next":     {archive.SuiteQuery{Limit: 2, After: "c"}, "ba"},
		"after all":    {archive.SuiteQuery{Limit: 2, After: "a"}, ""},
		"a name":       {archive.SuiteQuery{Name: "odd"}, "db"},
		"statuses":     {archive.SuiteQuery{Statuses: []result.Status{result.Complete, result.Running}}, "ca"},
		"a tag":        {archive.SuiteQuery{Tags: map[string]string{"place": "b", "it's": "50%"}}, "b"},
		"another tag":  {archive.SuiteQuery{Tags: map[string]string{"it's": "5"}}, ""},
		"times":        {archive.SuiteQuery{Since: start.Add(time.Hour), Until: start.Add(3 * time.Hour)}, "cb"},
		"matches":      {archive.SuiteQuery{Limit: 1, Match: func(s archive.Suite) bool { return s.ID < "c" }}, "b"},
		"of each kind": {archive.SuiteQuery{Name: "odd", After: "d", Limit: 5, Since: start}, "b"},
	} {
		got, err := a.Select(t.Context(), test.query)
		require.NoError(t, err, name)
		var ids strings.Builder
		for _, s := range got {
			ids.WriteString(s.ID)
			require.Equal(t, 1, s.Runs)
		}
		require.Equal(t, test.want, ids.String(), name)
	}
	_, err := a.Select(t.Context(), archive.SuiteQuery{After: "nobody"})
	require.ErrorIs(t, err, archive.ErrNotFound)
}

func testASuiteIsAnnotated(t *testing.T, open Open) {
	dir := t.TempDir()
	a := open(t, dir)
	Create(t, a, "s")
	other := SuiteOf("other")
	require.NoError(t, a.CreateSuite(t.Context(), other, nil))
	note := "another note"
	require.NoError(t, a.Annotate(t.Context(), "s", archive.Annotation{Note: &note, Tags: map[string]string{"release": "2.6"}}))
	require.NoError(t, a.Annotate(t.Context(), "s", archive.Annotation{Tags: map[string]string{"release": "2.7", "kind": "nightly"}, Untag: []string{"rack", "unknown"}}))
	want := SuiteOf("s")
	want.Note, want.Tags = note, map[string]string{"release": "2.7", "kind": "nightly"}

	many := make(map[string]string)
	for i := range archive.MostTags {
		many[strconv.Itoa(i)] = ""
	}
	require.ErrorIs(t, a.Annotate(t.Context(), "s", archive.Annotation{Tags: many}), archive.ErrInvalid)
	require.ErrorIs(t, a.Annotate(t.Context(), "nobody", archive.Annotation{Note: &note}), archive.ErrNotFound)

	require.NoError(t, a.Close(t.Context()))
	a = open(t, dir)
	for _, suite := range []archive.Suite{want, other} {
		got, err := a.Suite(t.Context(), suite.ID)
		require.NoError(t, err)
		require.Equal(t, suite, got)
	}
	require.NoError(t, a.Annotate(t.Context(), "s", archive.Annotation{Note: new(string)}))
	got, err := a.Suite(t.Context(), "s")
	require.NoError(t, err)
	require.Empty(t, got.Note, "an empty note is none")
	require.Equal(t, want.Tags, got.Tags)
}

func testSuiteIsCreatedAtomically(t *testing.T, open Open) {
	a := open(t, t.TempDir())
	Create(t, a, "s")
	stranger := RunOf("elsewhere", "1")
	for name, tc := range map[string]struct {
		suite archive.Suite
		runs  []archive.RunRecord
		want  error
	}{
		"suite's id is taken":  {SuiteOf("s"), nil, archive.ErrExists},
		"run's id is taken":    {SuiteOf("t"), []archive.RunRecord{RunOf("t", "1"), {ID: "s.1", Suite: "t"}}, archive.ErrExists},
		"run's id twice":       {SuiteOf("t"), []archive.RunRecord{RunOf("t", "1"), RunOf("t", "1")}, archive.ErrExists},
		"run of another suite": {SuiteOf("t"), []archive.RunRecord{stranger}, archive.ErrInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			require.ErrorIs(t, a.CreateSuite(t.Context(), tc.suite, tc.runs), tc.want)
			list, err := a.Suites(t.Context())
			require.NoError(t, err)
			require.Len(t, list, 1)
			_, err = a.Run(t.Context(), "t.1")
			require.ErrorIs(t, err, archive.ErrNotFound)
		})
	}
}

func testChangeIsStoredAtomically(t *testing.T, open Open) {
	a := open(t, t.TempDir())
	Create(t, a, "s")
	run := RunOf("s", "1")
	run.Status, run.Reason = result.Failed, "agent b was lost"
	run.State = []byte(`{"ended":true}`)
	run.Agents = []archive.Agent{{Name: "a", Shard: 0, Attempt: 1}}
	event := archive.Event{Run: "s.1", At: time.Unix(5, 6).UTC(), Phase: "measure", Offset: time.Second, Kind: "agent", Text: "b was lost"}

	for name, change := range map[string]archive.Change{
		"no such run":          {Runs: []archive.RunRecord{run, {ID: "s.9", Suite: "s"}}},
		"run of another suite": {Runs: []archive.RunRecord{run, {ID: "s.1", Suite: "t"}}},
		"no such suite":        {Runs: []archive.RunRecord{run}, Suite: "t", Status: result.Failed},
		"event of no run":      {Runs: []archive.RunRecord{run}, Events: []archive.Event{event, {Run: "s.9"}}},
	} {
		require.ErrorIs(t, a.Apply(t.Context(), change), archive.ErrNotFound, name)
		got, err := a.Run(t.Context(), "s.1")
		require.NoError(t, err)
		require.Equal(t, RunOf("s", "1"), got, name)
	}

	require.NoError(t, a.Apply(t.Context(), archive.Change{Runs: []archive.RunRecord{run}, Suite: "s", Status: result.Failed, Events: []archive.Event{event}}))
	got, err := a.Run(t.Context(), "s.1")
	require.NoError(t, err)
	require.Equal(t, run, got)
	suite, err := a.Suite(t.Context(), "s")
	require.NoError(t, err)
	require.Equal(t, result.Failed, suite.Status)
	events, err := a.Events(t.Context(), "s.1")
	require.NoError(t, err)
	require.Equal(t, []archive.Event{event}, events)
}

func testEventsAreInTheOrderInWhichTheyHappened(t *testing.T, open Open) {
	a := open(t, t.TempDir())
	run := Create(t, a, "s")
	at := func(second int64, text string) archive.Event {
		return archive.Event{Run: run, At: time.Unix(second, 0).UTC(), Kind: "limit", Text: text}
	}
	require.NoError(t, a.Apply(t.Context(), archive.Change{Events: []archive.Event{at(2, "b"), at(1, "a")}}))
	require.NoError(t, a.Apply(t.Context(), archive.Change{Events: nil}))
	require.NoError(t, a.Apply(t.Context(), archive.Change{Events: []archive.Event{at(2, "c")}}))
	got, err := a.Events(t.Context(), run)
	require.NoError(t, err)
	require.Equal(t, []archive.Event{at(1, "a"), at(2, "b"), at(2, "c")}, got)
}

func testUnfinishedRunsInTheOrderOfSubmission(t *testing.T, open Open) {
	a := open(t, t.TempDir())
	statuses := []result.Status{
		result.Complete, result.Running, result.Queued, result.Partial, result.Preparing,
		result.Failed, result.Cancelled, result.Stopping,
	}
	var want []string
	for _, id := range []string{"z", "b"} {
		runs := make([]archive.RunRecord, len(statuses))
		for i, status := range statuses {
			runs[i] = RunOf(id, string(rune('0'+9-i))) // neither suites nor runs in the order of the alphabet
			runs[i].Status = status
			if !status.Ended() {
				want = append(want, runs[i].ID)
			}
		}
		require.NoError(t, a.CreateSuite(t.Context(), SuiteOf(id), runs))
	}
	list, err := a.Unfinished(t.Context())
	require.NoError(t, err)
	got := make([]string, len(list))
	for i := range list {
		got[i] = list[i].ID
	}
	require.Equal(t, want, got)
}

func testAgentsOfARunAreOnlyAdded(t *testing.T, open Open) {
	a := open(t, t.TempDir())
	Create(t, a, "s")
	run := RunOf("s", "1")
	run.Agents = []archive.Agent{{Name: "a", Shard: 0, Attempt: 1}}
	require.NoError(t, a.Apply(t.Context(), archive.Change{Runs: []archive.RunRecord{run}}))
	run.Agents = []archive.Agent{{Name: "b", Shard: 0, Attempt: 2}}
	require.NoError(t, a.Apply(t.Context(), archive.Change{Runs: []archive.RunRecord{run}}))
	got, err := a.Run(t.Context(), "s.1")
	require.NoError(t, err)
	require.Equal(t, []archive.Agent{{Name: "a", Shard: 0, Attempt: 1}, {Name: "b", Shard: 0, Attempt: 2}}, got.Agents)
}

func testRemove(t *testing.T, open Open) {
	a := open(t, t.TempDir())
	kept, gone := Create(t, a, "kept"), Create(t, a, "gone")
	for _, run := range []string{kept, gone} {
		Add(t, a, WindowOf(latency.WindowID{Run: run, Phase: "measure"}, 12))
		require.NoError(t, a.Apply(t.Context(), archive.Change{Events: []archive.Event{{Run: run}}}))
	}
	update := RunOf("gone", "1")
	update.Agents = []archive.Agent{{Name: "a"}}
	require.NoError(t, a.Apply(t.Context(), archive.Change{Runs: []archive.RunRecord{update}}))

	require.ErrorIs(t, a.Remove(t.Context(), "gone"), archive.ErrNotEnded)
	require.ErrorIs(t, a.Remove(t.Context(), "nobody"), archive.ErrNotFound)
	require.Len(t, WindowsIn(t, a, gone), 1)

	require.NoError(t, a.Apply(t.Context(), archive.Change{Suite: "gone", Status: result.Cancelled}))
	require.NoError(t, a.Remove(t.Context(), "gone"))
	require.ErrorIs(t, a.Remove(t.Context(), "gone"), archive.ErrNotFound)
	_, err := a.Run(t.Context(), gone)
	require.ErrorIs(t, err, archive.ErrNotFound)
	receipts, err := a.AddWindows(t.Context(), []latency.Window{WindowOf(latency.WindowID{Run: gone, Phase: "measure"}, 12)})
	require.NoError(t, err)
	require.ErrorIs(t, receipts[0].Err, archive.ErrNotFound, "a late window does not bring a run back")

	require.Len(t, WindowsIn(t, a, kept), 1)
}

func testOldSuitesExpire(t *testing.T, open Open) {
	a := open(t, t.TempDir())
	limit := time.Unix(1_000_000, 0)
	for name, ended := range map[string]time.Time{"old": limit.Add(-time.Hour), "older": limit.Add(-2 * time.Hour), "young": limit, "running": {}} {
		run := Create(t, a, name)
		Add(t, a, WindowOf(latency.WindowID{Run: run, Phase: "measure"}, 500))
		if !ended.IsZero() {
			last := RunOf(name, "1")
			last.Status, last.Ended = result.Complete, ended
			require.NoError(t, a.Apply(t.Context(), archive.Change{Runs: []archive.RunRecord{last}, Suite: name, Status: result.Complete}))
		}
	}
	before, err := a.Size(t.Context())
	require.NoError(t, err)
	gone, err := a.Expire(t.Context(), limit)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"old", "older"}, gone)
	after, err := a.Size(t.Context())
	require.NoError(t, err)
	require.Less(t, after, before)
	for _, name := range gone {
		_, err := a.Suite(t.Context(), name)
		require.ErrorIs(t, err, archive.ErrNotFound)
		_, err = a.Run(t.Context(), name+".1")
		require.ErrorIs(t, err, archive.ErrNotFound)
	}
	for _, name := range []string{"young", "running"} {
		require.Len(t, WindowsIn(t, a, name+".1"), 1)
	}
	gone, err = a.Expire(t.Context(), limit)
	require.NoError(t, err)
	require.Empty(t, gone)
}

func testUnknownIDsAreNotFound(t *testing.T, open Open) {
	a := open(t, t.TempDir())
	_, err := a.Suite(t.Context(), "s")
	require.ErrorIs(t, err, archive.ErrNotFound)
	require.EqualError(t, err, "find suite s: not in the archive")
	_, err = a.Run(t.Context(), "s.1")
	require.ErrorIs(t, err, archive.ErrNotFound)
	require.ErrorIs(t, a.Apply(t.Context(), archive.Change{Suite: "s", Status: result.Failed}), archive.ErrNotFound)
	require.ErrorIs(t, a.Apply(t.Context(), archive.Change{Runs: []archive.RunRecord{RunOf("s", "1")}}), archive.ErrNotFound)
	require.ErrorIs(t, a.Apply(t.Context(), archive.Change{Events: []archive.Event{{Run: "s.1"}}}), archive.ErrNotFound)
	runs, err := a.Runs(t.Context(), "s")
	require.NoError(t, err)
	require.Empty(t, runs)
	require.Empty(t, WindowsIn(t, a, "s.1"))
}

func testRunsAreAppended(t *testing.T, open Open) {
	a := open(t, t.TempDir())
	Create(t, a, "s")
	before, err := a.Runs(t.Context(), "s")
	require.NoError(t, err)
	require.NoError(t, a.AddRuns(t.Context(), "s", result.Queued, []archive.RunRecord{RunOf("s", "8"), RunOf("s", "9")}))
	after, err := a.Runs(t.Context(), "s")
	require.NoError(t, err)
	require.Len(t, after, len(before)+2)
	require.Equal(t, "s.9", after[len(after)-1].ID)

	require.ErrorIs(t, a.AddRuns(t.Context(), "s", result.Failed, []archive.RunRecord{RunOf("s", "10"), RunOf("s", "8")}), archive.ErrExists)
	again, err := a.Runs(t.Context(), "s")
	require.NoError(t, err)
	require.Equal(t, after, again, "all or nothing")
	suite, err := a.Suite(t.Context(), "s")
	require.NoError(t, err)
	require.Equal(t, result.Queued, suite.Status)
	require.ErrorIs(t, a.AddRuns(t.Context(), "nobody", result.Queued, nil), archive.ErrNotFound)
	require.ErrorIs(t, a.AddRuns(t.Context(), "s", result.Queued, []archive.RunRecord{RunOf("t", "1")}), archive.ErrInvalid)
}
