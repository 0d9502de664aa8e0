package conductor

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/coordinator/roster"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
)

// underWay returns a run in its first phase, with windows of a second; agents a, b and so on work on its shards.
func underWay(shards int, phases ...plan.Phase) *record.Run {
	life := &lifecycle.State{Run: "S.1", Status: result.Running, Phases: phases}
	for i := range shards {
		life.Shards = append(life.Shards, lifecycle.Shard{Agent: string(rune('a' + i)), Boot: roster.Fingerprint("1"), Attempt: 1, State: lifecycle.Busy})
	}
	return &record.Run{
		Archived: archive.RunRecord{ID: "S.1"}, Settings: plan.Settings{Interval: time.Second}, Phases: phases,
		State: record.State{Life: life, Begun: map[plan.PhaseName]time.Duration{phases[0].Name: 0}},
	}
}

// inbox records the messages to an agent.
type inbox struct {
	benchdv1.AgentService_SessionServer
	got chan *benchdv1.SessionResponse
}

func (in inbox) Send(m *benchdv1.SessionResponse) error {
	in.got <- m
	return nil
}

// stream returns the session of an agent.
func stream(ctx context.Context, cancel context.CancelCauseFunc, hello *benchdv1.Hello) *roster.Session {
	return roster.NewSession(ctx, cancel, hello, "10.0.0.5:1", "TLS", clock.NewSource(clock.Skew{}), slog.New(slog.DiscardHandler))
}

// connect adds an agent to the roster; got receives its messages.
func connect(t *testing.T, all *roster.Roster, name, boot string) (m *roster.Agent, got <-chan *benchdv1.SessionResponse) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	s := stream(ctx, cancel, &benchdv1.Hello{Name: name, BootId: boot})
	m, _, err := all.Join(ctx, s)
	require.NoError(t, err)
	in, over := inbox{got: make(chan *benchdv1.SessionResponse, 64)}, make(chan struct{})
	go func() {
		defer close(over)
		s.SendLoop(ctx, in)
	}()
	t.Cleanup(func() {
		cancel(nil)
		<-over
	})
	return m, in.got
}
