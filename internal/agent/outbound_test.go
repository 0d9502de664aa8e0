package agent_test

import (
	"context"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/agent"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/outbound"
)

// canary listens on another address of loopback than the allowed one, and counts connections.
func canary(t *testing.T) (string, *atomic.Int64) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.99:0")
	require.NoError(t, err)
	reached := new(atomic.Int64)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			reached.Add(1)
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() {
		require.NoError(t, l.Close())
		<-done
	})
	return l.Addr().String(), reached
}

func TestARunThatNamesARefusedEndpointIsNotPrepared(t *testing.T) {
	t.Parallel()
	address, reached := canary(t)
	b := newFakeCoordinator(t)
	newRig(t, b, func(c *agent.Config) {
		var err error
		c.Outbound, err = outbound.New([]string{"127.0.0.1/32"})
		require.NoError(t, err)
	})
	s := b.next()
	for run, endpoint := range map[string]string{
		"S.1": "n=http://" + address + "/metrics", "S.2": "n=http://169.254.169.254/latest/meta-data", "S.3": "n=https://[::ffff:127.0.0.99]/x",
	} {
		s.order(run, map[string]string{"telemetry.endpoints": endpoint})
		refused := await(s, (*benchdv1.SessionRequest).GetPrepared).GetError()
		require.Contains(t, refused, "refuse to connect to", endpoint)
		require.Contains(t, refused, "which telemetry.endpoints names")
		require.Contains(t, refused, "--allow-target")
	}
	require.Zero(t, reached.Load())
}

// An agent without rules is not one without limits.
func TestDriversAndActorsGetTheDialerOfTheAgent(t *testing.T) {
	t.Parallel()
	var dialers atomic.Int64
	check := func(d *outbound.Dialer) {
		_, err := d.DialContext(context.Background(), "tcp", "169.254.169.254:80")
		if err != nil && strings.Contains(err.Error(), "--allow-target") {
			dialers.Add(1)
		}
	}
	b := newFakeCoordinator(t)
	newRig(t, b, func(c *agent.Config) {
		open := c.Drivers["null"]
		c.Drivers = map[string]load.Driver{"null": func(ctx context.Context, s load.Settings) (load.Target, error) {
			check(s.Dial)
			return open(ctx, s)
		}}
		c.Actors = map[string]load.OpenActor{"dummy": func(ctx context.Context, s load.Settings) (load.Actor, error) {
			check(s.Dial)
			return dummy{done: make(chan string, 1)}.open(ctx, s)
		}}
	})
	s := b.next()
	s.prepare("S.1")
	s.act("x", "", "flush")
	require.Equal(t, benchdv1.ActionOutcome_ACTION_OUTCOME_DONE, await(s, (*benchdv1.SessionRequest).GetAction).GetOutcome())
	require.EqualValues(t, 2, dialers.Load())
}
