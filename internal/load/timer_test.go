package load_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/alarm"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/plan"
)

var errTimer = errors.New("the timer is broken")

// failing is a timer that fails after some waits.
type failing struct {
	*alarm.Alarm
	left *atomic.Int64
}

func (f failing) Wait(ctx context.Context, d time.Duration) error {
	if f.left.Add(-1) < 0 {
		return errTimer
	}
	return f.Alarm.Wait(ctx, d)
}

func TestATimerThatFailsEndsThePhaseWithItsReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openLoop(settings(readers(), 4), 1000)
		s.Duration = time.Minute
		r := newRig(t, s, nullTarget(t, "1ms"))
		var left atomic.Int64
		left.Store(500)
		r.UseTimers(func() (load.Timer, error) { return failing{alarm.NewPlain(), &left}, nil })
		r.in(t, time.Second, plan.Measure)
		r.finish(t)
		end := r.end(t, plan.Measure)
		require.ErrorIs(t, end.Err, errTimer)
		require.ErrorContains(t, end.Err, "wait for the next operation of worker")
		require.Less(t, end.At, 5*time.Second, "the others do not go on without it")
	})
}

func TestAPacedWorkerWithoutAPreciseTimerDoesNotWork(t *testing.T) {
	for name, test := range map[string]struct {
		settings plan.Settings
		refused  bool
	}{
		"open loop":   {settings: openLoop(settings(readers(), 2), 100), refused: true},
		"closed loop": {settings: settings(readers(), 2)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				test.settings.Duration = 250 * time.Millisecond
				r := newRig(t, test.settings, nullTarget(t, "1ms"))
				r.UseTimers(func() (load.Timer, error) { return nil, errTimer })
				r.in(t, time.Second, plan.Measure)
				r.finish(t)
				end := r.end(t, plan.Measure)
				if test.refused {
					require.ErrorIs(t, end.Err, errTimer)
					require.Zero(t, end.Issued)
					return
				}
				require.NoError(t, end.Err)
				require.NotZero(t, end.Issued)
			})
		})
	}
}
