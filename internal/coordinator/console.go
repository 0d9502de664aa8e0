package coordinator

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"google.golang.org/grpc/peer"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/benchd/benchd/internal/audit"
	"github.com/benchd/benchd/internal/certs"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/security"
	"github.com/benchd/benchd/internal/websession"
	"github.com/benchd/benchd/internal/wire"
)

// Console is the web console of a coordinator.
type Console struct {
	Sessions *websession.Store
	Scheme   string // http or https
	Host     string // empty if peers reach it by the same host as gRPC
	Port     int
	// Asks means that HTTP asks its peers for certificates or passwords.
	Asks bool
}

// OpenConsole returns a link with which a browser logs in once, as the peer of the call.
func (c *Coordinator) OpenConsole(ctx context.Context, _ *benchdv1.OpenConsoleRequest) (*benchdv1.OpenConsoleResponse, error) {
	console := c.config.Console
	if console == nil {
		return nil, wire.ToStatus(wire.Errorf(wire.ErrNotFound, "this coordinator serves no console: start it without --console=false"))
	}
	answer := &benchdv1.OpenConsoleResponse{Scheme: console.Scheme, Host: console.Host, Port: uint32(console.Port)}
	if !c.knownToHTTP(ctx) {
		answer.Code = console.Sessions.Invite(identity.From(ctx), certificateEnd(ctx))
		answer.ValidFor = durationpb.New(websession.CodeLife)
	}
	return answer, nil
}

// knownToHTTP reports whether the peer of a call needs no login: HTTP asks nobody for an identity, or the operating system names the peer's
// user there, as it does here.
func (c *Coordinator) knownToHTTP(ctx context.Context) bool {
	if c.config.Console.Asks {
		return false
	}
	if c.config.Open {
		return true
	}
	p, ok := peer.FromContext(ctx)
	if !ok || p.LocalAddr == nil {
		return false
	}
	if _, local := p.AuthInfo.(security.Local); local {
		return true
	}
	_, err := security.LocalPeer(p.LocalAddr.String(), p.Addr.String())
	return err == nil
}

// EnterSession returns an HTTP request as one of the session of its browser, and whose session that is. leave ends its use. It is false for a
// request without a session.
func (c *Coordinator) EnterSession(r *http.Request) (in *http.Request, who identity.Identity, leave func(), ok bool) {
	if c.config.Console == nil {
		return r, identity.Identity{}, func() {}, false
	}
	in, of, leave, ok := c.config.Console.Sessions.EnterRequest(r)
	return in, of.Who, leave, ok
}

// untilOf returns when the certificate expires by which the peer of an HTTP request is known; zero without one.
func untilOf(r *http.Request) time.Time {
	if of, is := websession.From(r.Context()); is {
		return of.Until
	}
	return certs.PeerUntil(r.TLS)
}

// RecordRequest adds an HTTP request of a peer to the audit log. It was refused if there is an error.
func (c *Coordinator) RecordRequest(r *http.Request, who identity.Identity, err error) {
	if c.audit == nil {
		return
	}
	record := audit.Record{
		Time: c.clock.Wall().UTC(), Who: who.Name, Role: cmp.Or(string(who.Role), string(identity.Anonymous)), Serial: who.Serial,
		From: r.RemoteAddr, Call: short(r.Method + " " + r.URL.Path), Outcome: audit.Done,
	}
	if err != nil {
		record.Outcome, record.Reason = audit.Refused, short(err.Error())
	}
	c.audit.Write(record)
}
