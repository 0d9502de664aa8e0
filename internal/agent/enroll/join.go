package enroll

import (
	"context"
	"crypto/ecdsa"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/benchd/benchd/internal/certs"
	"github.com/benchd/benchd/internal/clock"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/pki"
	"github.com/benchd/benchd/internal/security"
	"github.com/benchd/benchd/internal/wire"
	"github.com/benchd/benchd/internal/wire/route"
)

// Config configures Ensure. Coordinators is required.
type Config struct {
	// Coordinators are the addresses, HOST:PORT, of the coordinator, or of all that share its archive.
	Coordinators []string
	// Name is the name that the agent must have. Default: that of its certificate or token.
	Name string
	// Token returns the join token. Default: there is none.
	Token func() (string, error)
	// Logger logs why the agent cannot join yet. Default: none.
	Logger *slog.Logger
	// Clock is the clock of the agent. Default: the machine's.
	Clock *clock.Source
}

func (c *Config) ensureDefaults() {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Clock == nil {
		c.Clock = clock.NewSource(clock.Skew{})
	}
}

// Pauses between attempts to join.
const (
	firstPause   = 500 * time.Millisecond
	lastPause    = 10 * time.Second
	growth       = 1.6
	jitter       = 0.2 // so that many agents that start at once do not all ask at once
	answerWithin = 15 * time.Second
)

// mistakeError is an error that no retry and no restart fixes.
type mistakeError struct{ error }

// ExitCode returns the exit code of a usage error.
func (mistakeError) ExitCode() int { return 2 }

// Unwrap returns the cause.
func (e mistakeError) Unwrap() error { return e.error }

func mistake(format string, args ...any) error { return mistakeError{fmt.Errorf(format, args...)} }

// Ensure returns when the folder has a certificate: the one that is there, or the one that the agent gets for its join token. If the
// coordinator cannot be reached it tries again until ctx ends.
func (f Folder) Ensure(ctx context.Context, c Config) error {
	c.ensureDefaults()
	if err := f.prepare(); err != nil {
		return err
	}
	h, err := f.held()
	if err != nil {
		return err
	}
	text, token, err := c.token()
	if h != nil && c.Clock.Wall().Before(h.leaf.NotAfter) {
		if token == nil {
			return nil // a token that was used may be gone
		}
		return f.agree(h, token)
	}
	switch {
	case c.Token == nil:
		return f.needsToken(h)
	case err != nil:
		return err
	case c.Name != "" && c.Name != token.Name:
		return mistake("--name %s: the join token is for agent %s: remove --name, or make a token with `benchd pki token --name %s`", c.Name, token.Name, c.Name)
	}
	if h != nil {
		if err := f.agree(h, token); err != nil {
			return err
		}
	}
	return f.join(ctx, &c, text, token)
}

// token returns the join token; nil without one.
func (c *Config) token() (string, *pki.Token, error) {
	if c.Token == nil {
		return "", nil, nil
	}
	text, err := c.Token()
	if err != nil {
		return "", nil, err
	}
	t, err := pki.ParseToken(text)
	if err != nil {
		return "", nil, mistake("--join: %w", err)
	}
	return strings.TrimSpace(text), &t, nil
}

// agree checks that the certificate in the folder and a join token are for the same agent of the same installation.
func (f Folder) agree(h *held, t *pki.Token) error {
	if h.id.Name != t.Name {
		return mistake("--identity %s has the certificate of agent %s, and the join token is for agent %s: give each agent a directory of its own", f, h.id.Name, t.Name)
	}
	if _, err := t.Root([]*x509.Certificate{h.root}); err != nil {
		return mistake("--identity %s has the certificate of another installation than that of the join token: delete the directory to join the other one, or remove --join", f)
	}
	return nil
}

// needsToken is the error of a folder without a valid certificate, if there is no join token.
func (f Folder) needsToken(h *held) error {
	if h == nil {
		return mistake("--identity %s has no certificate: make a token with `benchd pki token --name NAME` on the coordinator's machine, and start the agent with --join", f)
	}
	return mistake("the certificate of agent %s in --identity %s expired on %s: make a token with `benchd pki token --name %s` on the coordinator's machine, and start the agent with --join",
		h.id.Name, f, h.leaf.NotAfter.UTC().Format(time.RFC3339), h.id.Name)
}

// join gets a certificate for a token.
func (f Folder) join(ctx context.Context, c *Config, text string, t *pki.Token) error {
	if _, local := security.Socket(c.Coordinators[0]); local {
		return mistake("--coordinator %s: an agent joins over TLS: give the HOST:PORT of the coordinator; a unix socket needs no certificate", c.Coordinators[0])
	}
	key, err := f.key()
	if err != nil {
		return err
	}
	request, err := pki.Request(t.Name, key)
	if err != nil {
		return err
	}
	ask := &benchdv1.EnrollRequest{Token: text, Request: request}
	way, pause := route.New(c.Coordinators), firstPause
	for {
		address := way.Address()
		err := f.attempt(ctx, c, address, t, key, ask)
		if err == nil {
			return nil
		}
		if _, lasting := errors.AsType[mistakeError](err); lasting {
			return err
		}
		next := time.Duration(0)
		if way.Next(err) {
			next = jittered(pause)
			pause = min(time.Duration(float64(pause)*growth), lastPause)
		}
		c.Logger.Warn("cannot join yet", "coordinator", address, "agent", t.Name, "error", err, "next_try", next)
		select {
		case <-ctx.Done():
			return fmt.Errorf("join coordinator %s: %w", route.Join(c.Coordinators), ctx.Err())
		case <-time.After(next):
		}
	}
}

func jittered(d time.Duration) time.Duration {
	return time.Duration(float64(d) * (1 + jitter*(2*rand.Float64()-1))).Round(time.Millisecond) //nolint:gosec // jitter
}

// attempt asks the coordinator once.
func (f Folder) attempt(ctx context.Context, c *Config, coordinator string, t *pki.Token, key *ecdsa.PrivateKey, ask *benchdv1.EnrollRequest) error {
	p := &pin{token: t, host: host(coordinator), now: c.Clock.Wall}
	conn, err := dial(coordinator, credentials.NewTLS(p.config()))
	if err != nil {
		return mistake("connect to coordinator %s: %w", coordinator, err)
	}
	defer func() { _ = conn.Close() }()
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	answer, err := benchdv1.NewEnrollServiceClient(conn).Enroll(ctx, ask)
	root, refusal := p.result()
	switch {
	case refusal != nil:
		return mistake("join coordinator %s: %w", coordinator, refusal)
	case err != nil:
		return explain(coordinator, err)
	}
	if err := verify(answer.GetChain(), root, t.Name, key, c.Clock.Wall()); err != nil {
		return mistake("join coordinator %s: %w", coordinator, err)
	}
	err = f.saveRoot(root)
	if err == nil { // the certificate last: with it the next start joins no more
		err = f.save(answer.GetChain())
	}
	if err != nil {
		return fmt.Errorf("keep the certificate of the agent: %w", err)
	}
	c.Logger.Info("joined", "coordinator", coordinator, "agent", t.Name, "identity", string(f))
	return nil
}

// explain makes an error of the answer of a coordinator.
func explain(coordinator string, err error) error {
	cause := wire.FromStatus(err)
	switch {
	case errors.Is(cause, wire.ErrStandby):
		return cause
	case wire.Unanswered(err), errors.Is(cause, wire.ErrUnauthenticated), errors.Is(cause, wire.ErrNotAllowed), errors.Is(cause, wire.ErrMalformed):
		return mistake("join coordinator %s: %w", coordinator, cause)
	case strings.Contains(cause.Error(), "first record does not look like a TLS handshake"):
		return mistake("join coordinator %s: it does not use TLS: start it with --tls-cert, --tls-key, --tls-ca and --enroll", coordinator)
	}
	return errors.New(wire.Reason(cause))
}

// pin trusts no coordinator but one that presents the root which the token names, and a certificate of that root for its host.
type pin struct {
	token *pki.Token
	host  string
	now   func() time.Time

	mu      sync.Mutex
	root    *x509.Certificate
	refusal error
}

func (p *pin) config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13, ServerName: p.host, Time: p.now,
		InsecureSkipVerify: true, //nolint:gosec // VerifyConnection verifies, by the root of the token
		VerifyConnection:   p.verify,
	}
}

func (p *pin) verify(state tls.ConnectionState) error {
	root, err := p.token.Root(state.PeerCertificates)
	if err == nil {
		err = p.below(root, state)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.root, p.refusal = root, err
	return err
}

// below checks the server's certificate as each later connection does.
func (p *pin) below(root *x509.Certificate, state tls.ConnectionState) error {
	roots := x509.NewCertPool()
	roots.AddCert(root)
	store, err := certs.New(tls.Certificate{}, roots, certs.Options{Now: p.now})
	if err != nil {
		return err
	}
	return store.ClientConfig(identity.Coordinator, p.host).VerifyConnection(state)
}

func (p *pin) result() (*x509.Certificate, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.root, p.refusal
}

// host returns the host of HOST:PORT.
func host(address string) string {
	h, _, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	return h
}

// dial returns a connection for one request.
func dial(coordinator string, creds credentials.TransportCredentials) (*grpc.ClientConn, error) {
	return grpc.NewClient(coordinator, append(wire.CheckResponses(), grpc.WithTransportCredentials(creds), grpc.WithNoProxy())...)
}
