package coordinator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/peer"

	"github.com/benchd/benchd/internal/access"
	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/coordinator/conductor"
	"github.com/benchd/benchd/internal/coordinator/roster"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/quarantine"
	"github.com/benchd/benchd/internal/security"
	"github.com/benchd/benchd/internal/wire"
)

var errDetached = errors.New("the coordinator is stopping")

// Session serves an agent's stream.
func (c *Coordinator) Session(stream benchdv1.AgentService_SessionServer) error {
	return wire.ToStatus(c.serveSession(stream))
}

func (c *Coordinator) serveSession(stream benchdv1.AgentService_SessionServer) error {
	ctx, cancel := context.WithCancelCause(stream.Context())
	defer cancel(nil)
	stopping := context.AfterFunc(c.life, func() { cancel(errDetached) })
	defer stopping()
	admitted := c.lobby.enter(cancel)
	defer admitted()
	hello, err := c.greet(ctx, stream)
	if err != nil {
		return err
	}

	s := roster.NewSession(ctx, cancel, hello, peerAddress(stream.Context()), protection(stream.Context()), c.clock, c.log)
	// It is queued before other goroutines can find the session and send something else.
	s.Send(&benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Welcome{
		Welcome: &benchdv1.Welcome{Version: c.config.Version, BootId: c.boot},
	}})
	m, restarted, err := c.roster.Join(ctx, s)
	admitted()
	if err != nil {
		return err
	}
	recordAdmission(stream.Context())
	s.Log().Info("agent connected", "address", peerAddress(stream.Context()), "held", len(hello.GetHeld()))

	// An agent that does not read can block these two; they end with the stream, which ends when we return.
	go func() { cancel(quarantine.Guard(func() error { return s.SendLoop(ctx, stream) })) }()
	go func() { cancel(quarantine.Guard(func() error { return c.receiveLoop(stream, m, s) })) }()
	c.arrived(m, s, restarted)

	s.ProbeLoop(ctx, func(p clock.Probe) time.Duration { return c.probed(m, s, p) }) // until the stream is over
	err = context.Cause(ctx)
	if c.roster.Leave(s) {
		s.Log().Info("agent disconnected", "cause", err)
		c.departed(m, s)
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// ownName checks that an agent speaks as the name in its certificate.
func ownName(ctx context.Context, name string) error {
	who := by(ctx, name)
	if who == name {
		return nil
	}
	return denied(ctx, &access.DeniedError{
		Who: identity.From(ctx), What: fmt.Sprintf("serve as agent %q", name),
		Cure: fmt.Sprintf("start it with --name %s, or with the certificate of that name", who),
	})
}

// protection describes how the connection of a peer is protected; empty for one within this process.
func protection(ctx context.Context) string {
	p, ok := peer.FromContext(ctx)
	if !ok {
		return ""
	}
	switch p.AuthInfo.(type) {
	case credentials.TLSInfo:
		return security.Protection(p.Addr.String(), true)
	case security.Local:
		return security.Protection("unix:"+p.Addr.String(), false)
	}
	if _, port, err := net.SplitHostPort(p.Addr.String()); err != nil || port == "" {
		return ""
	}
	return security.Protection(p.Addr.String(), false)
}

func peerAddress(ctx context.Context) string {
	if p, ok := peer.FromContext(ctx); ok {
		return p.Addr.String()
	}
	return ""
}

// window accepts a window of the agent's own shard. A window of an ended run is refused: its result is final and already
// lists what is missing.
func (c *Coordinator) window(m *roster.Agent, s *roster.Session, msg *benchdv1.Window) error {
	w, err := wire.ToWindow(msg)
	if err != nil {
		return err
	}
	if cd := c.conductor(w.ID.Run); cd != nil && cd.Progress().Holds(s, w.ID) && cd.Admit(w) {
		return c.ingest.add(s, w)
	}
	s.Acknowledge(w.ID)
	c.metrics.windows(0, 0, 1)
	if id := msg.GetId(); s.Refuse(id) { // log once for all windows of a shard
		s.Log().Warn("window refused: its run has ended, or the agent does not hold its shard and phase", "window", w.ID)
		m.Forget(id)
	}
	return nil
}

// observed accepts the observations of the agent's own shard.
func (c *Coordinator) observed(m *roster.Agent, s *roster.Session, msg *benchdv1.Observations) error {
	observed, err := wire.ToObservations(msg)
	if err != nil {
		return err
	}
	cd := c.conductor(msg.GetId().GetRun())
	if cd == nil || !cd.Progress().Serves(s, msg.GetId()) {
		if s.Refuse(msg.GetId()) {
			m.Forget(msg.GetId())
		}
		return nil
	}
	cd.Observed(s, msg.GetId(), observed)
	return nil
}

// receiveLoop is the only receiver on the stream.
func (c *Coordinator) receiveLoop(stream benchdv1.AgentService_SessionServer, m *roster.Agent, s *roster.Session) error {
	for {
		in, err := stream.Recv()
		if err != nil {
			return err
		}
		now := c.clock.Now()
		m.Heard(clock.Mono())
		switch msg := in.GetMessage().(type) {
		case *benchdv1.SessionRequest_ProbeReply:
			s.Replied(msg.ProbeReply, now)
		case *benchdv1.SessionRequest_Window:
			if err := c.window(m, s, msg.Window); err != nil {
				return err
			}
		case *benchdv1.SessionRequest_Prepared:
			c.toConductor(m, msg.Prepared.GetId(), func(cd *conductor.Conductor) { cd.Prepared(m, s, msg.Prepared) })
		case *benchdv1.SessionRequest_Started:
			c.toConductor(m, msg.Started.GetId(), func(cd *conductor.Conductor) { cd.Started(m, s, msg.Started) })
		case *benchdv1.SessionRequest_PhaseEnded:
			c.toConductor(m, msg.PhaseEnded.GetId(), func(cd *conductor.Conductor) { cd.PhaseEnded(m, s, msg.PhaseEnded) })
		case *benchdv1.SessionRequest_Points:
			s.GotPiece(msg.Points)
		case *benchdv1.SessionRequest_Action:
			c.answered(s, msg.Action)
		case *benchdv1.SessionRequest_Observations:
			if err := c.observed(m, s, msg.Observations); err != nil {
				return err
			}
		case *benchdv1.SessionRequest_Leaving:
			reason := wire.Text(msg.Leaving.GetReason())
			s.Log().Info("agent leaves", "reason", reason)
			c.left(m, s, reason)
		case *benchdv1.SessionRequest_Hello:
			return wire.Errorf(wire.ErrMalformed, "a second Hello in one session")
		default:
			return wire.Errorf(wire.ErrMalformed, "unknown message")
		}
	}
}
