package roster_test

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/coordinator/roster"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/wire"
)

// stream returns a session, and a context whose cause is why the session was cut.
func stream(t *testing.T, hello *benchdv1.Hello) (*roster.Session, context.Context) {
	t.Helper()
	return streamFrom(t, hello, "10.0.0.5:1")
}

// streamFrom is stream for an agent that connects from an address.
func streamFrom(t *testing.T, hello *benchdv1.Hello, address string) (*roster.Session, context.Context) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	t.Cleanup(func() { cancel(nil) })
	return roster.NewSession(ctx, cancel, hello, address, "TLS", clock.NewSource(clock.Skew{}), slog.New(slog.DiscardHandler)), ctx
}

func names(agents []*roster.Agent) (list []string) {
	for _, a := range agents {
		list = append(list, a.Name)
	}
	return list
}

// A second process of the same name is refused while messages of the first arrive, and replaces it afterwards.
func TestANameHasOneLivingAgent(t *testing.T) {
	for name, lives := range map[string]bool{"while the first lives": true, "when the first is silent": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := roster.New()
				first, cut := stream(t, &benchdv1.Hello{Name: "a", BootId: "1"})
				agent, restarted, err := r.Join(t.Context(), first)
				require.NoError(t, err)
				require.False(t, restarted)
				if lives {
					tick := time.NewTicker(time.Second)
					stop := make(chan struct{})
					defer close(stop)
					defer tick.Stop()
					go func() {
						for {
							select {
							case <-stop:
								return
							case <-tick.C:
								agent.Heard(clock.Mono())
							}
						}
					}()
				}
				second, _ := stream(t, &benchdv1.Hello{Name: "a", BootId: "2"})
				again, restarted, err := r.Join(t.Context(), second)
				if lives {
					require.ErrorIs(t, err, wire.ErrNameTaken)
					require.NoError(t, cut.Err())
					return
				}
				require.NoError(t, err)
				require.True(t, restarted)
				require.Same(t, agent, again)
				require.ErrorContains(t, context.Cause(cut), "another stream")
				require.False(t, r.Leave(first), "the agent has another stream")
				require.True(t, r.Leave(second))
			})
		})
	}
}

// Runs get agents that are connected, have the labels, and are not draining; a disconnected one is kept for its run.
func TestAgentsForARunMatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := roster.New()
		r.Expect("away", "1", "S.1")
		for name, zone := range map[string]string{"east-2": "east", "east-1": "east", "west": "west"} {
			s, _ := stream(t, &benchdv1.Hello{Name: name, BootId: "1", Labels: map[string]string{"zone": zone}})
			_, _, err := r.Join(t.Context(), s)
			require.NoError(t, err)
		}
		require.Equal(t, []string{"away", "east-1", "east-2", "west"}, names(r.All()))
		require.Equal(t, []string{"east-1", "east-2", "west"}, names(r.Matching(nil)))
		require.Equal(t, []string{"east-1", "east-2"}, names(r.Matching(map[string]string{"zone": "east"})))
		r.Get("east-1").Drain(true)
		require.Equal(t, []string{"east-2"}, names(r.Matching(map[string]string{"zone": "east"})))
		<-time.After(time.Hour)
		require.Equal(t, "S.1", r.Get("away").Serving())
		require.Len(t, r.All(), 4, "the fourth serves a run")
		r.Get("away").Serve("")
		require.Equal(t, []string{"east-1", "east-2", "west"}, names(r.All()), "the fourth has been away too long")
	})
}
