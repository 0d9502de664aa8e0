package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"google.golang.org/grpc"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/wire"
	"github.com/benchd/benchd/internal/wire/route"
)

// Pauses between attempts to reach the coordinator.
const (
	firstPause    = 200 * time.Millisecond
	lastPause     = 5 * time.Second
	growth        = 1.6
	jitter        = 0.2 // so that the agents of a restarted coordinator do not all connect at once
	connectWithin = 5 * time.Second
	// welcomeWithin is how long the coordinator may take to admit the agent: it waits for some seconds while another
	// agent of the same name may still be alive.
	welcomeWithin = 20 * time.Second
)

var errNoWelcome = fmt.Errorf("the coordinator did not answer within %s", welcomeWithin)

// dial returns a connection to a coordinator, which opens it when it is first used.
func (a *Agent) dial(address string) (*grpc.ClientConn, error) {
	options := a.config.dialOptions()
	if a.config.DialTo != nil {
		more, err := a.config.DialTo(address)
		if err != nil {
			return nil, err
		}
		options = append(options, more...)
	}
	conn, err := grpc.NewClient(address, options...)
	if err != nil {
		return nil, fmt.Errorf("connect to coordinator %s: %w", address, err)
	}
	return conn, nil
}

// link keeps a stream to the coordinator that leads open until ctx ends, and closes the connection. It returns an error when the
// coordinator refuses the agent.
func (a *Agent) link(ctx context.Context, way *route.Route, conn *grpc.ClientConn) (err error) {
	defer func() { err = errors.Join(err, conn.Close()) }()
	pause := firstPause
	for {
		address := way.Address()
		welcomed, err := a.session(ctx, address, benchdv1.NewAgentServiceClient(conn))
		a.lost()
		a.mu.Lock()
		leaving := a.leaving
		a.mu.Unlock()
		switch {
		case ctx.Err() != nil, leaving && errors.Is(err, io.EOF):
			return nil // the stream's end is what was wanted
		case refused(err):
			return fmt.Errorf("register with coordinator %s: %w", address, err)
		case welcomed:
			pause = firstPause
			way.Arrived()
		}
		next, failed := a.advance(way, err, pause)
		a.explain(address, welcomed, failed, next)
		if next > 0 {
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(next):
			}
			pause = min(time.Duration(float64(pause)*growth), lastPause)
			conn.ResetConnectBackoff()
		}
		// The coordinator knows an agent by the certificate of the handshake: another connection has the one of now.
		if way.Address() == address && !errors.Is(err, wire.ErrUnauthenticated) {
			continue
		}
		fresh, err := a.dial(way.Address())
		if err != nil {
			return err
		}
		_ = conn.Close() // an error says that it is closed
		conn = fresh
	}
}

// advance moves to the address that is tried next, and returns the pause before it; 0 within a round. An address that may not be used, such
// as that of a leader beyond this machine without TLS, is left out: failed has the reason, too.
func (a *Agent) advance(way *route.Route, err error, pause time.Duration) (next time.Duration, failed error) {
	over := way.Next(err)
	for a.config.DialTo != nil && !over {
		_, unusable := a.config.DialTo(way.Address())
		if unusable == nil {
			break
		}
		err = fmt.Errorf("%w; %w", err, unusable)
		over = way.Next(unusable)
	}
	if !over {
		return 0, err
	}
	return time.Duration(float64(pause) * (1 + jitter*(2*rand.Float64()-1))), err //nolint:gosec // jitter
}

// explain logs why there is no session with the coordinator at an address.
func (a *Agent) explain(address string, welcomed bool, err error, next time.Duration) {
	switch {
	case errors.Is(err, wire.ErrLimit):
		a.log.Warn("the coordinator does not admit this agent now", "address", address, "error", err, "next_try", next)
	case errors.Is(err, wire.ErrNotAllowed), errors.Is(err, wire.ErrUnauthenticated):
		a.log.Warn("the coordinator refuses this agent", "address", address, "error", err, "next_try", next)
	case welcomed:
		a.log.Warn("lost the connection to the coordinator", "address", address, "error", err, "next_try", next)
	default:
		a.log.Info("cannot reach the coordinator", "address", address, "error", wire.Reason(err), "next_try", next)
	}
}

// refused reports whether a retry is useless.
func refused(err error) bool {
	return errors.Is(err, wire.ErrNameTaken) || errors.Is(err, wire.ErrProtocol) || errors.Is(err, wire.ErrBadSpec)
}

// session opens a stream and serves it to its end. One goroutine sends, this one receives.
func (a *Agent) session(ctx context.Context, address string, client benchdv1.AgentServiceClient) (welcomed bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stream, err := client.Session(ctx)
	if err != nil {
		return false, wire.FromStatus(err)
	}
	out := a.open()
	a.mu.Lock()
	a.client = client
	a.mu.Unlock()
	sent := make(chan error, 1)
	go func() {
		err := a.send(ctx, stream, out)
		if err != nil {
			cancel(err) // receiving ends, too
		}
		sent <- err
	}()
	welcome := time.AfterFunc(welcomeWithin, func() { cancel(errNoWelcome) })
	defer welcome.Stop()
	for {
		in, err := stream.Recv()
		now := a.clock.Now()
		if err != nil {
			cancel(nil)
			sendErr := <-sent
			return welcomed, causeOf(ctx, err, sendErr)
		}
		if w := in.GetWelcome(); w != nil {
			welcomed = true
			welcome.Stop()
			a.found()
			a.log.Info("connected", "coordinator", address, "version", w.GetVersion())
			continue
		}
		a.obey(in, now, out)
	}
}

// causeOf returns why a stream has ended: the coordinator's reason, or else the local error.
func causeOf(ctx context.Context, received, sent error) error {
	if errors.Is(received, io.EOF) {
		return io.EOF
	}
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) && !errors.Is(cause, io.EOF) {
		return cause
	}
	if sent != nil && !errors.Is(sent, io.EOF) && !errors.Is(sent, context.Canceled) {
		return sent
	}
	return wire.FromStatus(received)
}

// open returns the outbox of a new stream, with a Hello that lists all held shards, and the unacknowledged windows. From
// now on messages go there.
func (a *Agent) open() *outbox {
	a.mu.Lock()
	defer a.mu.Unlock()
	shards := a.all()
	out := newOutbox()
	out.add(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Hello{Hello: a.hello(shards)}}, nil)
	for _, s := range shards {
		for _, k := range s.kept.windows {
			out.add(nil, k)
		}
	}
	for _, answer := range a.missedAnswers() {
		out.add(answered(answer), nil)
	}
	a.out = out
	return out
}

func (a *Agent) hello(shards []*shard) *benchdv1.Hello {
	h := &benchdv1.Hello{
		Protocol: wire.Protocol, Name: a.config.Name, BootId: a.boot, Labels: a.config.Labels, Version: a.config.Version,
		Host: a.host, MetricsAddress: a.config.MetricsAddress, AgentNs: a.clock.Now(), Hooks: a.hooks(),
	}
	for _, s := range shards {
		h.Held = append(h.Held, s.held(h.GetAgentNs()))
	}
	return h
}

// send is the only sender on the stream.
func (a *Agent) send(ctx context.Context, stream benchdv1.AgentService_SessionClient, out *outbox) error {
	for {
		next, reply, over := out.take()
		m := next.message
		switch {
		case reply != nil:
			reply.SentAgentNs = a.clock.Now()
			m = &benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_ProbeReply{ProbeReply: reply}}
		case next.kept != nil:
			if m = a.windowMessage(next.kept); m == nil {
				continue
			}
		case over:
			return stream.CloseSend()
		case m == nil:
			select {
			case <-out.ready:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
			continue
		}
		if err := stream.Send(m); err != nil {
			return err
		}
	}
}

// windowMessage returns a kept window as a message; nil if it cannot be read any more.
func (a *Agent) windowMessage(k *keptWindow) *benchdv1.SessionRequest {
	w, err := a.windows.fetch(k)
	if err == nil {
		return &benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Window{Window: w}}
	}
	if !k.released.Load() {
		a.log.Error("a window is lost: it cannot be read from the spool", "phase", k.phase, "seq", k.seq, "error", err)
		a.mu.Lock()
		defer a.mu.Unlock()
		a.dropped++
		a.lose(k)
	}
	return nil
}

// lose drops a window that cannot be delivered. The caller holds the lock.
func (a *Agent) lose(k *keptWindow) {
	for _, s := range a.shards {
		if i := slices.Index(s.kept.windows, k); i >= 0 {
			s.kept.remove(i)
			a.wake()
			return
		}
	}
}
