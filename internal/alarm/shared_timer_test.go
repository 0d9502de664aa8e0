package alarm_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/benchd/benchd/internal/alarm"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestASharedTimerWakesEverySleeperAndNoneEarly(t *testing.T) {
	b, err := alarm.NewSharedTimer()
	require.NoError(t, err)
	var sleepers sync.WaitGroup
	for i := range 200 {
		sleepers.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(i), 7))
			for range 20 {
				until := time.Now().Add(time.Duration(rng.IntN(2_000_000) - 1000))
				require.NoError(t, b.Wait(t.Context(), until))
				assert.False(t, time.Now().Before(until))
			}
		})
	}
	sleepers.Wait()
	require.NoError(t, b.Close())
	require.ErrorIs(t, b.Wait(t.Context(), time.Now().Add(time.Hour)), alarm.ErrClosed)
}

func TestASharedTimerWakesInTheOrderOfInstantsNotOfArrival(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := alarm.NewPlainSharedTimer()
		began := time.Now()
		woken := make(chan time.Duration, 4)
		var sleepers sync.WaitGroup
		for _, d := range []time.Duration{time.Hour, time.Minute, 2 * time.Hour, time.Second} {
			sleepers.Go(func() {
				require.NoError(t, b.Wait(t.Context(), began.Add(d)))
				woken <- d
				assert.Equal(t, d, time.Since(began))
			})
			synctest.Wait()
		}
		sleepers.Wait()
		for _, d := range []time.Duration{time.Second, time.Minute, time.Hour, 2 * time.Hour} {
			require.Equal(t, d, <-woken)
		}
		require.NoError(t, b.Close())
	})
}

func TestASleeperObeysItsContextAndLeavesTheOthersAsleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := alarm.NewPlainSharedTimer()
		began := time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		var sleepers sync.WaitGroup
		sleepers.Go(func() { assert.ErrorIs(t, b.Wait(ctx, began.Add(time.Minute)), context.Canceled) })
		sleepers.Go(func() {
			require.NoError(t, b.Wait(t.Context(), began.Add(time.Hour)))
			assert.Equal(t, time.Hour, time.Since(began))
		})
		synctest.Wait()
		cancel()
		sleepers.Wait()
		require.ErrorIs(t, b.Wait(ctx, began), context.Canceled)
		require.NoError(t, b.Close())
	})
}

func TestClosingASharedTimerWakesItsWaiters(t *testing.T) {
	precise, err := alarm.NewSharedTimer()
	require.NoError(t, err)
	for name, b := range map[string]*alarm.SharedTimer{"of the kernel": precise, "of the runtime": alarm.NewPlainSharedTimer()} {
		t.Run(name, func(t *testing.T) {
			waiting := make(chan error, 1)
			go func() { waiting <- b.Wait(context.Background(), time.Now().Add(time.Hour)) }()
			require.NoError(t, b.Close())
			require.ErrorIs(t, <-waiting, alarm.ErrClosed)
		})
	}
}

func BenchmarkSharedTimer(b *testing.B) {
	timer, err := alarm.NewSharedTimer()
	require.NoError(b, err)
	defer func() { _ = timer.Close() }()
	var late time.Duration
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		until := time.Now().Add(300 * time.Microsecond)
		_ = timer.Wait(b.Context(), until)
		late += time.Since(until)
		n++
	}
	b.ReportMetric(float64(late.Microseconds())/float64(n), "µs-late/op")
}
