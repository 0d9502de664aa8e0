package service_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/benchd/benchd/internal/alarm"
	"github.com/benchd/benchd/internal/randdur"
	"github.com/benchd/benchd/internal/sandbox/service"
	"github.com/benchd/benchd/internal/tolerance"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func constant(d time.Duration) randdur.Duration {
	return randdur.Duration{Shape: randdur.Constant, Time: d}
}

func TestWithoutAServiceTimeThereIsNoModel(t *testing.T) {
	m, err := service.New(service.Config{Handlers: 5}, 1)
	require.NoError(t, err)
	require.Nil(t, m)
	queued, err := m.Serve(t.Context())
	require.NoError(t, err)
	require.Zero(t, queued)
	requireLoad(t, m, 0, 0)
	require.NoError(t, m.Close())
}

func requireLoad(t *testing.T, m *service.Model, wantQueued, wantBusy int) {
	t.Helper()
	queued, busy := m.Load()
	require.Equal(t, [2]int{wantQueued, wantBusy}, [2]int{queued, busy}, "queued requests, busy handlers")
}

func TestHandlersAreBounded(t *testing.T) {
	for _, n := range []int{-1, service.MaxHandlers + 1} {
		_, err := service.New(service.Config{Time: constant(time.Millisecond), Handlers: n}, 1)
		require.ErrorContains(t, err, "a region server has 1 to 10000")
	}
}

// With 2 handlers of 5 ms, 20 simultaneous requests take 10 turns: never less, on any machine.
func TestRequestsWaitForTheirTurn(t *testing.T) {
	m, err := service.New(service.Config{Time: constant(5 * time.Millisecond), Handlers: 2}, 1)
	require.NoError(t, err)
	began := time.Now()
	var requests sync.WaitGroup
	for range 20 {
		requests.Go(func() {
			queued, err := m.Serve(context.Background())
			if assert.NoError(t, err) {
				assert.LessOrEqual(t, queued, time.Since(began)-5*time.Millisecond, "its service does not count as waiting")
			}
		})
	}
	requests.Wait()
	require.GreaterOrEqual(t, time.Since(began), 50*time.Millisecond)
	requireLoad(t, m, 0, 0)
	require.NoError(t, m.Close())
}

func TestARequestObeysItsContextAndTheModelsEnd(t *testing.T) {
	m, err := service.New(service.Config{Time: constant(time.Hour), Handlers: 1}, 1)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err = m.Serve(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	requireLoad(t, m, 0, 1)

	waiting := make(chan error, 1)
	go func() {
		_, err := m.Serve(context.Background())
		waiting <- err
	}()
	require.Eventually(t, func() bool { queued, _ := m.Load(); return queued == 1 }, tolerance.Patience, time.Millisecond,
		"the handler still serves the request of the client that has left")
	require.NoError(t, m.Close())
	require.ErrorIs(t, <-waiting, alarm.ErrClosed)
}

func TestTheModelDescribesItself(t *testing.T) {
	c := service.Config{}
	require.Equal(t, "none", c.String())
	c.Time = randdur.Duration{Shape: randdur.Exponential, Time: 5 * time.Millisecond}
	c.EnsureDefaults()
	require.Equal(t, "exponential 5ms by 30 handlers", c.String())
}
