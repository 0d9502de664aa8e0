package coordinator

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"google.golang.org/grpc/peer"
	"google.golang.org/protobuf/proto"

	"github.com/benchd/benchd/internal/clock"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/quarantine"
	"github.com/benchd/benchd/internal/wire"
)

// Probing: a burst when an agent comes and before a start, then steadily.
const (
	burstProbes   = 12
	probeEvery    = time.Second
	replyWithin   = 2 * time.Second
	sessionBuffer = 1024 // messages to an agent; one that does not take them is cut off
)

var (
	errReplaced = errors.New("the agent has opened another stream")
	errSlow     = errors.New("the agent does not take its messages")
	errDetached = errors.New("the coordinator is stopping")
)

// session is an agent's stream. Three goroutines serve it: one receives, one sends, one probes.
type session struct {
	hello   *benchdv1.Hello
	address string
	log     *slog.Logger
	clock   *clock.Source

	out    chan *benchdv1.SessionResponse
	bursts chan chan<- struct{} // requests for a burst of probes; closed when it is over
	cancel context.CancelCauseFunc
	over   <-chan struct{} // closed when the stream is to end

	refused *benchdv1.ShardId // whose windows were refused last
	told    toldLine

	mu      sync.Mutex
	pending map[uint64]int64 // probes under way: when they were sent
	seq     uint64
	replies chan clock.Probe
	orders  uint64 // of raw points
	pieces  map[uint64]chan<- *benchdv1.PointsPiece
	actions map[string]chan<- *benchdv1.ActionAnswer // that somebody waits for
}

// send queues a message; an agent that has stopped reading is cut off rather than waited for.
func (s *session) send(m *benchdv1.SessionResponse) {
	select {
	case s.out <- m:
	default:
		s.end(errSlow)
	}
}

// end cuts the stream.
func (s *session) end(why error) { s.cancel(why) }

// Session serves an agent's stream.
func (c *Coordinator) Session(stream benchdv1.AgentService_SessionServer) error {
	return wire.ToStatus(c.serveSession(stream))
}

func (c *Coordinator) serveSession(stream benchdv1.AgentService_SessionServer) error {
	hello, err := c.greet(stream)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(stream.Context())
	defer cancel(nil)
	stopping := context.AfterFunc(c.life, func() { cancel(errDetached) })
	defer stopping()

	s := &session{
		hello: hello, address: peerAddress(stream.Context()), clock: c.clock, cancel: cancel, over: ctx.Done(),
		log:     c.log.With("agent", hello.GetName()),
		out:     make(chan *benchdv1.SessionResponse, sessionBuffer),
		bursts:  make(chan chan<- struct{}, 8),
		pending: make(map[uint64]int64),
		pieces:  make(map[uint64]chan<- *benchdv1.PointsPiece),
		actions: make(map[string]chan<- *benchdv1.ActionAnswer),
		replies: make(chan clock.Probe, burstProbes),
	}
	// It is queued before anybody can find the session and send something else.
	s.send(&benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Welcome{
		Welcome: &benchdv1.Welcome{Version: c.config.Version, BootId: c.boot},
	}})
	m, restarted, err := c.join(ctx, s)
	if err != nil {
		return err
	}
	s.log.Info("agent connected", "address", s.address, "boot", hello.GetBootId(), "held", len(hello.GetHeld()))

	var wg sync.WaitGroup
	wg.Go(func() { s.probeLoop(ctx, func(p clock.Probe) { c.probed(m, s, p) }) })
	// These two may be held up by an agent that does not read; they end with the stream, which ends when we
	// return.
	received := make(chan error, 1)
	go func() { cancel(quarantine.Guard(func() error { return s.sendLoop(ctx, stream) })) }()
	go func() { received <- quarantine.Guard(func() error { return c.receiveLoop(stream, m, s) }) }()
	c.arrived(m, s, restarted)

	select {
	case err = <-received:
		cancel(err)
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	wg.Wait()
	if c.roster.leave(s) {
		s.log.Info("agent disconnected", "cause", err)
		c.departed(m)
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// greet receives the Hello and judges it.
func (c *Coordinator) greet(stream benchdv1.AgentService_SessionServer) (*benchdv1.Hello, error) {
	first, err := stream.Recv()
	if err != nil {
		return nil, err
	}
	hello := first.GetHello()
	if hello == nil {
		return nil, wire.Errorf(wire.ErrMalformed, "the first message of a session must be a Hello")
	}
	if hello.GetProtocol() != wire.Protocol {
		return nil, wire.Errorf(wire.ErrProtocol,
			"agent %q (%s) speaks protocol %d, this coordinator (%s) speaks %d: install the same release on both",
			hello.GetName(), hello.GetVersion(), hello.GetProtocol(), c.config.Version, wire.Protocol)
	}
	return hello, wire.CheckHello(hello)
}

// join brings the session into the roster. An agent that was killed and started again can be quicker than the
// news of its end: its predecessor gets a moment to show whether it is alive.
func (c *Coordinator) join(ctx context.Context, s *session) (*member, bool, error) {
	deadline := clock.Mono().Add(aliveWithin + time.Second)
	for {
		m, restarted, err := c.roster.join(s, clock.Mono())
		if err == nil || clock.Mono().After(deadline) {
			return m, restarted, err
		}
		select {
		case <-ctx.Done():
			return nil, false, context.Cause(ctx)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func peerAddress(ctx context.Context) string {
	if p, ok := peer.FromContext(ctx); ok {
		return p.Addr.String()
	}
	return ""
}

// sendLoop is the only sender on the stream. It stamps probes when they really go.
func (s *session) sendLoop(ctx context.Context, stream benchdv1.AgentService_SessionServer) error {
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case m := <-s.out:
			if p := m.GetProbe(); p != nil {
				s.mu.Lock()
				s.pending[p.GetSeq()] = s.clock.Now()
				s.mu.Unlock()
			}
			if err := stream.Send(m); err != nil {
				return err
			}
		}
	}
}

// probeLoop keeps asking for the agent's clock, at a pace of which no two sessions have the same: agents that came
// together, after a restart, are not asked together for ever.
func (s *session) probeLoop(ctx context.Context, got func(clock.Probe)) {
	s.probe(ctx, burstProbes, got)
	tick := time.NewTimer(rand.N(probeEvery))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case done := <-s.bursts:
			s.probe(ctx, burstProbes, got)
			close(done)
		case <-tick.C:
			s.probe(ctx, 1, got)
			tick.Reset(probeEvery - probeEvery/20 + rand.N(probeEvery/10))
		}
	}
}

// probe makes n round trips, one after another.
func (s *session) probe(ctx context.Context, n int, got func(clock.Probe)) {
	timeout := time.NewTimer(replyWithin)
	defer timeout.Stop()
	for range n {
		s.mu.Lock()
		s.seq++
		seq := s.seq
		clear(s.pending) // what has not been answered by now is not worth having
		s.mu.Unlock()
		s.send(&benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Probe{Probe: &benchdv1.Probe{Seq: seq}}})
		timeout.Reset(replyWithin)
		select {
		case <-ctx.Done():
			return
		case <-timeout.C:
			return
		case p := <-s.replies:
			got(p)
		}
	}
}

// replied takes the answer to a probe, received at our instant now.
func (s *session) replied(r *benchdv1.ProbeReply, now int64) {
	s.mu.Lock()
	sent, ok := s.pending[r.GetSeq()]
	delete(s.pending, r.GetSeq())
	s.mu.Unlock()
	if !ok {
		return
	}
	p := clock.Probe{Sent: sent, Received: now, PeerReceived: r.GetReceivedAgentNs(), PeerSent: r.GetSentAgentNs()}
	select {
	case s.replies <- p:
	default:
	}
}

// burst asks for probes before a start, and waits for them. It reports whether the stream is still there.
func (s *session) burst(ctx context.Context) bool {
	done := make(chan struct{})
	select {
	case s.bursts <- done:
	case <-ctx.Done():
		return false
	case <-s.over:
		return false
	}
	select {
	case <-done:
		return true
	case <-ctx.Done():
	case <-s.over:
	}
	return false
}

// window takes a window of the agent's own shard. What comes of a run that is over is refused: its result has
// been made, and says what it lacks.
func (c *Coordinator) window(m *member, s *session, msg *benchdv1.Window) error {
	w, err := wire.ToWindow(msg)
	if err != nil {
		return err
	}
	if cd := c.conductor(w.ID.Run); cd != nil && cd.holds(m.name, w.ID) {
		return c.ingest.add(s, w)
	}
	acknowledge(s, w.ID)
	c.metrics.windows(0, 0, 1)
	if id := msg.GetId(); !proto.Equal(id, s.refused) { // once for all windows of a shard
		s.refused = id
		s.log.Warn("a window is refused: its run has ended, or it is of no shard or phase of this agent", "window", w.ID)
		forget(m, id)
	}
	return nil
}

// receiveLoop is the only receiver on the stream.
func (c *Coordinator) receiveLoop(stream benchdv1.AgentService_SessionServer, m *member, s *session) error {
	for {
		in, err := stream.Recv()
		if err != nil {
			return err
		}
		now := c.clock.Now()
		m.heard(clock.Mono())
		switch msg := in.GetMessage().(type) {
		case *benchdv1.SessionRequest_ProbeReply:
			s.replied(msg.ProbeReply, now)
		case *benchdv1.SessionRequest_Window:
			if err := c.window(m, s, msg.Window); err != nil {
				return err
			}
		case *benchdv1.SessionRequest_Prepared:
			c.toShard(m, msg.Prepared.GetId(), func(cd *conductor, shard int) { cd.prepared(shard, msg.Prepared) })
		case *benchdv1.SessionRequest_Started:
			c.toShard(m, msg.Started.GetId(), func(cd *conductor, _ int) { cd.started(m, msg.Started) })
		case *benchdv1.SessionRequest_PhaseEnded:
			c.toShard(m, msg.PhaseEnded.GetId(), func(cd *conductor, shard int) { cd.phaseEnded(shard, msg.PhaseEnded) })
		case *benchdv1.SessionRequest_Points:
			s.gotPiece(msg.Points)
		case *benchdv1.SessionRequest_Action:
			c.acted(m, s, msg.Action)
		case *benchdv1.SessionRequest_Observations:
			observed, err := wire.ToObservations(msg.Observations)
			if err != nil {
				return err
			}
			c.toShard(m, msg.Observations.GetId(), func(cd *conductor, _ int) { cd.observed(observed) })
		case *benchdv1.SessionRequest_Leaving:
			reason := wire.Text(msg.Leaving.GetReason())
			s.log.Info("agent leaves", "reason", reason)
			c.left(m, reason)
		case *benchdv1.SessionRequest_Hello:
			return wire.Errorf(wire.ErrMalformed, "a second Hello in one session")
		default:
			return wire.Errorf(wire.ErrMalformed, "a message of no known kind")
		}
	}
}
