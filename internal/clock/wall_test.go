package clock_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/clock"
)

func TestAJumpMovesTheWallClockAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := clock.NewSource(clock.Skew{Offset: time.Hour, Jumps: []clock.Jump{{time.Minute, 5 * time.Hour}, {2 * time.Minute, -8 * time.Hour}}})
		began, start, mono := s.Wall(), s.Now(), clock.Mono()
		require.Equal(t, start, began.UnixNano(), "they agree until the clock is set")
		for _, jumped := range []time.Duration{0, 5 * time.Hour, -3 * time.Hour} {
			passed := mono.Elapsed()
			require.Equal(t, passed+jumped, s.Wall().Sub(began))
			require.EqualValues(t, passed, s.Now()-start)
			<-time.After(time.Minute)
		}
	})
}

func TestADriftMovesTheWallClockToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := clock.NewSource(clock.Skew{Drift: 0.01})
		<-time.After(100 * time.Second)
		require.Equal(t, s.Now(), s.Wall().UnixNano())
		require.Equal(t, time.Second, time.Until(s.Wall()))
	})
}

// TestAForwardJumpSettlesAfterADay protects archives: deletion by age may be late, but never early.
func TestAForwardJumpSettlesAfterADay(t *testing.T) {
	const h = time.Hour
	for name, c := range map[string]struct {
		jumps []clock.Jump
		want  map[time.Duration]time.Duration // by instant: how far the date is ahead of the elapsed time
	}{
		"never set":                  {nil, map[time.Duration]time.Duration{h: 0, 48 * h: 0}},
		"forward":                    {[]clock.Jump{{h, 5 * h}}, map[time.Duration]time.Duration{2 * h: 0, 24 * h: 0, 26 * h: 5 * h}},
		"back":                       {[]clock.Jump{{h, -5 * h}}, map[time.Duration]time.Duration{2 * h: -5 * h, 48 * h: -5 * h}},
		"forward, then back":         {[]clock.Jump{{h, 5 * h}, {3 * h, -5 * h}}, map[time.Duration]time.Duration{2 * h: 0, 4 * h: 0, 48 * h: 0}},
		"forward, then further back": {[]clock.Jump{{h, 5 * h}, {3 * h, -8 * h}}, map[time.Duration]time.Duration{2 * h: 0, 4 * h: -3 * h}},
		"a little, then far": {
			[]clock.Jump{{h, time.Second}, {24 * h, 1000 * h}},
			map[time.Duration]time.Duration{24 * h: 0, 26 * h: time.Second, 48 * h: time.Second, 51 * h: time.Second + 1000*h},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := clock.NewSource(clock.Skew{Jumps: c.jumps})
				settled := clock.NewSettled(s)
				began := settled.Wall()
				for at := time.Duration(0); at <= 52*h; at += time.Minute {
					got := settled.Wall().Sub(began) - at
					if want, ok := c.want[at]; ok {
						require.Equal(t, want, got, "after %s", at)
					}
					<-time.After(time.Minute)
				}
			})
		})
	}
}

func TestInstantsDifferByTheElapsedTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := clock.Mono()
		<-time.After(time.Second)
		now := clock.Mono()
		require.Equal(t, time.Second, now.Sub(began))
		require.Equal(t, time.Second, began.Elapsed())
		require.Equal(t, now, began.Add(time.Second))
		require.True(t, began.Before(now) && now.After(began))
		require.Negative(t, began.Compare(now))
		require.True(t, clock.Instant{}.IsZero())
		require.True(t, clock.Instant{}.Before(began) && !began.IsZero())
	})
}
