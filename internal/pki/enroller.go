package pki

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/benchd/benchd/internal/identity"
)

// maxRequest bounds a request for a certificate, in bytes.
const maxRequest = 8 << 10

// Enroller is the agents' authority: it issues certificates of agents, and cannot issue others.
type Enroller struct {
	// Life is the life of the certificates; default: DefaultAgentLife.
	Life time.Duration
	// Now is the clock; default: time.Now.
	Now func() time.Time

	root   *x509.Certificate
	agents pair
}

// OpenEnroller opens the agents' authority in a directory, which has its files and the root's certificate.
func OpenEnroller(dir string) (*Enroller, error) {
	e, err := openEnroller(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, errorf(ErrNoAuthority, "open the agents' authority: %w: give a directory with %s, %s and %s, such as that of `benchd pki issue coordinator`", err, AgentsFile, AgentsKeyFile, RootFile)
	}
	if err != nil {
		return nil, fmt.Errorf("open the agents' authority in %s: %w", dir, err)
	}
	return e, nil
}

func openEnroller(dir string) (*Enroller, error) {
	root, err := readCert(dir, RootFile)
	if err != nil {
		return nil, err
	}
	agents, err := readPair(dir, AgentsFile, AgentsKeyFile)
	if err != nil {
		return nil, err
	}
	if err := checkAgents(root, agents.cert); err != nil {
		return nil, err
	}
	return &Enroller{Life: DefaultAgentLife, root: root, agents: agents}, nil
}

// checkAgents checks that a certificate is an agents' authority below a root, and can issue nothing else.
func checkAgents(root, agents *x509.Certificate) error {
	if err := agents.CheckSignatureFrom(root); err != nil {
		return fmt.Errorf("%s is not signed by %s: restore both from the same backup: %w", AgentsFile, RootFile, err)
	}
	if !agents.IsCA || !agents.MaxPathLenZero || !agents.PermittedDNSDomainsCritical || !slices.Equal(agents.PermittedURIDomains, []string{string(identity.Agent)}) {
		return fmt.Errorf("%s is not an agents' authority: it could issue other certificates than those of agents; give the file that `benchd pki init` wrote", AgentsFile)
	}
	return nil
}

// Root returns the root's certificate.
func (e *Enroller) Root() *x509.Certificate { return e.root }

// Expires returns the end of the authority's own certificate.
func (e *Enroller) Expires() time.Time { return e.agents.cert.NotAfter }

// Enroll issues the certificate of an agent for its join token. The ledger has the use before Enroll returns. The same token with the
// same key gets the same certificate again, so that an agent or a coordinator that died between can try again.
func (e *Enroller) Enroll(token string, request []byte, used *Ledger) ([]byte, error) {
	t, err := e.verify(token)
	if err != nil {
		return nil, err
	}
	if !e.now().Before(t.Until()) {
		return nil, errorf(ErrExpired, "the join token of %s expired on %s: make another one with `benchd pki token --name %s`", t.Name, date(t.Until()), t.Name)
	}
	public, err := checkRequest(t.Name, request)
	if err != nil {
		return nil, err
	}
	key, err := keyHash(public)
	if err != nil {
		return nil, errorf(ErrRequest, "%w", err)
	}
	return used.use(t, key, func() ([]byte, error) { return e.issue(t.Name, public) })
}

// Renew issues the next certificate of an agent, which the caller has identified by its current one.
func (e *Enroller) Renew(id identity.Identity, request []byte) ([]byte, error) {
	if id.Role != identity.Agent {
		return nil, errorf(ErrName, "%s cannot renew a certificate here: the coordinator issues only those of agents; use `benchd pki issue`", id)
	}
	public, err := checkRequest(id.Name, request)
	if err != nil {
		return nil, err
	}
	return e.issue(id.Name, public)
}

// checkRequest checks a request for the certificate of an agent, and returns its public key. Nothing else of the request is used.
func checkRequest(name string, request []byte) (*ecdsa.PublicKey, error) {
	if len(request) > maxRequest {
		return nil, errorf(ErrRequest, "request for a certificate: %d bytes; the maximum is %d", len(request), maxRequest)
	}
	r, err := x509.ParseCertificateRequest(request)
	if err != nil {
		return nil, errorf(ErrRequest, "parse the request for a certificate: %w", err)
	}
	if err := r.CheckSignature(); err != nil {
		return nil, errorf(ErrRequest, "the request for a certificate is not signed by its key: %w", err)
	}
	public, is := r.PublicKey.(*ecdsa.PublicKey)
	if !is || public.Curve != elliptic.P256() {
		return nil, errorf(ErrRequest, "request for a certificate: want an ECDSA key with the curve P-256")
	}
	id, err := identity.FromCertificate(&x509.Certificate{URIs: r.URIs, SerialNumber: new(big.Int)})
	if err != nil {
		return nil, errorf(ErrRequest, "request for a certificate: %w", err)
	}
	if id.Role != identity.Agent || id.Name != name || len(id.Grants) > 0 {
		return nil, errorf(ErrName, "the request is for %s, but may only be for agent %s: start the agent with --name %s, or make a token for its name", id, name, name)
	}
	return public, nil
}

// issue signs the certificate of an agent and returns it with that of the agents' authority, in PEM.
func (e *Enroller) issue(name string, public *ecdsa.PublicKey) ([]byte, error) {
	life := cmp.Or(e.Life, DefaultAgentLife)
	if left := e.agents.cert.NotAfter.Sub(e.now()); left < life {
		life = left // the authority's last certificates end with it
	}
	t, err := template(identity.Identity{Role: identity.Agent, Name: name}, e.now(), life, e.agents.cert)
	if err != nil {
		return nil, fmt.Errorf("issue the certificate of agent %s: the agents' authority ends on %s: make another authority with `benchd pki init`: %w", name, date(e.Expires()), err)
	}
	t.DNSNames = []string{AgentHost}
	if own := strings.ToLower(name) + "." + AgentHost; len(own) <= 253 && hostName.MatchString(own) {
		t.DNSNames = append(t.DNSNames, own)
	}
	cert, err := sign(t, &e.agents, public)
	if err != nil {
		return nil, err
	}
	return EncodeChain(cert, e.agents.cert), nil
}

func (e *Enroller) now() time.Time {
	if e.Now == nil {
		return time.Now()
	}
	return e.Now()
}

// createRequest makes a request for a certificate of any identity, in DER.
func createRequest(id identity.Identity, key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{URIs: []*url.URL{id.URI()}}, key)
	if err != nil {
		return nil, fmt.Errorf("make the request for a certificate: %w", err)
	}
	return der, nil
}
