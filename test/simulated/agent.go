package simulated

import (
	"context"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/wire"
)

// Agent is a simulated agent: it follows the protocol, and measures nothing.
type Agent struct {
	Name    string
	load    *Load
	seconds int

	conn   *grpc.ClientConn
	stream benchdv1.AgentService_SessionClient

	sending sync.Mutex
	starts  chan *benchdv1.Start
	over    chan struct{}
	enough  chan struct{}
	end     func() // closes enough, once

	mu       sync.Mutex
	sent     []time.Time // the instant at which each window ended
	lateness []time.Duration
	acks     []int
	safe     int // windows that are acknowledged
	err      error

	began time.Time // the instant of its first operation
}

// Host returns the loopback address of the host of an agent: 500 agents share one, because a coordinator bounds the agents of a host.
func Host(agent int) string { return fmt.Sprintf("127.0.0.%d", 1+agent/500) }

// Dial connects an agent to the coordinator on a connection of its own, from a host that has other agents, too (Host). It sends the windows
// of some seconds of a run.
func Dial(ctx context.Context, address, name, host string, creds credentials.TransportCredentials, l *Load, seconds int) (*Agent, error) {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(host)}}
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(creds),
		grpc.WithContextDialer(func(ctx context.Context, address string) (net.Conn, error) {
			return dialer.DialContext(ctx, "tcp", address)
		}),
		grpc.WithStaticStreamWindowSize(wire.FlowWindow), grpc.WithStaticConnWindowSize(wire.FlowWindow), // as real agents do
		grpc.WithReadBufferSize(4<<10), grpc.WithWriteBufferSize(16<<10))
	if err != nil {
		return nil, err
	}
	a := &Agent{
		Name: name, load: l, seconds: seconds, conn: conn, starts: make(chan *benchdv1.Start, 1), over: make(chan struct{}), enough: make(chan struct{}),
		sent: make([]time.Time, seconds), lateness: make([]time.Duration, seconds), acks: make([]int, seconds),
	}
	a.end = sync.OnceFunc(func() { close(a.enough) })
	if a.stream, err = benchdv1.NewAgentServiceClient(conn).Session(ctx); err != nil {
		return nil, err
	}
	err = a.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Hello{Hello: &benchdv1.Hello{
		Protocol: wire.Protocol, Name: name, BootId: "boot-" + name, Version: "simulated",
		Host: &benchdv1.HostFacts{Hostname: name, Os: "linux/amd64", Cores: 16}, AgentNs: time.Now().UnixNano(),
	}}})
	return a, err
}

func (a *Agent) send(m *benchdv1.SessionRequest) error {
	a.sending.Lock()
	defer a.sending.Unlock()
	return a.stream.Send(m)
}

// Close closes the connection.
func (a *Agent) Close() error { return a.conn.Close() }

// Serve answers the coordinator until the stream ends or the shard is released.
func (a *Agent) Serve() {
	defer close(a.over)
	for {
		msg, err := a.stream.Recv()
		if err == nil {
			err = a.answer(msg)
		}
		if err != nil {
			a.mu.Lock()
			a.err = fmt.Errorf("agent %s: %w", a.Name, err)
			a.mu.Unlock()
			return
		}
		if msg.GetRelease() != nil {
			return
		}
	}
}

func (a *Agent) answer(msg *benchdv1.SessionResponse) error {
	switch m := msg.GetMessage().(type) {
	case *benchdv1.SessionResponse_Probe:
		now := time.Now().UnixNano()
		return a.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_ProbeReply{ProbeReply: &benchdv1.ProbeReply{
			Seq: m.Probe.GetSeq(), ReceivedAgentNs: now, SentAgentNs: time.Now().UnixNano(),
		}}})
	case *benchdv1.SessionResponse_Prepare:
		return a.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Prepared{
			Prepared: &benchdv1.Prepared{Id: m.Prepare.GetId()},
		}})
	case *benchdv1.SessionResponse_Start:
		a.mu.Lock()
		if a.began.IsZero() { // it may come again
			a.began = time.Now()
		}
		a.mu.Unlock()
		select {
		case a.starts <- m.Start:
		default: // it comes again
		}
	case *benchdv1.SessionResponse_Ack:
		a.acknowledged(int(m.Ack.GetSeq()), time.Now())
	}
	return nil
}

func (a *Agent) acknowledged(seq int, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if seq < len(a.acks) {
		a.acks[seq]++
		a.safe++
		a.lateness[seq] = now.Sub(a.sent[seq])
	}
}

// End ends the run earlier: the agent sends its current window as the last one.
func (a *Agent) End() { a.end() }

// ending reports whether a window is the last one.
func (a *Agent) ending(seq int) bool {
	select {
	case <-a.enough:
		return true
	default:
		return seq == a.seconds-1
	}
}

// Over is closed when Serve ends.
func (a *Agent) Over() <-chan struct{} { return a.over }

// Err is why Serve has ended; nil if the shard was released.
func (a *Agent) Err() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.err
}

// Sending is whether the agent has sent a window.
func (a *Agent) Sending() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return !a.sent[0].IsZero()
}

// Safe is how many windows are acknowledged.
func (a *Agent) Safe() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.safe
}

// Acknowledged has how often each window was acknowledged, and how long after its end the last time.
func (a *Agent) Acknowledged() (times []int, lateness []time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.acks), slices.Clone(a.lateness)
}

// Began is the instant of the first operation.
func (a *Agent) Began() time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.began
}

// Measure waits for the start and sends a window at the end of each interval.
func (a *Agent) Measure(ctx context.Context) error {
	var start *benchdv1.Start
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-a.over:
		return a.Err()
	case start = <-a.starts:
	}
	began := time.Unix(0, wire.ToLine(start.GetTimebase()).Inverse(start.GetAtRunNs()))
	if err := Wait(ctx, began); err != nil {
		return err
	}
	id := start.GetId()
	if err := a.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Started{Started: &benchdv1.Started{
		Id: id, Phase: start.GetPhase(), FirstSentAgentNs: a.first(began).UnixNano(),
	}}}); err != nil {
		return err
	}
	windows := 0
	for last := false; !last; windows++ {
		end := began.Add(time.Duration(windows+1) * Interval)
		if err := Wait(ctx, end); err != nil {
			return err
		}
		a.mu.Lock()
		a.sent[windows] = end
		a.mu.Unlock()
		last = a.ending(windows)
		w := a.load.window(id, start.GetPhase(), windows, last)
		if err := a.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Window{Window: w}}); err != nil {
			return err
		}
	}
	done := uint64(windows) * OpsOfWindow
	return a.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_PhaseEnded{PhaseEnded: &benchdv1.PhaseEnded{
		Id: id, Phase: start.GetPhase(), EndedNs: int64(windows) * int64(Interval), Windows: uint32(windows), Final: true,
		Issued: done, Recorded: done,
	}}})
}

// first returns the instant of the agent's first operation: the planned one, or that at which the agent knew it. All agents are in this
// process and would send in turns; real ones have processors of their own.
func (a *Agent) first(planned time.Time) time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.began.Before(planned) {
		a.began = planned
	}
	return a.began
}

// Wait waits until an instant, or until the context ends.
func Wait(ctx context.Context, until time.Time) error {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
