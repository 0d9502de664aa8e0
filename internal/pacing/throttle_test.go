package pacing

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestThrottleOfFastWorkersBeginsAtOnceAndKeepsItsPlan(t *testing.T) {
	throttle := NewThrottle(Config{CatchUp: 6000}, 0, 0, 3, 1)
	for k := range 10 {
		require.Equal(t, time.Duration(k)*500*time.Microsecond, throttle.Claim())
	}
	throttle.ops = 6000 * 3600 * 24 // three days of 2000 a second: no tick was rounded
	require.Equal(t, 72*time.Hour, throttle.Claim())
}

func TestThrottleOfSlowWorkersBeginsWithinATick(t *testing.T) {
	seen := map[time.Duration]bool{}
	for worker := range 20 {
		throttle := NewThrottle(Config{CatchUp: 100}, 1, worker, 20, 1)
		first := throttle.Claim()
		require.GreaterOrEqual(t, first, time.Duration(0))
		require.Less(t, first, 200*time.Millisecond)
		require.InDelta(t, first+200*time.Millisecond, throttle.Claim(), 1)
		require.InDelta(t, first+400*time.Millisecond, throttle.Claim(), 1)
		require.False(t, seen[first], "workers begin together")
		seen[first] = true
		require.Equal(t, first, NewThrottle(Config{CatchUp: 100}, 1, worker, 20, 1).Claim(), "the seed repeats it")
	}
}

func TestThereIsNoThrottleWithoutARate(t *testing.T) {
	require.Nil(t, NewThrottle(Config{}, 0, 0, 1, 1))
}
