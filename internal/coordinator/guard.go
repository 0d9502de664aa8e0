package coordinator

import (
	"context"
	"errors"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/peer"

	"github.com/benchd/benchd/internal/access"
	"github.com/benchd/benchd/internal/audit"
	"github.com/benchd/benchd/internal/certs"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/security"
	"github.com/benchd/benchd/internal/wire"
)

// Certificates are the certificates that the coordinator presents, and its list of revoked ones.
type Certificates interface {
	Expires() time.Time             // when the first of the own certificates expires
	Revoked(identity.Identity) bool // whether the certificate of a peer is revoked
	OnRevoked(func(entry string))   // calls a function for each serial number or ROLE/NAME that is revoked from now on
}

var (
	errRevoked = wire.Errorf(wire.ErrUnauthenticated, "the certificate has been revoked: ask the operator of the coordinator for another one")
	errExpired = wire.Errorf(wire.ErrUnauthenticated, "the certificate of this connection has expired: connect again with a renewed one")
)

// call is a call in progress.
type call struct {
	c       *Coordinator
	who     identity.Identity
	from    string // the peer's address
	name    string // such as Submit
	changes bool   // the audit log records it, even if it was not refused
	entry   *audit.Entry
	leave   func() // ends the request on its connection

	mu       sync.Mutex
	refused  bool
	recorded bool
}

type callKey struct{}

// enter authenticates the peer of a call and checks whether it may make the call. The caller ends the returned call.
func (c *Coordinator) enter(ctx context.Context, method string) (context.Context, *call, error) {
	rule, _ := access.Find(method)
	one := &call{c: c, who: peerIdentity(ctx, rule), from: peerAddress(ctx), name: path.Base(method), changes: rule.Changes, leave: func() {}}
	ctx, one.entry = audit.Begin(context.WithValue(identity.With(ctx, one.who), callKey{}, one))
	if err := access.Call(one.who, method); err != nil {
		err = one.deny(err)
		return ctx, one, err
	}
	if err := c.current(one.who, certificateEnd(ctx)); err != nil {
		one.refuse()
		return ctx, one, err
	}
	leave, err := admit(ctx, one.who)
	if err != nil {
		one.refuse()
		return ctx, one, wire.Errorf(wire.ErrLimit, "%v", err)
	}
	one.leave = leave
	if c.timetable != nil {
		c.timetable.Renew(one.who, certificateEnd(ctx))
	}
	return ctx, one, nil
}

// admit counts a call as in progress on its connection, until leave is called.
func admit(ctx context.Context, who identity.Identity) (leave func(), err error) {
	p, ok := peer.FromContext(ctx)
	if !ok {
		return func() {}, nil
	}
	return security.Admit(p.Addr, who)
}

// revoked reports whether the certificate of a peer is revoked.
func (c *Coordinator) revoked(who identity.Identity) bool {
	return c.config.Certificates != nil && c.config.Certificates.Revoked(who)
}

// current returns an error if the certificate of a peer, which was valid when it connected, is revoked or has expired since.
func (c *Coordinator) current(who identity.Identity, until time.Time) error {
	switch {
	case who.Serial == "":
		return nil
	case c.revoked(who):
		return errRevoked
	case !until.IsZero() && c.clock.Wall().After(until):
		return errExpired
	}
	return nil
}

// deny marks a call as refused, and returns its error for the peer.
func (o *call) deny(err error) error {
	o.refuse()
	if denied, is := errors.AsType[*access.DeniedError](err); is && denied.Unknown() {
		return wire.Errorf(wire.ErrUnauthenticated, "%v", err)
	}
	return wire.Errorf(wire.ErrDenied, "%v", err)
}

// refused marks the call of ctx as refused, for the audit log.
func refused(ctx context.Context) {
	if one, is := ctx.Value(callKey{}).(*call); is {
		one.refuse()
	}
}

func (o *call) refuse() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.refused = true
}

// end records how a call has ended, unless that is recorded already.
func (o *call) end(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.recorded || !o.changes && !o.refused || o.c.audit == nil {
		return
	}
	o.recorded = true
	record := audit.Record{
		Time: o.c.clock.Wall().UTC(), Who: o.who.Name, Role: string(o.who.Role), Serial: o.who.Serial, From: o.from, Call: o.name, Outcome: audit.Done,
	}
	switch {
	case o.refused:
		record.Outcome = audit.Refused
	case err != nil:
		record.Outcome = audit.Failed
	}
	if err != nil {
		record.Reason = wire.FromStatus(err).Error()
	}
	o.c.audit.Write(o.entry.Complete(record))
}

// recordAdmission records a call that goes on for long, such as the session of an agent, as soon as it is admitted.
func recordAdmission(ctx context.Context) {
	if one, is := ctx.Value(callKey{}).(*call); is {
		one.end(nil)
	}
}

// privileged checks whether the peer of a call has the privileges that its request needs.
func privileged(ctx context.Context, needs []access.Need) error {
	err := access.Privileged(identity.From(ctx), needs)
	if err == nil {
		return nil
	}
	return denied(ctx, err)
}

// denied marks the call of ctx as refused, and returns its error for the peer.
func denied(ctx context.Context, err error) error {
	if one, is := ctx.Value(callKey{}).(*call); is {
		return one.deny(err)
	}
	return wire.Errorf(wire.ErrNotAllowed, "%v", err)
}

// by returns who makes a call: the verified name of the peer, or else the one that it claims.
func by(ctx context.Context, claimed string) string {
	audit.Claim(ctx, claimed)
	if who := identity.From(ctx); who.Verified() {
		return who.Name
	}
	return claimed
}

// guardCall refuses a call that its peer may not make.
func guardCall(ctx context.Context, req any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	c, is := info.Server.(*Coordinator)
	if !is {
		return nil, wire.ToStatus(wire.Errorf(wire.ErrNotAllowed, "%s: no guard for this service", info.FullMethod))
	}
	ctx, one, err := c.enter(ctx, info.FullMethod)
	defer func() { one.leave() }()
	var answer any
	if err == nil {
		answer, err = handle(ctx, req)
	}
	one.end(err)
	return answer, wire.ToStatus(err)
}

// guardStream refuses a stream that its peer may not open, and ends it when the peer's certificate expires or is revoked.
func guardStream(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handle grpc.StreamHandler) error {
	c, is := srv.(*Coordinator)
	if !is {
		return wire.ToStatus(wire.Errorf(wire.ErrNotAllowed, "%s: no guard for this service", info.FullMethod))
	}
	ctx, one, err := c.enter(stream.Context(), info.FullMethod)
	defer func() { one.leave() }()
	if err == nil {
		var leave func()
		ctx, leave = c.certified.enter(ctx, one.who, certificateEnd(ctx))
		if err = c.current(one.who, time.Time{}); err == nil { // it may have been revoked just before the stream was entered
			err = handle(srv, guardedStream{stream, ctx})
		} else {
			one.refuse()
		}
		leave()
	}
	one.end(err)
	return wire.ToStatus(err)
}

type guardedStream struct {
	grpc.ServerStream
	ctx context.Context //nolint:containedctx // gRPC asks a stream for its context
}

func (s guardedStream) Context() context.Context { return s.ctx }

// peerIdentity returns the identity of the peer of a call: from its certificate, or from the operating system for a local
// socket. A listener without either asks nobody, and trusts all.
//
// A local user is an admin, who may not make the calls of agents. Its processes can be agents, though, and the operating system does not
// know under which names: for these calls the user is trusted, with the name that the agent gives itself.
func peerIdentity(ctx context.Context, rule access.Rule) identity.Identity {
	p, ok := peer.FromContext(ctx)
	if !ok {
		return identity.Identity{Role: identity.Anonymous}
	}
	switch info := p.AuthInfo.(type) {
	case credentials.TLSInfo:
		return certs.PeerIdentity(info.State)
	case inProcessPeer:
		return info.who
	case security.Local:
		if slices.Contains(rule.Roles, identity.Agent) && !slices.Contains(rule.Roles, identity.Admin) {
			return identity.Identity{Role: identity.Trusted, Name: info.User}
		}
		return info.Identity()
	case nil:
		return identity.Identity{Role: identity.Trusted}
	}
	return identity.Identity{Role: identity.Anonymous}
}

// certificateEnd returns when the certificate of the peer expires.
func certificateEnd(ctx context.Context) time.Time {
	if p, ok := peer.FromContext(ctx); ok {
		switch info := p.AuthInfo.(type) {
		case credentials.TLSInfo:
			return certs.PeerUntil(&info.State)
		case inProcessPeer:
			return info.until
		}
	}
	return time.Time{}
}

// certified keeps the streams of peers with certificates.
type certified struct {
	mu      sync.Mutex
	streams map[string]map[*context.CancelCauseFunc]struct{} // by the entries of a list of revoked certificates that end them
}

// enter returns the context of a stream, which ends with its certificate. leave ends it.
func (l *certified) enter(ctx context.Context, who identity.Identity, until time.Time) (_ context.Context, leave func()) {
	if who.Serial == "" {
		return ctx, func() {}
	}
	ctx, expire := context.WithDeadlineCause(ctx, until, errExpired)
	ctx, cancel := context.WithCancelCause(ctx)
	entries := who.Entries()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.streams == nil {
		l.streams = make(map[string]map[*context.CancelCauseFunc]struct{})
	}
	for _, entry := range entries {
		if l.streams[entry] == nil {
			l.streams[entry] = make(map[*context.CancelCauseFunc]struct{})
		}
		l.streams[entry][&cancel] = struct{}{}
	}
	return ctx, func() {
		cancel(nil)
		expire()
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, entry := range entries {
			delete(l.streams[entry], &cancel)
			if len(l.streams[entry]) == 0 {
				delete(l.streams, entry)
			}
		}
	}
}

// revoke ends the streams of a certificate, of all certificates of a peer, or of all that an authority has issued.
func (l *certified) revoke(entry string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for cancel := range l.streams[entry] {
		(*cancel)(errRevoked)
	}
}

// revoke ends the streams and the sessions of browsers of a certificate, of all certificates of a peer, or of all that an authority has issued.
func (c *Coordinator) revoke(entry string) {
	c.certified.revoke(entry)
	if c.config.Console != nil {
		c.config.Console.Sessions.Revoke(entry)
	}
}

// Allow checks whether a peer may make an HTTP request, and records a refusal.
func (c *Coordinator) Allow(who identity.Identity, r *http.Request) error {
	err := access.Path(who, r.URL.Path)
	if err == nil {
		err = c.current(who, untilOf(r))
	}
	if err != nil {
		c.RecordRequest(r, who, err)
	}
	return err
}

// short returns a text of a request for the audit log, which strangers must not be able to fill quickly.
func short(text string) string {
	const most = 300 // bytes
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
