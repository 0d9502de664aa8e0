package coordinator_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/wire"
)

// silent opens a stream that sends no Hello, and returns how it ends.
func silent(t *testing.T, conn *grpc.ClientConn) <-chan error {
	t.Helper()
	stream, err := benchdv1.NewAgentServiceClient(conn).Session(t.Context())
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
		err := <-silent(t, h.conn)
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
		var conn *grpc.ClientConn
		for i := range 1100 {
			if i%200 == 0 { // as many streams as a connection may have
				conn = h.dial()
			}
			streams = append(streams, silent(t, conn))
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

// A connection has a bounded number of streams, and a call of bounded metadata: what is beyond waits or fails.
func TestAConnectionIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		conn := h.dial()
		for range 256 {
			silent(t, conn)
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := benchdv1.NewRunServiceClient(conn).Agents(ctx, &benchdv1.AgentsRequest{})
		require.ErrorIs(t, wire.FromStatus(err), context.DeadlineExceeded)
		_, err = h.runs.Agents(t.Context(), &benchdv1.AgentsRequest{})
		require.NoError(t, err, "other connections are served")

		large := metadata.AppendToOutgoingContext(t.Context(), "large", strings.Repeat("x", 100<<10))
		_, err = h.runs.Agents(large, &benchdv1.AgentsRequest{})
		require.ErrorContains(t, err, "header list size")
	})
}
