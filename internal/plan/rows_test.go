package plan

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/benchd/benchd/internal/workload"
)

func rowsOf(c workload.Config) Settings { return Settings{Run: true, Workload: c} }

func loadOf(start, count, records int64) Settings {
	return Settings{Load: true, Workload: workload.Config{InsertStart: start, InsertCount: count, RecordCount: records}}
}

var (
	readAll   = workload.Proportions{Read: 1}
	insertAll = workload.Proportions{Insert: 1}
	both      = workload.Proportions{Read: 0.5, Insert: 0.5}
)

func TestARunIsAdjustedToTheExistingRows(t *testing.T) {
	filled := Written{Settings: loadOf(0, 0, 1000), Loaded: true, Whole: true}
	inserted := func(base, below, steady int64) Written {
		return Written{
			Settings: rowsOf(workload.Config{RecordCount: 1000, InsertBase: base, Proportions: both, OperationCount: 500}), Ran: true,
			InsertedBelow: below, Steady: steady, Shards: 2,
		}
	}
	endless := inserted(0, 0, 0)
	endless.Settings.Workload.OperationCount = 0
	warmed := inserted(0, 0, 0)
	warmed.Settings.Warmup = time.Second
	for name, test := range map[string]struct {
		before []Written
		next   Settings
		fills  bool
		emptid bool
		want   []Change
		fails  string
	}{
		"the first run inserts behind what was filled": {
			[]Written{filled}, rowsOf(workload.Config{RecordCount: 1000, Proportions: both}), false, false, nil, "",
		},
		"and so it does where it counts on more": {
			[]Written{filled},
			rowsOf(workload.Config{RecordCount: 5000, Proportions: insertAll}), false, false,
			[]Change{{Key: "insertbase", Value: "1000"}},
			"",
		},
		"a later one inserts behind its inserts": {
			[]Written{filled, inserted(0, 1321, 1300)},
			rowsOf(workload.Config{RecordCount: 1000, Proportions: both}), false, false,
			[]Change{{Key: "insertbase", Value: "1321"}},
			"",
		},
		"a run that expects fewer rows still inserts behind all existing ones": {
			[]Written{filled, inserted(0, 1321, 1300)},
			rowsOf(workload.Config{RecordCount: 1321, Proportions: both}), false, false,
			[]Change{{Key: "insertbase", Value: "1321"}, {"recordcount", "1300", "only 1300 of the 1321 requested rows exist"}},
			"",
		},
		"behind all that a lost agent may have inserted": {
			[]Written{filled, inserted(0, 0, 1300)},
			rowsOf(workload.Config{RecordCount: 1000, Proportions: insertAll}), false, false,
			[]Change{{Key: "insertbase", Value: "2002"}},
			"",
		},
		"however long it may have gone on": {
			[]Written{filled, endless},
			rowsOf(workload.Config{RecordCount: 1000, Proportions: insertAll}), false, false,
			[]Change{{Key: "insertbase", Value: "68719477736"}},
			"",
		},
		"or warmed up": {
			[]Written{filled, warmed},
			rowsOf(workload.Config{RecordCount: 1000, Proportions: insertAll}), false, false,
			[]Change{{Key: "insertbase", Value: "68719477736"}},
			"",
		},
		"further up if it says so": {
			[]Written{filled, inserted(0, 1321, 1300)}, rowsOf(workload.Config{RecordCount: 1000, InsertBase: 9000, Proportions: insertAll}), false, false, nil, "",
		},
		"a run that only reads moves nothing": {
			[]Written{filled, inserted(0, 1321, 1300)}, rowsOf(workload.Config{RecordCount: 1000, Proportions: readAll}), false, false, nil, "",
		},
		"missing rows are not read": {
			[]Written{filled},
			rowsOf(workload.Config{RecordCount: 5000, Proportions: readAll}), false, false,
			[]Change{{"recordcount", "1000", "only 1000 of the 5000 requested rows exist"}},
			"",
		},
		"inserts without a gap are read": {
			[]Written{filled, inserted(0, 1321, 1300)},
			rowsOf(workload.Config{RecordCount: 5000, Proportions: readAll}), false, false,
			[]Change{{"recordcount", "1300", "only 1300 of the 5000 requested rows exist"}},
			"",
		},
		"those behind a gap are not": {
			[]Written{filled, inserted(0, 1321, 1300), inserted(1321, 1500, 1500)},
			rowsOf(workload.Config{RecordCount: 5000, Proportions: readAll}), false, false,
			[]Change{{"recordcount", "1300", "only 1300 of the 5000 requested rows exist"}},
			"",
		},
		"a range is shortened, too": {
			[]Written{filled},
			rowsOf(workload.Config{RecordCount: 1200, InsertStart: 900, InsertCount: 300, Proportions: readAll}), false, false,
			[]Change{{"recordcount", "1000", "only 1000 of the 1200 requested rows exist"}, {"insertcount", "100", "only 100 of the 300 requested rows exist"}},
			"",
		},
		"none to ask for": {
			[]Written{{Settings: loadOf(0, 0, 1000), Loaded: true}},
			rowsOf(workload.Config{RecordCount: 1000, Proportions: readAll}), false, false, nil,
			"it reads rows 0 to 999, but none of them exists: of the rows that this suite has written for it, none exists; check whether the run that loads them is complete",
		},
		"a load goes on behind": {
			[]Written{filled, inserted(0, 1321, 1300)},
			loadOf(0, 0, 500), false, false,
			[]Change{{"insertstart", "1321", "rows up to 1320 were written by earlier runs of the suite"}, {Key: "insertcount", Value: "500"}, {Key: "recordcount", Value: "1821"}},
			"",
		},
		"unless it fills": {[]Written{filled}, loadOf(0, 0, 1000), true, false, nil, ""},
		"or empties the table first": {
			[]Written{filled, inserted(0, 1321, 1300)}, loadOf(0, 0, 1000), false, true, nil, "",
		},
		"after which it starts again": {
			[]Written{filled, inserted(0, 1321, 1300), {Settings: loadOf(0, 0, 200), Loaded: true, Whole: true, Emptied: true}},
			rowsOf(workload.Config{RecordCount: 1000, Proportions: both}), false, false,
			[]Change{{Key: "insertbase", Value: "200"}, {"recordcount", "200", "only 200 of the 1000 requested rows exist"}},
			"",
		},
		"a load that is followed by a run": {
			[]Written{filled},
			Settings{Load: true, Run: true, Workload: workload.Config{RecordCount: 300, Proportions: both}},
			false, false,
			[]Change{{"insertstart", "1000", "rows up to 999 were written by earlier runs of the suite"}, {"insertcount", "300", ""}, {Key: "recordcount", Value: "1300"}},
			"",
		},
		"a run that failed before its start changes nothing": {
			[]Written{filled, {Settings: rowsOf(workload.Config{RecordCount: 1000, Proportions: both})}},
			rowsOf(workload.Config{RecordCount: 1000, Proportions: both}), false, false, nil, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := RowsBefore([]Settings{loadOf(0, 0, 1000)})
			for _, w := range test.before {
				r.Add(w)
			}
			test.next.Empties = test.emptid
			got, err := r.Fit(test.next, test.fills)
			if test.fails != "" {
				require.EqualError(t, err, test.fails)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.want, got)
		})
	}
}

// Rows of before the suite are expected as the file declares; inserts start behind the largest count.
func TestRowsThatTheSuiteHasNotWrittenAreCountedOn(t *testing.T) {
	few, many := rowsOf(workload.Config{RecordCount: 1000, Proportions: both}), rowsOf(workload.Config{RecordCount: 5000, Proportions: both})
	r := RowsBefore([]Settings{few, many, loadOf(0, 0, 9000)})
	got, err := r.Fit(few, false)
	require.NoError(t, err)
	require.Equal(t, []Change{{Key: "insertbase", Value: "5000"}}, got)
	got, err = r.Fit(many, false)
	require.NoError(t, err)
	require.Empty(t, got)
}

func TestRowNumbersThatInsertsLeftOutAreKnownUntilTheTableIsEmptied(t *testing.T) {
	run := rowsOf(workload.Config{RecordCount: 1000, Proportions: both})
	r := RowsBefore([]Settings{run})
	r.Add(Written{Settings: run, Ran: true, InsertedBelow: 1321, Steady: 1300, Gap: Gap{1300, 1320}})
	r.Add(Written{Settings: run, Ran: true, InsertedBelow: 1500, Steady: 1500})
	require.Equal(t, []Gap{{1300, 1320}}, r.Gaps())
	r.Add(Written{Settings: loadOf(0, 0, 1000), Emptied: true, Loaded: true, Whole: true})
	require.Empty(t, r.Gaps())
}

// Whatever the runs of a suite do, and however they end, none inserts a row that another one may have inserted.
func TestNoRunInsertsTheRowsOfAnother(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.Int64Range(0, 5000)
		r := RowsBefore([]Settings{loadOf(0, 0, 1000)})
		r.Add(Written{Settings: loadOf(0, 0, 1000), Loaded: true, Whole: true})
		top := int64(1000)
		for range rapid.IntRange(1, 20).Draw(t, "runs") {
			c := workload.Config{
				RecordCount: 1 + count.Draw(t, "recordcount"), OperationCount: count.Draw(t, "operationcount"),
				InsertBase: count.Draw(t, "insertbase") * rapid.Int64Range(0, 1).Draw(t, "given"), Proportions: insertAll,
			}
			s := Settings{Run: true, Workload: c}
			if rapid.Bool().Draw(t, "load") {
				s = loadOf(count.Draw(t, "insertstart"), c.OperationCount, c.RecordCount)
			}
			changes, err := r.Fit(s, false)
			require.NoError(t, err)
			for _, change := range changes {
				var n int64
				for _, digit := range change.Value {
					n = 10*n + int64(digit-'0')
				}
				switch change.Key {
				case insertBase:
					s.Workload.InsertBase = n
				case insertStart:
					s.Workload.InsertStart = n
				case insertCount:
					s.Workload.InsertCount = n
				case recordCount:
					s.Workload.RecordCount = n
				}
			}
			w := Written{Settings: s, Loaded: s.Load, Ran: s.Run, Whole: rapid.Bool().Draw(t, "whole"), Shards: 1}
			first, end := s.Workload.InsertStart, s.Workload.InsertStart+s.Workload.LoadCount()
			if s.Run {
				first = s.Workload.FirstInsert()
				end = first + count.Draw(t, "inserted")
				if c.OperationCount > 0 {
					end = min(end, first+c.OperationCount)
				}
				if rapid.Bool().Draw(t, "heard") {
					w.InsertedBelow = end
				}
			}
			require.GreaterOrEqual(t, first, top)
			top = max(top, end)
			r.Add(w)
		}
	})
}

// Every run that restores the same snapshot finds, reads and inserts the same rows, whatever the runs before it have inserted.
func TestARestoredTableHasTheRowsOfItsSnapshot(t *testing.T) {
	fill := loadOf(0, 0, 1000)
	fill.RowsAfterLoad = []RowsChange{{Kind: SaveRows}}
	run := rowsOf(workload.Config{RecordCount: 1000, Proportions: both, OperationCount: 500})
	restoring := run
	restoring.RowsBeforeRun = []RowsChange{{Kind: RestoreRows}}
	inserted := Written{Settings: run, Ran: true, InsertedBelow: 1321, Steady: 1300, Gap: Gap{1300, 1320}, Shards: 1}
	restored := inserted
	restored.Settings = restoring

	fit := func(r Rows, s Settings) []Change {
		t.Helper()
		got, err := r.Fit(s, false)
		require.NoError(t, err)
		return got
	}
	r := RowsBefore([]Settings{fill, restoring, restoring, run})
	r.Add(Written{Settings: fill, Loaded: true, Whole: true})
	for range 3 {
		require.Empty(t, fit(r, restoring), "inserts begin at row 1000 each time")
		r.Add(restored)
	}
	require.Equal(t, []Change{{Key: "insertbase", Value: "1321"}}, fit(r, run))
	require.Equal(t, []Gap{{1300, 1320}}, r.Gaps(), "of the last run only")
	require.Empty(t, fit(r, restoring))

	t.Run("a restore that may not have happened", func(t *testing.T) {
		r := r
		r.Add(Written{Settings: restoring})
		require.Equal(t, []Change{{Key: "insertbase", Value: "1321"}}, fit(r, run))
	})
	t.Run("a snapshot of before the suite", func(t *testing.T) {
		r := RowsBefore([]Settings{restoring, restoring})
		r.Add(restored)
		require.Empty(t, fit(r, restoring))
	})
	t.Run("a snapshot of unknown rows", func(t *testing.T) {
		other := restoring
		other.RowsBeforeRun = []RowsChange{{Kind: RestoreRows, Snapshot: "other"}}
		require.Equal(t, []Change{{Key: "insertbase", Value: "1321"}}, fit(r, other))
	})
	t.Run("an empty table", func(t *testing.T) {
		empty := rowsOf(workload.Config{RecordCount: 1000, Proportions: insertAll})
		empty.RowsBeforeRun = []RowsChange{{Kind: EmptyTable}}
		require.Empty(t, fit(r, empty), "inserts begin at recordcount, as without a suite")
		empty.Workload.Proportions = both
		_, err := r.Fit(empty, false)
		require.ErrorContains(t, err, "none exists")
	})
}

func TestAnActionIsReadAsItIsWritten(t *testing.T) {
	for _, a := range []Action{
		{Name: "flush"},
		{Name: "restore", Args: map[string]string{"name": "base", "table": "n:t"}},
		{Name: Hook, Args: map[string]string{HookArg: "restart"}},
		{},
	} {
		require.Equal(t, a, ParseAction(a.String()))
	}
}
