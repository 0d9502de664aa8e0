package load_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/plan"
)

// Workers read a phase's end by the agent's clock. The windows reach the end in the run's time even if that clock shows the
// end a nanosecond early by rounding, or a moment early because the time base was adjusted after the workers had read it.
func TestWindowsReachThePlannedEnd(t *testing.T) {
	const length = time.Second
	for _, rate := range []float64{0, 3e-6, -3e-6, 17.3e-6, -17.3e-6, 100e-6} {
		for _, open := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				s := settings(readers(), 4)
				if open {
					s = openLoop(s, 1000)
				}
				s.Duration = length
				r := newRig(t, s, nullTarget(t, "constant 1ms"))
				r.base = clock.NewTimebase(clock.Line{X: r.clock.Now(), Y: 5e9, Rate: rate})
				start := r.now() + int64(time.Second)
				require.NoError(t, r.Start(plan.Measure, start, r.base))
				// The run's time slows down just before the end, after the cutter has read it for the last time.
				<-time.After(time.Duration(r.base.Local(start+int64(length)) - r.clock.Now() - int64(20*time.Microsecond)))
				now := r.clock.Now()
				r.base.Adjust(now, clock.Line{X: now, Y: r.base.RunTime(now) - int64(time.Millisecond), Rate: rate})
				r.finish(t)
				ended(t, r.found, length)
			})
		}
	}
}

// ended checks that the windows of measuring cover exactly the phase's planned length, and that a tail follows them.
func ended(t *testing.T, f *found, length time.Duration) {
	t.Helper()
	windows := f.of(plan.Measure)
	ordered(t, windows, f.end(t, plan.Measure))
	_, _, until := merged(t, windows)
	require.Equal(t, length, until)
	require.True(t, windows[len(windows)-1].Tail)
}
