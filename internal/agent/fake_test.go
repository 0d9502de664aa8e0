package agent_test

import (
	"context"
	"maps"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"github.com/benchd/benchd/internal/agent"
	"github.com/benchd/benchd/internal/clock"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target/null"
	"github.com/benchd/benchd/internal/target/null/nullspec"
	"github.com/benchd/benchd/internal/tolerance"
	"github.com/benchd/benchd/internal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds every wait of these tests.
const patience = tolerance.Patience

// fakeCoordinator is a coordinator that a test controls.
type fakeCoordinator struct {
	benchdv1.UnimplementedAgentServiceServer
	t        *testing.T
	listener *bufconn.Listener
	streams  chan *stream
	full     int          // how many streams are refused before the first one
	refuse   func() error // the answer to an agent; nil, or one that returns nil, admits it
}

// stream is an agent's stream, seen by the fakeCoordinator.
type stream struct {
	t     *testing.T
	hello *benchdv1.Hello
	raw   benchdv1.AgentService_SessionServer
	in    chan *benchdv1.SessionRequest
	over  chan error    // how the stream must end
	ended chan struct{} // closed when the agent has closed it
}

func newFakeCoordinator(t *testing.T) *fakeCoordinator {
	t.Helper()
	b := &fakeCoordinator{t: t, streams: make(chan *stream, 16), listener: bufconn.Listen(1 << 20)}
	server := grpc.NewServer()
	benchdv1.RegisterAgentServiceServer(server, b)
	served := make(chan error, 1)
	go func() { served <- server.Serve(b.listener) }()
	t.Cleanup(func() {
		server.Stop()
		require.NoError(t, <-served)
	})
	return b
}

func (b *fakeCoordinator) Session(raw benchdv1.AgentService_SessionServer) error {
	if b.refuse != nil {
		if err := b.refuse(); err != nil {
			return wire.ToStatus(err)
		}
	}
	if b.full > 0 {
		b.full-- // an agent opens one stream after another
		return wire.ToStatus(wire.Errorf(wire.ErrLimit, "the coordinator has 4096 agents already"))
	}
	first, err := raw.Recv()
	if err != nil {
		return err
	}
	s := &stream{
		t: b.t, hello: first.GetHello(), raw: raw,
		in: make(chan *benchdv1.SessionRequest, 10_000), over: make(chan error, 1), ended: make(chan struct{}),
	}
	if err := raw.Send(&benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Welcome{Welcome: &benchdv1.Welcome{Version: "test"}}}); err != nil {
		return err
	}
	go func() {
		defer close(s.ended)
		for {
			m, err := raw.Recv()
			if err != nil {
				return
			}
			s.in <- m
		}
	}()
	b.streams <- s
	select {
	case err := <-s.over:
		return err
	case <-s.ended:
		return nil
	case <-raw.Context().Done():
		return raw.Context().Err()
	}
}

// next waits for an agent's next stream.
func (b *fakeCoordinator) next() *stream {
	b.t.Helper()
	select {
	case s := <-b.streams:
		require.NotNil(b.t, s.hello, "the first message is a Hello")
		return s
	case <-time.After(patience):
		require.Fail(b.t, "no agent connects")
		return nil
	}
}

// cut breaks the stream.
func (s *stream) cut() { s.over <- wire.ToStatus(wire.Errorf(wire.ErrUnreachable, "cut by the test")) }

func (s *stream) send(m *benchdv1.SessionResponse) {
	s.t.Helper()
	require.NoError(s.t, s.raw.Send(m))
}

// await returns the next message for which get returns a value.
func await[T any](s *stream, get func(*benchdv1.SessionRequest) *T) *T {
	s.t.Helper()
	timeout := time.After(patience)
	for {
		select {
		case m := <-s.in:
			if got := get(m); got != nil {
				return got
			}
		case <-timeout:
			require.Fail(s.t, "no such message arrives")
		}
	}
}

// order orders the agent to prepare a shard on the null target.
func (s *stream) order(run string, settings map[string]string, phases ...*benchdv1.Phase) *benchdv1.ShardId {
	s.t.Helper()
	properties := map[string]string{
		"db": "null", "recordcount": "1000", "readproportion": "1", "updateproportion": "0", "interval": "100ms",
		"null.service": "1ms", "threadcount": "2", "seed": "1",
	}
	maps.Copy(properties, settings)
	if len(phases) == 0 {
		phases = []*benchdv1.Phase{{Name: "measure", DurationNs: int64(200 * time.Millisecond)}}
	}
	id := wire.FromShard(run, 0, 1)
	s.send(&benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Prepare{Prepare: &benchdv1.Prepare{
		Id: id, Shards: 1, Workers: 2, Phases: phases, Properties: properties, Steward: true,
	}}})
	return id
}

// prepare orders a shard and waits until it is ready.
func (s *stream) prepare(run string, phases ...*benchdv1.Phase) *benchdv1.ShardId {
	s.t.Helper()
	id := s.order(run, nil, phases...)
	require.Empty(s.t, await(s, (*benchdv1.SessionRequest).GetPrepared).GetError())
	return id
}

// start starts a phase 20 ms from now; the run's time is the agent's clock less an hour.
func (s *stream) start(r *rig, id *benchdv1.ShardId, phase string) (at int64) {
	s.t.Helper()
	now := r.clock.Now()
	line := clock.Line{X: now, Y: now - int64(time.Hour)}
	at = line.At(now + int64(20*time.Millisecond))
	s.send(&benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Start{Start: &benchdv1.Start{
		Id: id, Phase: phase, AtRunNs: at, Timebase: wire.FromLine(id.GetRun(), line),
	}}})
	return at
}

func (s *stream) ack(w *benchdv1.Window) {
	s.t.Helper()
	s.send(&benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Ack{Ack: &benchdv1.Ack{Id: w.GetId(), Phase: w.GetPhase(), Seq: w.GetSeq()}}})
}

func (s *stream) release(id *benchdv1.ShardId) {
	s.t.Helper()
	s.send(&benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Release{Release: &benchdv1.Release{Id: id}}})
}

func (s *stream) stop(id *benchdv1.ShardId) {
	s.t.Helper()
	s.send(&benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Stop{Stop: &benchdv1.Stop{Id: id, Reason: "cancelled"}}})
}

// rig is an agent under test.
type rig struct {
	t     *testing.T
	clock *clock.Source
	end   context.CancelFunc // SIGTERM
	ended chan error
}

func newRig(t *testing.T, b *fakeCoordinator, change ...func(*agent.Config)) *rig {
	t.Helper()
	r := &rig{t: t, clock: clock.NewSource(clock.Skew{Offset: -37 * time.Second}), ended: make(chan error, 1)}
	config := agent.Config{
		Coordinator: "passthrough:///coordinator",
		Dial: []grpc.DialOption{
			grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return b.listener.DialContext(ctx) }),
			grpc.WithTransportCredentials(insecure.NewCredentials()),
		},
		Name: "a", Version: "test", Labels: map[string]string{"rack": "r1"}, Clock: r.clock,
		Reader: spec.NewReader(nullspec.Target()), Drivers: map[string]load.Driver{"null": null.Open},
	}
	for _, c := range change {
		c(&config)
	}
	a, err := agent.New(config)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	r.end = cancel
	go func() { r.ended <- a.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		_ = r.result()
	})
	return r
}

// result waits for the agent's end.
func (r *rig) result() error {
	r.t.Helper()
	select {
	case err := <-r.ended:
		r.ended <- err
		return err
	case <-time.After(patience):
		require.Fail(r.t, "the agent does not end")
		return nil
	}
}

// windows receives windows until the last one of the phase, and acknowledges them if ack is set.
func (s *stream) windows(ack bool) []*benchdv1.Window {
	s.t.Helper()
	var all []*benchdv1.Window
	for {
		w := await(s, (*benchdv1.SessionRequest).GetWindow)
		all = append(all, w)
		if ack {
			s.ack(w)
		}
		if w.GetLast() {
			return all
		}
	}
}

// ops counts the operations in windows.
func ops(t *testing.T, windows []*benchdv1.Window) uint64 {
	t.Helper()
	var n uint64
	for i, m := range windows {
		require.EqualValues(t, i, m.GetSeq())
		w, err := wire.ToWindow(m)
		require.NoError(t, err)
		n += latency.Ops(w.Series)
	}
	return n
}
