package enroll

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc/credentials"

	"github.com/benchd/benchd/internal/certs"
	"github.com/benchd/benchd/internal/clock"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/pki"
	"github.com/benchd/benchd/internal/wire"
	"github.com/benchd/benchd/internal/wire/route"
)

const (
	// lookEvery is how often a Renewer compares the certificate with the clock, which may be set.
	lookEvery = time.Minute
	// Pauses between attempts to renew: a tenth of the life of a certificate is days.
	firstRetry = 2 * time.Second
	lastRetry  = 10 * time.Minute
)

// RenewerConfig configures a Renewer. Folder, Coordinators and Store are required.
type RenewerConfig struct {
	Folder Folder
	// Coordinators are the addresses, HOST:PORT, of the coordinator, or of all that share its archive.
	Coordinators []string
	// Store presents the certificate in Folder. It reads each new one.
	Store *certs.Store
	// Logger is the logger of the agent. Default: none.
	Logger *slog.Logger
	// Registerer registers the metrics. Default: none.
	Registerer prometheus.Registerer
	// Clock is the clock of the agent. Default: the machine's.
	Clock *clock.Source
}

// Renewer keeps the certificate of an agent valid.
type Renewer struct {
	config            RenewerConfig
	log               *slog.Logger
	renewed, failures prometheus.Counter
}

// NewRenewer returns a Renewer.
func NewRenewer(c RenewerConfig) (*Renewer, error) {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Clock == nil {
		c.Clock = clock.NewSource(clock.Skew{})
	}
	r := &Renewer{
		config: c, log: c.Logger,
		renewed: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "benchd_agent_certificate_renewals_total", Help: "Certificates that the agent has got from its coordinator in place of the one before.",
		}),
		failures: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "benchd_agent_certificate_renewal_failures_total", Help: "Attempts to renew the agent's certificate that failed.",
		}),
	}
	if c.Registerer == nil {
		return r, nil
	}
	return r, errors.Join(c.Registerer.Register(r.renewed), c.Registerer.Register(r.failures))
}

// Run renews the certificate each time that two thirds of its life are over, until ctx ends. After a failure it tries again, with
// growing pauses.
func (r *Renewer) Run(ctx context.Context) {
	retry := firstRetry
	for {
		next, err := r.look(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			retry = firstRetry
		default:
			r.failures.Inc()
			next = jittered(retry)
			retry = min(2*retry, lastRetry)
			r.log.Warn("cannot renew the certificate of the agent", "coordinator", route.Join(r.config.Coordinators), "error", err, "next_try", next)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(next):
		}
	}
}

// look renews the certificate if it is time to, and returns the time until the next look.
func (r *Renewer) look(ctx context.Context) (time.Duration, error) {
	h, err := r.config.Folder.held()
	if err == nil && h == nil {
		err = fmt.Errorf("%s is missing: restore it, or join by a new token", r.config.Folder.path(pki.CertFile))
	}
	if err != nil {
		return 0, err
	}
	now := r.config.Clock.Wall()
	left := due(h.leaf).Sub(now)
	if left > 0 {
		return min(left, lookEvery), nil
	}
	if !now.Before(h.leaf.NotAfter) {
		return 0, r.config.Folder.needsToken(h)
	}
	return lookEvery, r.renew(ctx, h)
}

// due returns when two thirds of the life of a certificate are over.
func due(c *x509.Certificate) time.Time {
	return c.NotBefore.Add(c.NotAfter.Sub(c.NotBefore) / 3 * 2)
}

// renew asks the coordinator for the next certificate, and has it presented from the next handshake on.
func (r *Renewer) renew(ctx context.Context, h *held) error {
	key, err := r.config.Folder.readKey()
	if err != nil {
		return err
	}
	request, err := pki.Request(h.id.Name, key)
	if err != nil {
		return err
	}
	answer, address, err := r.ask(ctx, &benchdv1.RenewRequest{Request: request})
	if err != nil {
		return err
	}
	if err := verify(answer.GetChain(), h.root, h.id.Name, key, r.config.Clock.Wall()); err != nil {
		return err
	}
	if err := r.config.Folder.save(answer.GetChain()); err != nil {
		return fmt.Errorf("keep the renewed certificate: %w", err)
	}
	if err := r.config.Store.Reload(); err != nil {
		return fmt.Errorf("use the renewed certificate: %w", err)
	}
	r.renewed.Inc()
	r.log.Info("certificate renewed", "coordinator", address, "serial", r.config.Store.Identity().Serial, "until", r.config.Store.Expires())
	return nil
}

// ask asks the coordinator that leads, at the address that it returns.
func (r *Renewer) ask(ctx context.Context, ask *benchdv1.RenewRequest) (answer *benchdv1.RenewResponse, address string, err error) {
	way, failures := route.New(r.config.Coordinators), ""
	for {
		address = way.Address()
		answer, err = r.askAt(ctx, address, ask)
		if err == nil {
			return answer, address, nil
		}
		cause := wire.FromStatus(err)
		over := way.Next(cause) || ctx.Err() != nil
		switch {
		case over && failures == "":
			return nil, "", errors.New(wire.Reason(cause))
		case over:
			return nil, "", errors.New(failures + address + ": " + wire.Reason(cause))
		}
		failures += address + ": " + wire.Reason(cause) + "; "
	}
}

func (r *Renewer) askAt(ctx context.Context, address string, ask *benchdv1.RenewRequest) (*benchdv1.RenewResponse, error) {
	// A connection of its own: the coordinator identifies the agent by the certificate of the handshake.
	conn, err := dial(address, credentials.NewTLS(r.config.Store.ClientConfig(identity.Coordinator, host(address))))
	if err != nil {
		return nil, fmt.Errorf("connect to coordinator: %w", err)
	}
	defer func() { _ = conn.Close() }()
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	return benchdv1.NewEnrollServiceClient(conn).Renew(ctx, ask)
}
