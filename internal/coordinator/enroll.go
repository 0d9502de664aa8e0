package coordinator

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"syscall"

	"github.com/benchd/benchd/internal/audit"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/pki"
	"github.com/benchd/benchd/internal/wire"
)

// enrollment issues certificates of agents. It is nil without an agents' authority.
type enrollment struct {
	enroller *pki.Enroller
	used     *pki.Ledger
}

// joinedFile is the ledger of join tokens in the data directory.
const joinedFile = "joined.jsonl"

// openEnrollment opens the ledger of join tokens: that of the archive, or a file beside it, which keeps other coordinators out of the directory.
func openEnrollment(config Config, kept *keeper) (*enrollment, error) {
	if config.Enroller == nil {
		return nil, nil
	}
	if config.DataDir == "" {
		return nil, errors.New("an authority for agents needs a data directory for the ledger of join tokens")
	}
	enroller := *config.Enroller
	if enroller.Now == nil {
		enroller.Now = config.Clock.Wall
	}
	path, now := filepath.Join(config.DataDir, joinedFile), enroller.Now()
	if kept == nil {
		used, err := pki.OpenLedger(path, now)
		if err != nil {
			return nil, err
		}
		return &enrollment{enroller: &enroller, used: used}, nil
	}
	used := pki.LedgerOf(joined{kept})
	err := joined{kept}.removeExpired(now)
	if err == nil {
		err = used.Take(path, now) // of an archive in this directory, before it was copied
	}
	if err != nil {
		return nil, fmt.Errorf("open the ledger of join tokens: %w", err)
	}
	return &enrollment{enroller: &enroller, used: used}, nil
}

func (e *enrollment) close() error {
	if e == nil {
		return nil
	}
	return e.used.Close()
}

// Enroll issues the first certificate of an agent for a join token.
func (c *Coordinator) Enroll(ctx context.Context, req *benchdv1.EnrollRequest) (*benchdv1.EnrollResponse, error) {
	if c.enrollment == nil {
		return nil, errNoEnrollment()
	}
	t, err := pki.ParseToken(req.GetToken())
	if err == nil {
		audit.Note(ctx, "agent", t.Name)
	}
	if err == nil && c.revoked(identity.Identity{Role: identity.Agent, Name: t.Name}) {
		refused(ctx)
		return nil, wire.ToStatus(wire.Errorf(wire.ErrNotAllowed, "agent %s was revoked with all certificates that it will ever have: make a token for another name with `benchd pki token`", t.Name))
	}
	chain, err := c.enrollment.enroller.Enroll(req.GetToken(), req.GetRequest(), c.enrollment.used)
	if err != nil {
		return nil, enrollError(ctx, err)
	}
	c.issued(ctx, "agent joined", chain)
	return &benchdv1.EnrollResponse{Chain: chain}, nil
}

// Renew issues the next certificate of an agent, for the name in its current one.
func (c *Coordinator) Renew(ctx context.Context, req *benchdv1.RenewRequest) (*benchdv1.RenewResponse, error) {
	if c.enrollment == nil {
		return nil, errNoEnrollment()
	}
	who := identity.From(ctx)
	if !who.Verified() {
		refused(ctx)
		return nil, wire.ToStatus(wire.Errorf(wire.ErrUnauthenticated, "a certificate is renewed only over a connection that presents the current one: join with a token of `benchd pki token` if it has expired"))
	}
	chain, err := c.enrollment.enroller.Renew(who, req.GetRequest())
	if err != nil {
		return nil, enrollError(ctx, err)
	}
	c.issued(ctx, "certificate of agent renewed", chain)
	return &benchdv1.RenewResponse{Chain: chain}, nil
}

// errNoEnrollment is the answer of a coordinator that has no agents' authority.
func errNoEnrollment() error {
	return wire.NotServed("this coordinator issues no certificates: start it with --enroll DIR, a directory with agents.crt, agents.key and ca.crt of `benchd pki`, or give the agent a certificate of `benchd pki issue agent NAME`")
}

// issued logs a certificate, and adds it to the audit log.
func (c *Coordinator) issued(ctx context.Context, what string, chain []byte) {
	certs, err := pki.ParseChain(chain)
	if err != nil {
		c.log.Error("read the certificate that was issued", "error", err)
		return
	}
	audit.Note(ctx, "issued", identity.Serial(certs[0]))
	c.log.Info("certificate issued", "reason", what, "agent", certs[0].Subject.CommonName, "serial", identity.Serial(certs[0]), "until", certs[0].NotAfter)
}

// enrollError converts an error of package pki to a status. A peer without a valid token is refused.
func enrollError(ctx context.Context, err error) error {
	for kind, answer := range map[error]error{
		pki.ErrToken: wire.ErrUnauthenticated, pki.ErrExpired: wire.ErrUnauthenticated,
		pki.ErrUsed: wire.ErrNotAllowed, pki.ErrName: wire.ErrNotAllowed,
		pki.ErrRequest: wire.ErrMalformed, syscall.ENOSPC: wire.ErrFull,
	} {
		if errors.Is(err, kind) {
			if errors.Is(answer, wire.ErrUnauthenticated) || errors.Is(answer, wire.ErrNotAllowed) {
				refused(ctx)
			}
			return wire.ToStatus(wire.Errorf(answer, "%v", err))
		}
	}
	return wire.ToStatus(fmt.Errorf("issue certificate: %w", err))
}
