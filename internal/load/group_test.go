package load_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/workload"
)

// beside is a run of two groups: open reads of a fast target, and closed scans of a slow one.
func beside(t *testing.T) (plan.Settings, func(*load.Config)) {
	t.Helper()
	scans := readers()
	scans.Proportions = workload.Proportions{Scan: 1}
	s := settings(readers(), 0)
	s.Duration = time.Second
	s.Groups = []plan.Group{
		{Name: "reads", Settings: openLoop(settings(readers(), 3), 100)},
		{Name: "scans", Settings: settings(scans, 2)},
	}
	return s, func(c *load.Config) {
		c.Shard.Workers = 5
		c.Targets = map[string]load.Target{"reads": nullTarget(t, "2ms"), "scans": nullTarget(t, "20ms")}
	}
}

func TestGroupsWorkBesideEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, change := beside(t)
		r := newRig(t, s, nullTarget(t, "1h"), change) // no group is on the run's own target
		r.in(t, time.Second, plan.Measure)
		r.finish(t)

		end := r.end(t, plan.Measure)
		ordered(t, r.windows, end)
		counted, ops := make(map[string]latency.GroupCount), make(map[string]uint64)
		for _, w := range r.windows {
			require.Len(t, w.Groups, 2)
			var issued uint64
			for _, g := range w.Groups {
				require.GreaterOrEqual(t, g.Issued, counted[g.Name].Issued)
				g.Rows += counted[g.Name].Rows
				counted[g.Name] = g
				issued += g.Issued
			}
			require.Equal(t, issued, w.Issued)
			for _, series := range w.Series {
				if series.Key.PartOf == "" {
					ops[series.Key.Op] += series.Response.Count()
				}
			}
		}
		// 100 reads a second by the schedule; two workers with scans of 20 ms.
		require.Equal(t, map[string]uint64{"reads.READ": 100, "scans.SCAN": 100}, ops)
		for name, n := range counted {
			require.EqualValues(t, 100, n.Issued, name)
			require.EqualValues(t, 100, n.Recorded, name)
		}
		require.EqualValues(t, 100, counted["reads"].Rows)
		all, _, _ := merged(t, r.windows)
		for key, want := range map[string]time.Duration{"reads.READ": 2 * time.Millisecond, "scans.SCAN": 20 * time.Millisecond} {
			for _, series := range all.Series() {
				if series.Key.Op == key {
					require.EqualValues(t, want, series.Response.Max(), key)
				}
			}
		}
	})
}

// The lateness of a window is that of its open loops: operations of a closed one were sent when they were intended.
func TestLatenessIsThatOfTheOpenGroups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, change := beside(t)
		r := newRig(t, s, nullTarget(t, "1h"), change)
		r.in(t, 0, plan.Measure)
		r.finish(t)
		var late uint64
		for _, w := range r.windows {
			if w.Lateness != nil {
				late += w.Lateness.Count()
			}
		}
		require.EqualValues(t, 100, late)
	})
}

// A warm-up changes over for all groups at one instant, and each counts from there on.
func TestGroupsChangeOverTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, change := beside(t)
		s.Warmup = 300 * time.Millisecond
		r := newRig(t, s, nullTarget(t, "1h"), change)
		r.in(t, 0, plan.Warmup)
		r.finish(t)
		for phase, want := range map[plan.PhaseName]float64{plan.Warmup: 30, plan.Measure: 100} {
			windows := r.of(phase)
			ordered(t, windows, r.end(t, phase))
			for _, g := range windows[len(windows)-1].Groups {
				require.InDelta(t, want, g.Recorded, 3, "%s of %s", g.Name, phase)
			}
		}
	})
}

func TestAShardHasTheWorkersOfAllGroups(t *testing.T) {
	s, change := beside(t)
	s.Groups[0].Settings.Threads = 4
	r, err := load.New(load.Config{
		Target: nullTarget(t, "1ms"), Settings: s, Clock: new(sleepy), Emit: func(*latency.Window) {},
		Shard: plan.Shard{Run: "S.1", Count: 1, Attempt: 1, Agent: "a", Workers: 5, Phases: plan.Phases(s)},
	})
	require.NoError(t, err)
	_ = change
	require.ErrorContains(t, r.Prepare(t.Context()), "it has 5 workers, but its settings demand 6")
}

// At most one group inserts, and the shard's progress is that of its rows.
func TestTheProgressOfInsertsIsThatOfTheGroupThatInserts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, change := beside(t)
		s.Groups[1].Name = "writes"
		s.Groups[1].Settings.Workload.Proportions = workload.Proportions{Insert: 1}
		r := newRig(t, s, nullTarget(t, "20ms"), change, func(c *load.Config) { delete(c.Targets, "scans") })
		r.in(t, 0, plan.Measure)
		r.finish(t)
		end := r.end(t, plan.Measure)
		require.EqualValues(t, 100, end.InsertedRows)
		require.EqualValues(t, 1100, end.InsertedBelow)
		last := r.windows[len(r.windows)-1]
		require.EqualValues(t, 1100, last.Watermark)
		for _, series := range last.Series {
			require.True(t, strings.HasPrefix(series.Key.Op, "reads.") || strings.HasPrefix(series.Key.Op, "writes."), series.Key.Op)
		}
	})
}
