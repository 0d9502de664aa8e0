//go:build integration

package crash

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/wire"
)

const (
	// interval is the length of a window, as far as the coordinator knows: windows are cut as fast as they are acknowledged.
	interval = 100 * time.Millisecond
	// ahead is the number of windows of an agent that wait for their acknowledgement.
	ahead = 16
	// opsOfWindow is what each window counts.
	opsOfWindow = 40
)

// agent is a simulated agent of one run. It outlives the coordinator, and records the acknowledgements.
type agent struct {
	name string

	mu      sync.Mutex
	shard   *benchdv1.ShardId
	start   *benchdv1.Start
	started *benchdv1.Started
	next    int                      // number of the next window
	most    int                      // it cuts windows below this number; 0 for any
	kept    map[int]*benchdv1.Window // that are not acknowledged
	acked   map[int]int              // how often each was
	stopped bool                     // it cuts no more windows
	over    bool                     // the run was released
	moved   chan struct{}            // closed and replaced when any of this changes
}

func newAgent(name string) *agent {
	return &agent{name: name, kept: map[int]*benchdv1.Window{}, acked: map[int]int{}, moved: make(chan struct{})}
}

// change applies a change, and wakes all that wait for one.
func (a *agent) change(do func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	do()
	close(a.moved)
	a.moved = make(chan struct{})
}

// until waits until a condition holds.
func (a *agent) until(ctx context.Context, is func() bool) error {
	for {
		a.mu.Lock()
		yes, moved := is(), a.moved
		a.mu.Unlock()
		if yes {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-moved:
		}
	}
}

// acknowledged returns the windows that the coordinator has acknowledged.
func (a *agent) acknowledged() map[int]int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return maps.Clone(a.acked)
}

// link is an agent's stream to one coordinator.
type link struct {
	*agent
	stream  benchdv1.AgentService_SessionClient
	sending sync.Mutex
}

// serve serves the coordinator at an address until its stream ends and everything that it sent has been read.
func (a *agent) serve(ctx context.Context, address string) error {
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l := &link{agent: a}
	if l.stream, err = benchdv1.NewAgentServiceClient(conn).Session(ctx); err != nil {
		return err
	}
	if err := l.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Hello{Hello: a.hello()}}); err != nil {
		return err
	}
	var work sync.WaitGroup
	defer work.Wait()
	defer cancel()
	work.Go(func() { _ = l.measure(ctx) }) // receiving returns the reason of its end
	for {
		m, err := l.stream.Recv()
		if err != nil {
			return err
		}
		if err := l.answer(m); err != nil {
			return err
		}
	}
}

func (a *agent) hello() *benchdv1.Hello {
	a.mu.Lock()
	defer a.mu.Unlock()
	hello := &benchdv1.Hello{
		Protocol: wire.Protocol, Name: a.name, BootId: "boot-" + a.name, Version: "simulated",
		Host: &benchdv1.HostFacts{Hostname: a.name, Os: "linux/amd64", Cores: 16}, AgentNs: time.Now().UnixNano(),
	}
	if a.shard == nil {
		return hello
	}
	held := &benchdv1.HeldShard{Id: a.shard, Prepared: true}
	if a.start != nil {
		held.Phase, held.Running, held.Timebase = a.start.GetPhase(), !a.stopped, a.start.GetTimebase()
		held.Started = []*benchdv1.Started{a.started}
	}
	hello.Held = []*benchdv1.HeldShard{held}
	return hello
}

func (l *link) send(m *benchdv1.SessionRequest) error {
	l.sending.Lock()
	defer l.sending.Unlock()
	return l.stream.Send(m)
}

// answer executes the orders of the coordinator.
func (l *link) answer(m *benchdv1.SessionResponse) error {
	switch m := m.GetMessage().(type) {
	case *benchdv1.SessionResponse_Probe:
		now := time.Now().UnixNano()
		return l.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_ProbeReply{ProbeReply: &benchdv1.ProbeReply{
			Seq: m.Probe.GetSeq(), ReceivedAgentNs: now, SentAgentNs: now,
		}}})
	case *benchdv1.SessionResponse_Prepare:
		l.change(func() { l.shard = m.Prepare.GetId() })
		return l.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Prepared{Prepared: &benchdv1.Prepared{Id: m.Prepare.GetId()}}})
	case *benchdv1.SessionResponse_Start:
		l.change(func() {
			if l.start == nil { // a Start that comes again changes nothing
				l.start = m.Start
				l.started = &benchdv1.Started{Id: m.Start.GetId(), Phase: m.Start.GetPhase(), FirstSentAgentNs: time.Now().UnixNano()}
			}
		})
		return l.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Started{Started: l.started}})
	case *benchdv1.SessionResponse_Ack:
		l.change(func() {
			delete(l.kept, int(m.Ack.GetSeq()))
			l.acked[int(m.Ack.GetSeq())]++
		})
	case *benchdv1.SessionResponse_Stop:
		l.change(func() { l.stopped = true })
	case *benchdv1.SessionResponse_Release:
		l.change(func() { l.over = true })
	}
	return nil
}

// measure sends windows without an acknowledgement again, continues from there, and ends the phase on an order.
func (l *link) measure(ctx context.Context) error {
	l.mu.Lock()
	again := make([]*benchdv1.Window, 0, len(l.kept))
	for _, seq := range slices.Sorted(maps.Keys(l.kept)) {
		again = append(again, l.kept[seq])
	}
	l.mu.Unlock()
	for _, w := range again {
		if err := l.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Window{Window: w}}); err != nil {
			return err
		}
	}
	for {
		if err := l.until(ctx, func() bool {
			return l.start != nil && (l.stopped || len(l.kept) < ahead && (l.most == 0 || l.next < l.most))
		}); err != nil {
			return err
		}
		w := l.cut()
		if err := l.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Window{Window: w}}); err != nil {
			return err
		}
		if !w.GetLast() {
			continue
		}
		return l.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_PhaseEnded{PhaseEnded: &benchdv1.PhaseEnded{
			Id: w.GetId(), Phase: w.GetPhase(), EndedNs: w.GetEndNs(), Windows: w.GetSeq() + 1, Final: true,
			Issued: w.GetIssued(), Recorded: w.GetRecorded(),
		}}})
	}
}

// cut makes the next window.
func (a *agent) cut() *benchdv1.Window {
	h := new(latency.Histogram)
	for range opsOfWindow {
		h.Record(int64(time.Millisecond))
	}
	var w *benchdv1.Window
	a.change(func() {
		done := uint64(a.next+1) * opsOfWindow
		w = &benchdv1.Window{
			Id: a.start.GetId(), Phase: a.start.GetPhase(), Seq: uint32(a.next),
			StartNs: int64(a.next) * int64(interval), EndNs: int64(a.next+1) * int64(interval),
			Issued: done, Recorded: done, Rows: opsOfWindow, Last: a.stopped,
			Series: []*benchdv1.Series{wire.FromSeries(latency.Series{Key: latency.Key{Op: "READ", Outcome: "OK"}, Response: h, Service: h})},
			Health: &benchdv1.Health{Cores: 16, HostIdle: 0.9},
		}
		a.kept[a.next] = w
		a.next++
	})
	return w
}
