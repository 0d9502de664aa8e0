package load_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/workload"
)

// loaders is a workload of rows to load.
func loaders(rows int64, batch int) workload.Config {
	c := readers()
	c.RecordCount, c.BatchSize = rows, batch
	return c
}

func loading(c workload.Config, threads int) plan.Settings {
	s := settings(c, threads)
	s.Load, s.Run = true, false
	return s
}

func insertsIn(w *latency.Window) (n int64) {
	for _, s := range w.Series {
		if s.Key.Op == "INSERT" {
			n += int64(s.Response.Count())
		}
	}
	return n
}

// A load is broken off after any of its windows and continued from there: every row is counted once, however long inserts
// take.
func TestEachWindowOfALoadReportsItsProgress(t *testing.T) {
	for name, test := range map[string]struct {
		service string
		batch   int
	}{
		"constant": {"1ms", 1},
		"drawn":    {"lognormal 3ms 1.0", 1},
		"stalls":   {"stall 1ms 150ms/400ms", 1},
		"batches":  {"bimodal 2ms 180ms 5%", 7},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const rows, workers = 3001, 4
				s := loading(loaders(rows, test.batch), workers)
				r := newRig(t, s, nullTarget(t, test.service))
				r.in(t, time.Millisecond, plan.Load)
				r.finish(t)
				require.Greater(t, len(r.windows), 3)

				var begins []int64
				for i := range int64(workers) {
					begins = append(begins, rows/workers*i+min(i, rows%workers))
				}
				var counted int64
				for _, w := range r.windows {
					counted += int64(w.Rows)
					if test.batch == 1 {
						require.EqualValues(t, w.Rows, insertsIn(w))
					}
					var loaded int64
					for i, row := range w.Loaded {
						loaded += row - begins[i]
					}
					require.Len(t, w.Loaded, workers)
					require.Equal(t, counted, loaded, "window %d", w.ID.Seq)
				}
				require.EqualValues(t, rows, counted)

				broken := r.windows[len(r.windows)/2]
				again := newRig(t, s, nullTarget(t, test.service), func(c *load.Config) {
					c.Shard.Attempt, c.Shard.Loaded = 2, broken.Loaded
				})
				again.in(t, time.Millisecond, plan.Load)
				again.finish(t)
				var sum int64
				for _, w := range r.windows[:broken.ID.Seq+1] {
					sum += int64(w.Rows)
				}
				for _, w := range again.windows {
					sum += int64(w.Rows)
					require.Equal(t, 2, w.ID.Attempt)
				}
				require.EqualValues(t, rows, sum, "each row once")
			})
		})
	}
}

// A machine that stalls cuts windows late, when later ones have ended, too. Each window still reports the progress of the operations
// in it: a load that is broken off there and continued counts each row, and each operation, once.
func TestLateWindowsReportTheirOwnProgress(t *testing.T) {
	for _, late := range []time.Duration{150 * time.Millisecond, 250 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			const rows, workers = 3001, 4
			r := newRig(t, loading(loaders(rows, 1), workers), nullTarget(t, "lognormal 2ms 0.5"), func(c *load.Config) {
				emit := c.Emit
				c.Emit = func(w *latency.Window) {
					emit(w)
					if w.ID.Seq%4 == 1 {
						<-time.After(late) // no window is cut meanwhile
					}
				}
			})
			r.in(t, time.Millisecond, plan.Load)
			r.finish(t)
			require.Greater(t, len(r.windows), 8)
			for _, w := range r.windows {
				require.EqualValues(t, w.Rows, insertsIn(w), "window %d, %s late", w.ID.Seq, late)
			}
		})
	}
}

func TestOnlyALoadReportsItsProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := settings(readers(), 2)
		s.Duration = 250 * time.Millisecond
		r := newRig(t, s, nullTarget(t, "1ms"))
		r.in(t, time.Millisecond, plan.Measure)
		r.finish(t)
		for _, w := range r.windows {
			require.Nil(t, w.Loaded)
			require.Zero(t, insertsIn(w))
		}
	})
}
