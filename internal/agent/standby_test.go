package agent_test

import (
	"context"
	"errors"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/benchd/benchd/internal/agent"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/wire"
)

// reach has an agent reach coordinators by their addresses.
func reach(coordinators map[string]*fakeCoordinator) func(*agent.Config) {
	return func(c *agent.Config) {
		c.Coordinator, c.Others = "127.0.0.1:1", []string{"127.0.0.2:1"}
		c.Dial = []grpc.DialOption{
			grpc.WithContextDialer(func(ctx context.Context, address string) (net.Conn, error) {
				if b := coordinators[address]; b != nil {
					return b.listener.DialContext(ctx)
				}
				return nil, errors.New("connection refused")
			}),
			grpc.WithTransportCredentials(insecure.NewCredentials()),
		}
	}
}

// standby makes a fakeCoordinator a standby of the leader at an address.
func standby(b *fakeCoordinator, leader string) {
	b.refuse = func() error { return &wire.StandbyError{Leader: leader} }
}

func TestAnAgentFollowsTheLeaderThatAStandbyNames(t *testing.T) {
	b, c := newFakeCoordinator(t), newFakeCoordinator(t)
	standby(b, "127.0.0.3:1") // c is none of the addresses of the agent, and nothing listens at the first
	newRig(t, nil, reach(map[string]*fakeCoordinator{"127.0.0.2:1": b, "127.0.0.3:1": c}))
	require.Equal(t, "a", c.next().hello.GetName())
}

func TestAnAgentFollowsItsRunToTheNextLeader(t *testing.T) {
	a, b := newFakeCoordinator(t), newFakeCoordinator(t)
	r := newRig(t, nil, reach(map[string]*fakeCoordinator{"127.0.0.1:1": a, "127.0.0.2:1": b}))
	first := a.next()
	id := first.prepare("S.1")
	first.start(r, id, "measure")
	await(first, (*benchdv1.SessionRequest).GetWindow)
	first.cut()
	second := b.next()
	require.Len(t, second.hello.GetHeld(), 1)
	require.NotEmpty(t, second.windows(true), "all windows, for none was acknowledged")
}

func TestAnAgentDoesNotFollowToAnAddressThatMayNotBeUsed(t *testing.T) {
	a, b, c := newFakeCoordinator(t), newFakeCoordinator(t), newFakeCoordinator(t)
	standby(a, "127.0.0.3:1")
	newRig(t, nil, reach(map[string]*fakeCoordinator{"127.0.0.1:1": a, "127.0.0.2:1": b, "127.0.0.3:1": c}), func(config *agent.Config) {
		config.DialTo = func(address string) ([]grpc.DialOption, error) {
			if address == "127.0.0.3:1" {
				return nil, errors.New("no certificates are configured")
			}
			return nil, nil
		}
	})
	b.next()
	require.Empty(t, c.streams)
}
