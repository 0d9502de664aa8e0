package roster_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/coordinator/roster"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/wire"
)

// answering is the stream of an agent that answers probes at once while it is alive.
type answering struct {
	benchdv1.AgentService_SessionServer
	session *roster.Session
	agent   *roster.Agent
	source  *clock.Source
	alive   atomic.Bool
	probes  atomic.Int64
}

func (a *answering) Send(m *benchdv1.SessionResponse) error {
	p := m.GetProbe()
	if p == nil || !a.alive.Load() {
		return nil
	}
	a.probes.Add(1)
	a.agent.Heard(clock.Mono())
	now := a.source.Now()
	a.session.Replied(&benchdv1.ProbeReply{Seq: p.GetSeq(), ReceivedAgentNs: now, SentAgentNs: now}, now)
	return nil
}

// serve joins an agent, and probes it until the test ends.
func serve(t *testing.T, r *roster.Roster) *answering {
	t.Helper()
	s, ctx := stream(t, &benchdv1.Hello{Name: "a", BootId: "1"})
	agent, _, err := r.Join(t.Context(), s)
	require.NoError(t, err)
	a := &answering{session: s, agent: agent, source: clock.NewSource(clock.Skew{})}
	a.alive.Store(true)
	done := make(chan struct{}, 2)
	ctx, cancel := context.WithCancel(ctx)
	t.Cleanup(func() { cancel(); <-done; <-done })
	go func() { _ = s.SendLoop(ctx, a); done <- struct{}{} }()
	go func() { s.ProbeLoop(ctx, agent.AddProbe); done <- struct{}{} }()
	return a
}

// A clock that is known well is probed every four seconds; a start measures it by a burst as before.
func TestASteadyClockIsProbedLessOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := serve(t, roster.New())
		<-time.After(time.Minute)
		before := a.probes.Load()
		<-time.After(time.Minute)
		require.InDelta(t, 15, a.probes.Load()-before, 2)

		before = a.probes.Load()
		require.True(t, a.session.Burst(t.Context()))
		require.GreaterOrEqual(t, a.probes.Load()-before, int64(12))
	})
}

// An agent that is alive keeps its name, although its clock was not probed for longer than an agent may be silent: it is asked first.
func TestASilentAgentIsAskedBeforeItLosesItsName(t *testing.T) {
	for name, lives := range map[string]bool{"it is alive": true, "it is not": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := roster.New()
				a := serve(t, r)
				<-time.After(time.Minute)
				for n := a.probes.Load(); a.probes.Load() == n; {
					<-time.After(time.Millisecond)
				}
				a.alive.Store(lives)
				<-time.After(3500 * time.Millisecond)
				second, _ := stream(t, &benchdv1.Hello{Name: "a", BootId: "2"})
				began := time.Now()
				_, _, err := r.Join(t.Context(), second)
				if lives {
					require.ErrorIs(t, err, wire.ErrNameTaken)
					return
				}
				require.NoError(t, err)
				require.LessOrEqual(t, time.Since(began), 2*time.Second)
			})
		})
	}
}
