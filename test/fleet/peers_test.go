//go:build integration

package fleet

import (
	"net/http"
	"testing"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/benchd/benchd/internal/certs/certstest"
	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/identity"
)

// peers are how the processes of a fleet connect to each other.
type peers struct {
	ca        *certstest.CA // nil for plain text
	transport *http.Transport
	ctl       []string // flags of benchctl
}

func inPlainText() *peers { return &peers{transport: new(http.Transport)} }

// byTLS returns peers with certificates of a new authority.
func byTLS(t *testing.T) *peers {
	t.Helper()
	p := &peers{ca: certstest.NewCA(t)}
	p.transport = &http.Transport{TLSClientConfig: certstest.Client(t, p.ca, p.ca.Identify(t, identity.Admin, "root").TLS, identity.Coordinator)}
	p.ctl = p.flags(t, identity.Admin, "root")
	return p
}

func (p *peers) scheme() string {
	if p.ca == nil {
		return "http"
	}
	return "https"
}

// flags returns the flags of a program with a new certificate.
func (p *peers) flags(t *testing.T, role identity.Role, name string) []string {
	t.Helper()
	if p.ca == nil {
		return nil
	}
	f := p.ca.Identify(t, role, name).Write(t, t.TempDir(), p.ca)
	return []string{"--tls-cert", f.Cert, "--tls-key", f.Key, "--tls-ca", f.CA}
}

// agent returns how an agent with that name connects to the coordinator, as real ones do.
func (p *peers) agent(t *testing.T, name string) credentials.TransportCredentials {
	t.Helper()
	if p.ca == nil {
		return insecure.NewCredentials()
	}
	return cli.CoordinatorCredentials(p.ca.Identify(t, identity.Agent, name).Store(t, p.ca), "127.0.0.1:7070")
}
