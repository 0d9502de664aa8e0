package coordinator_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/wire"
)

// silent opens a stream that sends no Hello, and returns how it ends.
func silent(t *testing.T, h *harness) <-chan error {
	t.Helper()
	stream, err := benchdv1.NewAgentServiceClient(h.conn).Session(t.Context())
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() {
		_, err := stream.Recv()
		ended <- wire.FromStatus(err)
	}()
	return ended
}

func TestAStreamWithoutAHelloEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		began := time.Now()
		err := <-silent(t, h)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "no Hello within 10s")
		require.Equal(t, 10*time.Second, time.Since(began))
	})
}

// Thousands of streams that send nothing do not keep an agent out: the oldest of them end.
func TestSilentStreamsDoNotKeepAnAgentOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		var streams []<-chan error
		for range 1100 {
			streams = append(streams, silent(t, h))
			synctest.Wait()
		}
		newFakeAgent(h, "a").connect().welcomed()
		for i, ended := range streams[:76] {
			require.ErrorIs(t, <-ended, wire.ErrLimit, i)
		}
		synctest.Wait()
		require.Empty(t, streams[78])
	})
}
