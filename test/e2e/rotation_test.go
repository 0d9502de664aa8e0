//go:build integration

package e2e

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/certs/certstest"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/test/testcluster"
)

// volume is a folder with certificates as the kubelet mounts a Secret: each file is a link into ..data, a link that is replaced when the
// Secret changes.
type volume struct {
	t    *testing.T
	dir  string
	puts int
}

// mount makes a volume with a certificate.
func mount(t *testing.T, ca *certstest.CA, pair certstest.Pair) *volume {
	t.Helper()
	v := &volume{t: t, dir: t.TempDir()}
	v.put(ca, pair)
	for _, name := range []string{"tls.crt", "tls.key", "ca.crt"} {
		require.NoError(t, os.Symlink(filepath.Join("..data", name), filepath.Join(v.dir, name)))
	}
	return v
}

// put replaces all files at one instant.
func (v *volume) put(ca *certstest.CA, pair certstest.Pair) {
	v.t.Helper()
	v.puts++
	name := fmt.Sprintf("..2026_01_02_%d", v.puts)
	require.NoError(v.t, os.Mkdir(filepath.Join(v.dir, name), 0o700))
	pair.Write(v.t, filepath.Join(v.dir, name), ca)
	next := filepath.Join(v.dir, "..data_tmp")
	require.NoError(v.t, os.Symlink(name, next))
	require.NoError(v.t, os.Rename(next, filepath.Join(v.dir, "..data")))
}

func (v *volume) flags() []string {
	in := func(name string) string { return filepath.Join(v.dir, name) }
	return []string{"--tls-cert", in("tls.crt"), "--tls-key", in("tls.key"), "--tls-ca", in("ca.crt")}
}

// party is a process whose certificate is rotated.
type party struct {
	role      identity.Role
	name      string
	process   *testcluster.Process
	volume    *volume
	addresses []string // at which it presents the certificate
	serial    string   // of the certificate in use
}

// TestCertificatesRotateDuringARun replaces the certificates of a coordinator and of three agents within a run of a minute, then
// puts files in their place that are broken.
func TestCertificatesRotateDuringARun(t *testing.T) {
	t.Parallel() // it waits most of the time
	h := testcluster.Secured(t)
	h.Coordinator.Signal(syscall.SIGTERM)
	require.Zero(t, h.Coordinator.Exit(testcluster.Patience))
	first := h.CA.Identify(t, identity.Coordinator, "coordinator")
	coordinator := &party{role: identity.Coordinator, name: "coordinator", volume: mount(t, h.CA, first), addresses: []string{h.Address, h.HTTP}}
	h.Flags = coordinator.volume.flags()
	h.Open()
	coordinator.process = h.Coordinator
	all := []*party{coordinator}
	for _, name := range []string{"a", "b", "c"} {
		p := &party{role: identity.Agent, name: name, volume: mount(t, h.CA, h.CA.Identify(t, identity.Agent, name))}
		p.process = h.Agent(name, p.volume.flags()...)
		p.process.Says("agent starts")
		p.addresses = regexp.MustCompile(`agent starts.* http=(\S+)`).FindStringSubmatch(p.process.Log())[1:]
		all = append(all, p)
	}
	h.Connected(3)
	id := h.Submit("--duration", "60s", "-p", "recordcount=1000", "-p", "target=800")
	require.Equal(t, id, h.Running())

	for _, p := range all {
		next := h.CA.Identify(t, p.role, p.name)
		p.volume.put(h.CA, next)
		p.serial = next.Serial()
	}
	for _, p := range all {
		p.presents(t)
	}
	for _, p := range all {
		broken := h.CA.Identify(t, p.role, p.name)
		broken.CertPEM = broken.CertPEM[:len(broken.CertPEM)/2]
		p.volume.put(h.CA, broken)
	}
	for _, p := range all {
		p.reports(t, h.CA)
		p.presents(t)
	}
	require.Equal(t, "running", h.Status(id), "all of that was within the run")
	testcluster.Eventually(t, 3*testcluster.Patience, func() bool { return h.Status(id) != "running" }, "the run should end")
	testcluster.RequireConsistent(t, h.Show(id), 3)
	for _, p := range all[1:] {
		require.NotContains(t, p.process.Log(), "lost the connection", p.name)
	}

	// The next handshakes of agents: a coordinator that starts needs files that are not broken.
	coordinator.volume.put(h.CA, h.CA.Identify(t, identity.Coordinator, "coordinator"))
	h.Coordinator.Signal(syscall.SIGTERM)
	require.Zero(t, h.Coordinator.Exit(testcluster.Patience))
	h.Open()
	h.Connected(3)
	text, err := os.ReadFile(filepath.Join(h.Dir, "audit.jsonl"))
	require.NoError(t, err)
	for _, p := range all[1:] {
		require.Contains(t, string(text), p.serial, "agent %s connects with its second certificate", p.name)
	}
}

// presents waits until the process presents its certificate at each address.
func (p *party) presents(t *testing.T) {
	t.Helper()
	for _, address := range p.addresses {
		var got string
		testcluster.Eventually(t, testcluster.Patience, func() bool {
			conn, err := (&tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}}).DialContext(t.Context(), "tcp", address)
			if err != nil {
				return false
			}
			defer conn.Close()
			got = identity.Serial(conn.(*tls.Conn).ConnectionState().PeerCertificates[0])
			return got == p.serial
		}, "%s at %s should present %s", p.name, address, p.serial)
	}
}

// reports waits until the metrics and the log show that the files are broken.
func (p *party) reports(t *testing.T, ca *certstest.CA) {
	t.Helper()
	viewer := certstest.Client(t, ca, ca.Identify(t, identity.Viewer, "viewer").TLS, p.role)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: viewer}, Timeout: testcluster.Patience}
	testcluster.Eventually(t, testcluster.Patience, func() bool {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+p.addresses[len(p.addresses)-1]+"/metrics", http.NoBody)
		require.NoError(t, err)
		resp, err := client.Do(req)
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		return err == nil && strings.Contains(string(text), "\nbenchd_tls_reload_success 0\n") && strings.Contains(string(text), "\nbenchd_tls_reload_failures_total 1\n")
	}, "the metrics of %s should show a broken file", p.name)
	require.Regexp(t, `level=ERROR msg="read TLS files again: the former ones stay in use" error="TLS file \S+/tls.crt: `, p.process.Log())
}
