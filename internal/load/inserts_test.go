package load_test

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/workload"
)

// shelf is a session that remembers which key numbers were read. It serves in 1 ms.
type shelf struct {
	mu   sync.Mutex
	read map[int64]bool
}

func (s *shelf) Do(ctx context.Context, op *workload.Op) workload.Outcome {
	if op.Kind == workload.Read {
		n, err := strconv.ParseInt(strings.TrimPrefix(string(op.Key), "user"), 10, 64)
		if err != nil {
			return workload.Outcome{Code: workload.Error, Err: err}
		}
		s.mu.Lock()
		s.read[n] = true
		s.mu.Unlock()
	}
	select {
	case <-ctx.Done():
	case <-time.After(time.Millisecond):
	}
	return workload.Outcome{Code: workload.OK, Rows: 1}
}

func (*shelf) Close(context.Context) error { return nil }

// library is a target of one shelf.
type library struct{ *shelf }

func (l library) Open(context.Context, int) (load.Session, error) { return l.shelf, nil }

func (library) Close() error { return nil }

// A shard reports its inserts, and reads those of others only below the watermark of all.
func TestWatermarksOfInserts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := readers()
		w.Ordered, w.RequestDistribution = true, workload.Latest
		w.Proportions = workload.Proportions{Read: 0.5, Insert: 0.5}
		s := settings(w, 1)
		s.Duration = time.Second
		target := &shelf{read: make(map[int64]bool)}
		r := newRig(t, s, library{target}, func(c *load.Config) { c.Shard.Count = 2 })
		r.in(t, 0, plan.Measure)
		<-time.After(500*time.Millisecond + 500*time.Microsecond)
		synctest.Wait() // for the worker
		others := func() (n int) {
			target.mu.Lock()
			defer target.mu.Unlock()
			for key := range target.read {
				if key >= w.RecordCount && (key-w.RecordCount)%2 == 1 {
					n++
				}
			}
			return n
		}
		require.Zero(t, others(), "the watermark of the other shard is unknown")
		const known = 1200
		r.SetWatermark(known)
		r.finish(t)
		require.NotZero(t, others())
		for key := range target.read {
			require.True(t, key < known || key%2 == 0, "key %d may not exist", key)
		}

		last := w.RecordCount
		for i, window := range r.windows {
			require.GreaterOrEqual(t, window.Watermark, last, "window %d", i)
			last = window.Watermark
		}
		var inserted int64
		all, _, _ := merged(t, r.windows)
		for _, series := range all.Series() {
			if series.Key.Op == "INSERT" {
				inserted += int64(series.Response.Count())
			}
		}
		require.Equal(t, w.RecordCount+2*inserted, last)
		require.Equal(t, inserted, r.end(t, plan.Measure).InsertedRows)
	})
}

func TestARunWithoutInsertsHasNoWatermark(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := settings(readers(), 1)
		s.Duration = 100 * time.Millisecond
		r := newRig(t, s, nullTarget(t, "1ms"))
		r.in(t, 0, plan.Measure)
		r.finish(t)
		r.SetWatermark(5) // without effect
		for _, window := range r.windows {
			require.Zero(t, window.Watermark)
		}
	})
}
