package alarm_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/alarm"
)

func TestAnAlarmNeverRingsEarly(t *testing.T) {
	a, err := alarm.New()
	require.NoError(t, err)
	defer func() { require.NoError(t, a.Close()) }()
	for _, d := range []time.Duration{-1, 0, 1, time.Microsecond, 20 * time.Microsecond, 700 * time.Microsecond, 3 * time.Millisecond} {
		began := time.Now()
		require.NoError(t, a.Wait(t.Context(), d))
		require.GreaterOrEqual(t, time.Since(began), d)
	}
}

func TestAnAlarmObeysItsContext(t *testing.T) {
	a, err := alarm.New()
	require.NoError(t, err)
	defer func() { require.NoError(t, a.Close()) }()

	ctx, cancel := context.WithCancel(t.Context())
	require.NoError(t, a.Wait(ctx, time.Millisecond))
	time.AfterFunc(time.Millisecond, cancel)
	require.ErrorIs(t, a.Wait(ctx, time.Hour), context.Canceled)
	require.ErrorIs(t, a.Wait(ctx, time.Nanosecond), context.Canceled)

	// The context that ended does not spoil waits with another.
	for range 100 {
		ctx, cancel := context.WithCancel(t.Context())
		go cancel()
		_ = a.Wait(ctx, 10*time.Microsecond)
		require.NoError(t, a.Wait(t.Context(), 10*time.Microsecond))
	}
}

func BenchmarkAlarm(b *testing.B) {
	for _, d := range []time.Duration{10 * time.Microsecond, 100 * time.Microsecond, 1300 * time.Microsecond} {
		b.Run(d.String(), func(b *testing.B) {
			a, err := alarm.New()
			require.NoError(b, err)
			defer func() { _ = a.Close() }()
			ctx, cancel := context.WithCancel(b.Context())
			defer cancel()
			var late time.Duration
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				began := time.Now()
				_ = a.Wait(ctx, d)
				late += time.Since(began) - d
				n++
			}
			b.ReportMetric(float64(late.Microseconds())/float64(n), "µs-late/op")
		})
	}
}

func TestAnAlarmOfKnownCallsRingsAndObeys(t *testing.T) {
	a, err := alarm.NewKnown()
	require.NoError(t, err)
	defer func() { require.NoError(t, a.Close()) }()
	began := time.Now()
	require.NoError(t, a.Wait(t.Context(), 700*time.Microsecond))
	require.GreaterOrEqual(t, time.Since(began), 700*time.Microsecond)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(time.Millisecond, cancel)
	require.ErrorIs(t, a.Wait(ctx, time.Hour), context.Canceled)
}
