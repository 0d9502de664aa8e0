package testcluster

import (
	"net/http"
	"slices"
	"testing"

	"github.com/benchd/benchd/internal/certs/certstest"
	"github.com/benchd/benchd/internal/identity"
)

// Secured is New with certificates of a new authority, which agents and benchctl use, too: an admin's.
func Secured(t *testing.T, flags ...string) *Cluster {
	t.Helper()
	h := &Cluster{t: t, CA: certstest.NewCA(t), Dir: t.TempDir(), Address: "127.0.0.1:" + Port(t), HTTP: "127.0.0.1:" + Port(t)}
	h.Flags = slices.Concat(flags, h.certificate(identity.Coordinator, "coordinator"))
	h.ctl = h.certificate(identity.Admin, "root")
	h.Open()
	return h
}

// certificate returns the flags of a new certificate; none of a cluster without TLS.
func (h *Cluster) certificate(role identity.Role, name string) []string {
	h.t.Helper()
	if h.CA == nil {
		return nil
	}
	f := h.CA.Identify(h.t, role, name).Write(h.t, h.t.TempDir(), h.CA)
	return []string{"--tls-cert", f.Cert, "--tls-key", f.Key, "--tls-ca", f.CA}
}

// Viewer returns a client of the coordinator's HTTP port, which opens a connection for each request.
func (h *Cluster) Viewer() *http.Client {
	h.t.Helper()
	transport := &http.Transport{DisableKeepAlives: true}
	if h.CA != nil {
		transport.TLSClientConfig = certstest.Client(h.t, h.CA, h.CA.Identify(h.t, identity.Viewer, "viewer").TLS, identity.Coordinator)
	}
	return &http.Client{Transport: transport, Timeout: Patience}
}
