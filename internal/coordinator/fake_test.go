package coordinator_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"github.com/benchd/benchd/internal/archive/sqlite"
	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/coordinator"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/notice"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/target/all"
	"github.com/benchd/benchd/internal/tolerance"
	"github.com/benchd/benchd/internal/wire"
)

// patience bounds every wait of these tests.
const patience = tolerance.Patience

// harness is a coordinator on an in-memory network, which can be stopped and restarted on the same archive. It works in a
// bubble of testing/synctest: grace periods and intervals take no time, and stalls of the machine do not show.
type harness struct {
	t        *testing.T
	dir      string
	grace    time.Duration
	show     time.Duration                                 // how long metrics of ended runs are exported
	skew     clock.Skew                                    // of the coordinator's clock
	wrap     func(coordinator.Archive) coordinator.Archive // wraps its archive; nil for none
	announce notice.Announce
	revokes  coordinator.Certificates // nil for none
	registry *prometheus.Registry
	c        *coordinator.Coordinator
	server   *grpc.Server
	listener *bufconn.Listener
	serving  sync.WaitGroup
	conn     *grpc.ClientConn
	runs     benchdv1.RunServiceClient

	mu  sync.Mutex
	log []byte
}

func newHarness(t *testing.T) *harness { return newHarnessOf(t, 30*time.Second) }

func newHarnessOf(t *testing.T, grace time.Duration) *harness {
	t.Helper()
	h := &harness{t: t, dir: t.TempDir(), grace: grace}
	h.open()
	t.Cleanup(func() { h.close() })
	return h
}

func (h *harness) open() {
	h.registry = prometheus.NewPedanticRegistry()
	var wrapped coordinator.Archive
	if h.wrap != nil {
		opened, err := sqlite.Open(h.t.Context(), h.dir, slog.New(slog.DiscardHandler))
		require.NoError(h.t, err)
		wrapped = h.wrap(opened)
	}
	c, err := coordinator.New(h.t.Context(), coordinator.Config{
		DataDir: h.dir, Archive: wrapped, Version: "test", Reader: all.Targets().Reader(), AgentGrace: h.grace,
		Announce: h.announce, Certificates: h.revokes, ShowEnded: h.show, Clock: clock.NewSource(h.skew), Registerer: h.registry, Logger: slog.New(slog.NewTextHandler(h, nil)),
	})
	require.NoError(h.t, err)
	h.c = c
	h.listener = bufconn.Listen(1 << 20)
	h.server = grpc.NewServer(coordinator.ServerOptions()...)
	c.Register(h.server)
	server, listener := h.server, h.listener
	h.serving.Go(func() { _ = server.Serve(listener) })
	h.conn = h.client()
	h.runs = benchdv1.NewRunServiceClient(h.conn)
}

func (h *harness) client() *grpc.ClientConn {
	conn, err := grpc.NewClient("passthrough:///coordinator",
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return h.listener.DialContext(ctx) }),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(h.t, err)
	return conn
}

// dial returns a further connection, which the test's end closes.
func (h *harness) dial() *grpc.ClientConn {
	conn := h.client()
	h.t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func (h *harness) close() {
	if h.c == nil {
		return
	}
	h.c.Detach()
	late := time.AfterFunc(time.Second, h.server.Stop)
	h.server.GracefulStop()
	late.Stop()
	h.serving.Wait()
	require.NoError(h.t, h.conn.Close())
	require.NoError(h.t, h.c.Close(context.WithoutCancel(h.t.Context())))
	h.c = nil
}

// Write records the coordinator's log.
func (h *harness) Write(b []byte) (int, error) {
	h.t.Log(string(b))
	h.mu.Lock()
	defer h.mu.Unlock()
	h.log = append(h.log, b...)
	return len(b), nil
}

func (h *harness) logged(text string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return bytes.Contains(h.log, []byte(text))
}

// submit submits a run on the null target. The run can also end by operations, so that a fakeAgent need not use up its
// time.
func (h *harness) submit(req *benchdv1.SubmitRequest, settings ...string) (string, error) {
	req.Submission = &benchdv1.Submission{}
	settings = append([]string{"db=null", "recordcount=1000", "readproportion=1", "updateproportion=0", "interval=100ms", "operationcount=1000000"}, settings...)
	for _, s := range settings {
		var k, v string
		for i := range s {
			if s[i] == '=' {
				k, v = s[:i], s[i+1:]
				break
			}
		}
		req.Submission.Properties = append(req.Submission.Properties, &benchdv1.Setting{Key: k, Value: v})
	}
	resp, err := h.runs.Submit(h.t.Context(), req)
	return resp.GetId(), wire.FromStatus(err)
}

// submitRun submits a run of the given number of agents, which may connect later.
func (h *harness) submitRun(agents uint32, settings ...string) (id string) {
	h.t.Helper()
	id, err := h.submit(&benchdv1.SubmitRequest{Agents: agents, WaitAgents: wait()}, settings...)
	require.NoError(h.t, err)
	return id
}

// measuring returns a harness with a run of agent a that has just started to measure.
func measuring(t *testing.T, settings ...string) (h *harness, a *fakeAgent, id string, start *benchdv1.Start) {
	t.Helper()
	h = newHarness(t)
	a = newFakeAgent(h, "a").connect()
	id = h.submitRun(1, settings...)
	a.ready()
	start = a.begin()
	return h, a, id, start
}

// result reads a run's result.
func (h *harness) result(id string) result.Run {
	var run result.Run
	h.decode(id, &run)
	return run
}

// decode reads the result of a suite or run into a value.
func (h *harness) decode(id string, into any) {
	stream, err := h.runs.Get(h.t.Context(), &benchdv1.GetRequest{Id: id})
	require.NoError(h.t, err)
	var text []byte
	for {
		piece, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(h.t, err)
		text = append(text, piece.GetChunk()...)
	}
	require.NoError(h.t, json.Unmarshal(text, into))
}

// until waits for a suite to reach a status.
func (h *harness) until(id string, want result.Status) {
	ctx, cancel := context.WithTimeout(h.t.Context(), patience)
	defer cancel()
	stream, err := h.runs.Watch(ctx, &benchdv1.WatchRequest{Id: id})
	require.NoError(h.t, err)
	var last *benchdv1.WatchResponse
	for {
		msg, err := stream.Recv()
		require.NoError(h.t, err, "waiting for %s; last: %v", want, last)
		last = msg
		if msg.GetStatus() == string(want) {
			return
		}
		require.False(h.t, msg.GetEnded(), "ended as %s instead of %s: %v", msg.GetStatus(), want, msg)
	}
}

// fakeAgent is an agent that a test controls.
type fakeAgent struct {
	t      *testing.T
	h      *harness
	hello  *benchdv1.Hello
	clock  *clock.Source
	stream benchdv1.AgentService_SessionClient
	cancel context.CancelFunc

	in   chan *benchdv1.SessionResponse // all but probes and time bases
	done chan error                     // the stream's end

	mu       sync.Mutex
	timebase *benchdv1.Timebase // the newest one
}

func newFakeAgent(h *harness, name string, labels ...string) *fakeAgent {
	p := &fakeAgent{t: h.t, h: h, clock: clock.NewSource(clock.Skew{Offset: time.Hour})}
	p.hello = &benchdv1.Hello{
		Protocol: wire.Protocol, Name: name, BootId: "boot-" + name, Version: "test", Labels: map[string]string{},
		Host: &benchdv1.HostFacts{Hostname: name, Cores: 2},
	}
	for _, l := range labels {
		p.hello.Labels[l] = "yes"
	}
	return p
}

// connect opens the stream and serves it.
func (p *fakeAgent) connect() *fakeAgent {
	p.stream, p.in, p.done = p.open(), make(chan *benchdv1.SessionResponse, 10_000), make(chan error, 1)
	go p.receive(p.stream, p.in, p.done)
	return p
}

// open opens the stream and sends the Hello.
func (p *fakeAgent) open() benchdv1.AgentService_SessionClient {
	ctx, cancel := context.WithCancel(context.WithoutCancel(p.t.Context()))
	p.cancel = cancel
	p.t.Cleanup(cancel)
	stream, err := benchdv1.NewAgentServiceClient(p.h.conn).Session(ctx)
	require.NoError(p.t, err)
	require.NoError(p.t, stream.Send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Hello{Hello: p.hello}}))
	return stream
}

func (p *fakeAgent) receive(stream benchdv1.AgentService_SessionClient, in chan<- *benchdv1.SessionResponse, done chan<- error) {
	for {
		msg, err := stream.Recv()
		if err != nil {
			done <- wire.FromStatus(err)
			return
		}
		now := p.clock.Now()
		switch {
		case msg.GetProbe() != nil:
			p.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_ProbeReply{ProbeReply: &benchdv1.ProbeReply{
				Seq: msg.GetProbe().GetSeq(), ReceivedAgentNs: now, SentAgentNs: p.clock.Now(),
			}}})
		case msg.GetTimebase() != nil:
			p.mu.Lock()
			p.timebase = msg.GetTimebase()
			p.mu.Unlock()
		default:
			in <- msg
		}
	}
}

func (p *fakeAgent) send(m *benchdv1.SessionRequest) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.stream.Send(m) // a stream that has ended shows in receive
}

// await returns the next message for which get returns a value.
func await[T any](p *fakeAgent, get func(*benchdv1.SessionResponse) *T) *T {
	p.t.Helper()
	timeout := time.After(patience)
	for {
		select {
		case msg := <-p.in:
			if got := get(msg); got != nil {
				return got
			}
		case err := <-p.done:
			p.done <- err
			require.Fail(p.t, "the stream has ended", "%s: %v", p.hello.GetName(), err)
		case <-timeout:
			require.Fail(p.t, "no such message arrives", p.hello.GetName())
		}
	}
}

// ready waits for the order to prepare and reports the shard as ready.
func (p *fakeAgent) ready() *benchdv1.Prepare {
	order := await(p, (*benchdv1.SessionResponse).GetPrepare)
	p.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Prepared{Prepared: &benchdv1.Prepared{Id: order.GetId()}}})
	return order
}

// begin waits for the start and reports the first operation.
func (p *fakeAgent) begin() *benchdv1.Start {
	start := await(p, (*benchdv1.SessionResponse).GetStart)
	line := wire.ToLine(start.GetTimebase())
	p.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Started{Started: &benchdv1.Started{
		Id: start.GetId(), Phase: start.GetPhase(), FirstSentAgentNs: line.Inverse(start.GetAtRunNs()),
	}}})
	return start
}

// window sends a window of reads that took a millisecond each.
func (p *fakeAgent) window(id *benchdv1.ShardId, seq, ops int, outcome string, last bool) {
	p.windowAt(id, seq, time.Duration(seq)*100*time.Millisecond, ops, outcome, last)
}

// windowAt sends a window that begins at an instant.
func (p *fakeAgent) windowAt(id *benchdv1.ShardId, seq int, start time.Duration, ops int, outcome string, last bool) {
	var h latency.Histogram
	for range ops {
		h.Record(int64(time.Millisecond))
	}
	w := &latency.Window{
		ID:    latency.WindowID{Run: id.GetRun(), Phase: "measure", Shard: int(id.GetShard()), Attempt: int(id.GetAttempt()), Seq: seq},
		Start: start, End: start + 100*time.Millisecond, Last: last,
		Issued: uint64((seq + 1) * ops), Recorded: uint64((seq + 1) * ops),
		Health: latency.Health{Cores: 2, HostIdle: 0.9},
	}
	w.Series = []latency.Series{{Key: latency.Key{Op: "READ", Outcome: outcome}, Response: &h, Service: &h}}
	p.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Window{Window: wire.FromWindow(w)}})
}

// ended reports that the shard's workers have joined.
func (p *fakeAgent) ended(id *benchdv1.ShardId, windows, ops int) {
	p.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_PhaseEnded{PhaseEnded: &benchdv1.PhaseEnded{
		Id: id, Phase: "measure", EndedNs: int64(windows) * 1e8, Windows: uint32(windows), Final: true,
		Issued: uint64(windows * ops), Recorded: uint64(windows * ops),
	}}})
}

// acked waits until a window is acknowledged.
func (p *fakeAgent) acked(seq int) {
	await(p, func(m *benchdv1.SessionResponse) *benchdv1.Ack {
		if a := m.GetAck(); a != nil && int(a.GetSeq()) == seq {
			return a
		}
		return nil
	})
}

// refused waits for the stream's end and returns its cause.
func (p *fakeAgent) refused() error {
	p.t.Helper()
	select {
	case err := <-p.done:
		return err
	case <-time.After(patience):
		return errors.New("not refused")
	}
}
