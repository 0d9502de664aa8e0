package load_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/workload"
)

// retrying is a target that retries each operation once.
type retrying struct {
	load.Target

	tries atomic.Uint64
}

func (r *retrying) Retries() map[string]uint64 {
	return map[string]uint64{"Busy": r.tries.Load(), "never": 0}
}

func (r *retrying) Open(ctx context.Context, worker int) (load.Session, error) {
	s, err := r.Target.Open(ctx, worker)
	return retryingSession{s, r}, err
}

type retryingSession struct {
	load.Session

	target *retrying
}

func (s retryingSession) Do(ctx context.Context, op *workload.Op) workload.Outcome {
	s.target.tries.Add(1)
	return s.Session.Do(ctx, op)
}

func TestEachWindowHasItsRetriesByCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := settings(readers(), 2)
		s.Duration = 450 * time.Millisecond
		target := &retrying{Target: nullTarget(t, "constant 1ms")}
		target.tries.Store(7)
		r := newRig(t, s, target)
		r.in(t, time.Second, plan.Measure)
		r.finish(t)
		var sum uint64
		for i, w := range r.of(plan.Measure) {
			if i < 4 {
				require.InDelta(t, 200, w.Retries["Busy"], 4, "window %d: two workers, an operation a millisecond", i)
			}
			require.NotContains(t, w.Retries, "never")
			sum += w.Retries["Busy"]
		}
		require.Equal(t, target.tries.Load()-7, sum, "retries before the phase are left out")
	})
}

func TestATargetThatDoesNotRetryHasNoRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := settings(readers(), 1)
		s.Duration = 200 * time.Millisecond
		r := newRig(t, s, nullTarget(t, "constant 1ms"))
		r.in(t, time.Second, plan.Measure)
		r.finish(t)
		for _, w := range r.windows {
			require.Nil(t, w.Retries)
		}
	})
}
