package roster

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/benchd/benchd/internal/clock"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/wire"
)

// ProbeEvery is how often an agent's clock is asked for, after a burst when it comes and before each start.
const ProbeEvery = time.Second

const (
	burstProbes   = 12
	replyWithin   = 2 * time.Second
	sessionBuffer = 1024 // messages to an agent; one that does not take them is cut off
)

var (
	errReplaced = errors.New("the agent has opened another stream")
	errSlow     = errors.New("the agent does not take its messages")
)

// Session is an agent's stream. Three goroutines serve it: one receives, one sends, one probes.
type Session struct {
	hello   *benchdv1.Hello
	address string
	clock   *clock.Source
	log     *slog.Logger

	out    chan *benchdv1.SessionResponse
	bursts chan chan<- struct{} // requests for a burst of probes; closed when it is over
	cancel context.CancelCauseFunc
	over   <-chan struct{} // closed when the stream is to end

	refused *benchdv1.ShardId // whose windows were refused last
	sent    sentLine

	mu      sync.Mutex
	pending map[uint64]int64 // probes under way: when they were sent
	seq     uint64
	replies chan clock.Probe
	orders  uint64 // of raw points
	pieces  map[uint64]chan<- *benchdv1.PointsPiece
	actions map[string]chan<- *benchdv1.ActionAnswer // that somebody waits for
}

// NewSession makes the session of an agent that has introduced itself. It is over when ctx ends; cancel ends ctx.
func NewSession(ctx context.Context, cancel context.CancelCauseFunc, hello *benchdv1.Hello, address string, source *clock.Source, log *slog.Logger) *Session {
	return &Session{
		hello: hello, address: address, clock: source, log: log.With("agent", hello.GetName()), cancel: cancel, over: ctx.Done(),
		out:     make(chan *benchdv1.SessionResponse, sessionBuffer),
		bursts:  make(chan chan<- struct{}, 8),
		pending: make(map[uint64]int64),
		pieces:  make(map[uint64]chan<- *benchdv1.PointsPiece),
		actions: make(map[string]chan<- *benchdv1.ActionAnswer),
		replies: make(chan clock.Probe, burstProbes),
	}
}

// Hello is how the agent has introduced itself.
func (s *Session) Hello() *benchdv1.Hello { return s.hello }

// Log is the logger of what concerns the agent.
func (s *Session) Log() *slog.Logger { return s.log }

// Send queues a message; an agent that has stopped reading is cut off rather than waited for.
func (s *Session) Send(m *benchdv1.SessionResponse) {
	select {
	case s.out <- m:
	default:
		s.end(errSlow)
	}
}

// end cuts the stream.
func (s *Session) end(why error) { s.cancel(why) }

// Acknowledge lets the agent drop a window.
func (s *Session) Acknowledge(id latency.WindowID) {
	s.Send(&benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Ack{Ack: &benchdv1.Ack{
		Id: wire.FromShard(id.Run, id.Shard, id.Attempt), Phase: id.Phase, Seq: uint32(id.Seq),
	}}})
}

// Refuse notes that a window of a shard was refused, and reports whether it is the first of them. Only the goroutine that
// receives calls it.
func (s *Session) Refuse(id *benchdv1.ShardId) (first bool) {
	if proto.Equal(id, s.refused) {
		return false
	}
	s.refused = id
	return true
}

// SendLoop is the only sender on the stream. It stamps probes when they really go.
func (s *Session) SendLoop(ctx context.Context, stream benchdv1.AgentService_SessionServer) error {
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

// ProbeLoop keeps asking for the agent's clock, at a pace of which no two sessions have the same: agents that came
// together, after a restart, are not asked together forever.
func (s *Session) ProbeLoop(ctx context.Context, got func(clock.Probe)) {
	s.probe(ctx, burstProbes, got)
	tick := time.NewTimer(rand.N(ProbeEvery))
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
			tick.Reset(ProbeEvery - ProbeEvery/20 + rand.N(ProbeEvery/10))
		}
	}
}

// probe makes n round trips, one after another.
func (s *Session) probe(ctx context.Context, n int, got func(clock.Probe)) {
	timeout := time.NewTimer(replyWithin)
	defer timeout.Stop()
	for range n {
		s.mu.Lock()
		s.seq++
		seq := s.seq
		clear(s.pending) // what has not been answered by now is not worth having
		s.mu.Unlock()
		s.Send(&benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Probe{Probe: &benchdv1.Probe{Seq: seq}}})
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

// Replied takes the answer to a probe, received at our instant now.
func (s *Session) Replied(r *benchdv1.ProbeReply, now int64) {
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

// Burst asks for probes before a start, and waits for them. It reports whether the stream is still there.
func (s *Session) Burst(ctx context.Context) bool {
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

// An agent is sent its line again when that has moved by so much, or after so long.
const (
	lineMoves = 20 * time.Microsecond
	lineAges  = 5 * time.Second
)

// sentLine is the line that an agent was sent last. It belongs to the loop that probes the agent.
type sentLine struct {
	run  string
	line clock.Line
}

// outdated reports whether an agent that goes by the line it was sent is not where it should be.
func (l sentLine) outdated(run string, line clock.Line) bool {
	off := time.Duration(line.Y - l.line.At(line.X))
	return l.run != run || off.Abs() >= lineMoves || time.Duration(line.X-l.line.X) >= lineAges
}

// SendLine sends how the agent's clock now maps to the time of the run that it serves, where the line that it goes by is
// outdated. Only the loop that probes the agent calls it.
func (s *Session) SendLine(run string, line clock.Line) {
	if s.sent.outdated(run, line) {
		s.sent = sentLine{run, line}
		s.Send(&benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Timebase{Timebase: wire.FromLine(run, line)}})
	}
}
