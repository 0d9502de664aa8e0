package roster

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
	"google.golang.org/protobuf/proto"

	"github.com/benchd/benchd/internal/clock"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/wire"
)

// ProbeEvery is the minimum interval of clock probes, besides a burst when an agent connects and before each start.
const ProbeEvery = time.Second

const (
	burstProbes = 12
	replyWithin = 2 * time.Second
	// maxUnmerged bounds the windows of an agent that wait for the archive, in bytes: two of the largest.
	maxUnmerged = 8 << 20
)

var (
	errReplaced = errors.New("the agent has opened another stream")
	errSlow     = errors.New("the agent does not read its messages")
)

// Session is an agent's stream. Three goroutines serve it: one receives, one sends, and the stream's handler probes.
type Session struct {
	hello   *benchdv1.Hello // with fingerprints in place of boot ids
	boot    string          // the fingerprint of the agent's process
	address string
	secured string // the protection of the connection
	clock   *clock.Source
	log     *slog.Logger

	out    *outbox
	bursts chan chan<- struct{} // requests for a burst of probes; closed when it is over
	cancel context.CancelCauseFunc
	over   <-chan struct{} // closed when the stream must end

	windows *semaphore.Weighted // bytes of windows that are not merged yet

	refused *benchdv1.ShardId // the shard whose window was refused last
	sent    sentLine

	mu      sync.Mutex
	pending map[uint64]int64 // when the unanswered probes were sent
	seq     uint64
	replies chan clock.Probe
	orders  uint64 // requests for raw points
	pieces  map[uint64]chan<- *benchdv1.PointsPiece
	actions map[string]chan<- *benchdv1.ActionAnswer // by action id; callers of Order wait for them
}

// NewSession returns the session of an agent that has sent its Hello; secured is the protection of its connection, for results. It is over when ctx ends; cancel ends ctx.
func NewSession(ctx context.Context, cancel context.CancelCauseFunc, hello *benchdv1.Hello, address, secured string, source *clock.Source, log *slog.Logger) *Session {
	hello, boot := withoutSecrets(hello)
	return &Session{
		hello: hello, boot: boot, address: address, secured: secured, clock: source, log: log.With("agent", hello.GetName()), cancel: cancel, over: ctx.Done(),
		out:     newOutbox(),
		bursts:  make(chan chan<- struct{}, 8),
		pending: make(map[uint64]int64),
		pieces:  make(map[uint64]chan<- *benchdv1.PointsPiece),
		actions: make(map[string]chan<- *benchdv1.ActionAnswer),
		replies: make(chan clock.Probe, burstProbes),
		windows: semaphore.NewWeighted(maxUnmerged),
	}
}

// withoutSecrets returns a Hello with the fingerprints of held shards in place of their boot ids, and the fingerprint of the
// agent's process.
func withoutSecrets(hello *benchdv1.Hello) (*benchdv1.Hello, string) {
	boot := Fingerprint(hello.GetBootId())
	hello = proto.CloneOf(hello)
	hello.BootId = ""
	for _, held := range hello.GetHeld() {
		if held.GetBootId() != "" {
			held.BootId = Fingerprint(held.GetBootId())
		}
	}
	return hello, boot
}

// Hello returns the agent's Hello, with fingerprints in place of the boot ids of held shards, and without its own.
func (s *Session) Hello() *benchdv1.Hello { return s.hello }

// Name returns the agent's name.
func (s *Session) Name() string { return s.hello.GetName() }

// Address returns the address from which the agent connects.
func (s *Session) Address() string { return s.address }

// Boot returns the fingerprint of the agent's process.
func (s *Session) Boot() string { return s.boot }

// Proof returns the fingerprint by which the agent claims the windows that an earlier process has left of a shard; empty if it
// claims none.
func (s *Session) Proof(id latency.WindowID) string {
	for _, held := range s.hello.GetHeld() {
		of := held.GetId()
		if held.GetRecovered() && of.GetRun() == id.Run && int(of.GetShard()) == id.Shard && int(of.GetAttempt()) == id.Attempt {
			return held.GetBootId()
		}
	}
	return ""
}

// Log returns a logger with the agent's name.
func (s *Session) Log() *slog.Logger { return s.log }

// Send queues a message. It ends the stream of an agent that has stopped reading instead of waiting for it.
func (s *Session) Send(m *benchdv1.SessionResponse) {
	if !s.out.put(m) {
		s.end(errSlow)
	}
}

// end ends the stream.
func (s *Session) end(why error) { s.cancel(why) }

// Reserve waits until the agent may have so many more bytes of windows in memory; Free ends that.
func (s *Session) Reserve(ctx context.Context, bytes int) error {
	return s.windows.Acquire(ctx, min(int64(bytes), maxUnmerged))
}

// Free ends the reservation of so many bytes.
func (s *Session) Free(bytes int) { s.windows.Release(min(int64(bytes), maxUnmerged)) }

// Acknowledge reports to the agent that a window is archived, so that the agent can drop it.
func (s *Session) Acknowledge(id latency.WindowID) {
	s.Send(&benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Ack{Ack: &benchdv1.Ack{
		Id: wire.FromShard(id.Run, id.Shard, id.Attempt), Phase: id.Phase, Seq: uint32(id.Seq),
	}}})
}

// Refuse records that a window of a shard was refused, and reports whether it is the first one. Only the receiving
// goroutine calls it.
func (s *Session) Refuse(id *benchdv1.ShardId) (first bool) {
	if proto.Equal(id, s.refused) {
		return false
	}
	s.refused = id
	return true
}

// SendLoop is the only sender on the stream. It stamps probes right before they are sent.
func (s *Session) SendLoop(ctx context.Context, stream benchdv1.AgentService_SessionServer) error {
	var messages []*benchdv1.SessionResponse
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-s.out.ready:
		}
		messages = s.out.take(messages)
		for _, m := range messages {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
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

// ProbeLoop probes the agent's clock at intervals that got returns for each answer, as few as its estimate needs: probes of thousands of agents
// take a large part of the coordinator's time. The intervals have jitter: agents that connect together after a restart are not probed together
// forever.
func (s *Session) ProbeLoop(ctx context.Context, got func(clock.Probe) (next time.Duration)) {
	timeout := time.NewTimer(replyWithin)
	defer timeout.Stop()
	s.probe(ctx, timeout, burstProbes, got)
	tick := time.NewTimer(rand.N(ProbeEvery)) //nolint:gosec // jitter
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case done := <-s.bursts:
			s.probe(ctx, timeout, burstProbes, got)
			close(done)
		case <-tick.C:
			next := max(s.probe(ctx, timeout, 1, got), ProbeEvery)
			tick.Reset(next - next/20 + rand.N(next/10)) //nolint:gosec // jitter
		}
	}
}

// probe makes n round trips, one after another, and returns when the next one is due: 0 if the agent does not answer.
func (s *Session) probe(ctx context.Context, timeout *time.Timer, n int, got func(clock.Probe) time.Duration) (next time.Duration) {
	for range n {
		s.mu.Lock()
		s.seq++
		seq := s.seq
		clear(s.pending) // late answers are useless
		s.mu.Unlock()
		s.Send(&benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Probe{Probe: &benchdv1.Probe{Seq: seq}}})
		timeout.Reset(replyWithin)
		select {
		case <-ctx.Done():
			return 0
		case <-timeout.C:
			return 0
		case p := <-s.replies:
			next = got(p)
		}
	}
	timeout.Stop() // it would wake an idle session
	return next
}

// Replied records the answer to a probe, received at the instant now of our clock.
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

// poke requests a burst of probes, unless some are requested: an agent that is alive answers.
func (s *Session) poke() {
	if len(s.bursts) > 0 {
		return
	}
	select {
	case s.bursts <- make(chan struct{}):
	default:
	}
}

// Burst requests a burst of probes and waits for it. It reports whether the stream is still open.
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

// The agent is sent its line again when the line has moved by lineMoves, or after lineAges.
const (
	lineMoves = 20 * time.Microsecond
	lineAges  = 5 * time.Second
)

// sentLine is the line that the agent was sent last. It belongs to the probe loop.
type sentLine struct {
	run  string
	line clock.Line
}

// outdated reports whether an agent that uses the sent line is off by too much.
func (l sentLine) outdated(run string, line clock.Line) bool {
	off := time.Duration(line.Y - l.line.At(line.X))
	return l.run != run || off.Abs() >= lineMoves || time.Duration(line.X-l.line.X) >= lineAges
}

// SendLine sends the mapping from the agent's clock to the time of its run, if the one sent last is outdated. Only the
// probe loop calls it.
func (s *Session) SendLine(run string, line clock.Line) {
	if s.sent.outdated(run, line) {
		s.sent = sentLine{run, line}
		s.Send(&benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Timebase{Timebase: wire.FromLine(run, line)}})
	}
}
