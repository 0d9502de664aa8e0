package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/benchd/benchd/internal/certs"
	"github.com/benchd/benchd/internal/certs/certstest"
	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/tolerance"
)

// command is a command of benchd that runs in this process until the test ends.
type command struct {
	t      *testing.T
	stop   func() error // ends it early, and returns its error
	mu     sync.Mutex
	logged bytes.Buffer
}

// Write implements io.Writer for standard error.
func (c *command) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.logged.Write(b)
}

func (c *command) log() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.logged.String()
}

// logs waits for a line of the log that matches, and returns the groups of the expression.
func (c *command) logs(expression string) []string {
	c.t.Helper()
	var found []string
	require.Eventually(c.t, func() bool {
		found = regexp.MustCompile(expression).FindStringSubmatch(c.log())
		return found != nil
	}, tolerance.Patience, 10*time.Millisecond, "no line matches %s", expression)
	return found[1:]
}

func start(t *testing.T, args ...string) *command {
	t.Helper()
	c := &command{t: t}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- program().Run(ctx, args, cli.Streams{Out: io.Discard, Err: c}) }()
	c.stop = sync.OnceValue(func() error {
		cancel()
		return <-done
	})
	t.Cleanup(func() {
		err := c.stop()
		if t.Failed() {
			t.Logf("%s: %v\n%s", strings.Join(args, " "), err, c.log())
		} else {
			require.NoError(t, err)
		}
	})
	return c
}

// tlsFlags are the flags of a certificate.
func tlsFlags(f certs.Files) []string {
	return []string{"--tls-cert", f.Cert, "--tls-key", f.Key, "--tls-ca", f.CA}
}

// serial returns the serial number of a server's certificate.
func serial(t *testing.T, address string) string {
	t.Helper()
	dialer := &tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}}
	conn, err := dialer.DialContext(t.Context(), "tcp", address)
	require.NoError(t, err)
	defer conn.Close()
	return identity.Serial(conn.(*tls.Conn).ConnectionState().PeerCertificates[0])
}

// TestAllConnectionsUseCertificates runs a coordinator and an agent with certificates, and replaces that of the coordinator.
func TestAllConnectionsUseCertificates(t *testing.T) {
	ca := certstest.NewCA(t)
	dir := t.TempDir()
	first := ca.Identify(t, identity.Coordinator, "c")
	coordinator := start(t, append([]string{"coordinator", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--data", t.TempDir()},
		tlsFlags(first.Write(t, dir, ca))...)...)
	at := coordinator.logs(`coordinator listens.* grpc=(\S+) http=(\S+) tls=true`)
	rpc, web := at[0], at[1]
	agent := start(t, append([]string{"agent", "--coordinator", rpc, "--name", "client-1", "--spool", t.TempDir()},
		tlsFlags(ca.Identify(t, identity.Agent, "client-1").Write(t, t.TempDir(), ca))...)...)
	agent.logs(`msg=connected`)
	metrics := agent.logs(`agent starts.* http=(\S+)`)[0]

	anna := ca.Identify(t, identity.Operator, "anna").Store(t, ca)
	client, err := remote.Dial(rpc, cli.CoordinatorCredentials(anna, rpc))
	require.NoError(t, err)
	defer client.Close()
	agents, err := client.Agents(t.Context())
	require.NoError(t, err)
	require.Equal(t, "client-1", agents[0].Name)

	other := certstest.NewCA(t)
	stranger := other.Identify(t, identity.Operator, "anna")
	for name, test := range map[string]struct {
		creds credentials.TransportCredentials
		cure  string
	}{
		"in plain text":   {insecure.NewCredentials(), "if it uses TLS, give --tls-cert, --tls-key and --tls-ca, once to `benchctl login`"},
		"of another CA":   {cli.CoordinatorCredentials(stranger.Store(t, other), rpc), "refuse the server at 127.0.0.1: the authority of --tls-ca has not issued"},
		"of nobody's CA":  {credentials.NewTLS(acceptsAll(stranger.TLS)), "it refuses this certificate (unknown certificate authority); --tls-cert must be of an authority"},
		"in TLS 1.2 only": {credentials.NewTLS(&tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12}), "protocol version not supported"},
	} {
		refused, err := remote.Dial(rpc, test.creds)
		require.NoError(t, err)
		require.Eventually(t, func() bool { // a client may write before it reads that it is refused
			_, err = refused.Agents(t.Context())
			require.ErrorContains(t, err, "cannot reach coordinator", name)
			return strings.Contains(err.Error(), test.cure)
		}, tolerance.Patience, 10*time.Millisecond, "%s: %v", name, err)
		require.NoError(t, refused.Close())
	}
	for address, role := range map[string]identity.Role{web: identity.Coordinator, metrics: identity.Agent} {
		status, body := fetchTLS(t, anna.ClientConfig(role, "127.0.0.1"), "https://"+address+"/metrics")
		require.Equal(t, http.StatusOK, status)
		require.Contains(t, body, "benchd_tls_certificate_expiry_timestamp_seconds{file=")
		status, _ = fetchTLS(t, nil, "http://"+address+"/metrics")
		require.Equal(t, http.StatusBadRequest, status, "plain text")
	}

	metricsOnly, err := remote.Dial(web, cli.CoordinatorCredentials(anna, web))
	require.NoError(t, err)
	_, err = metricsOnly.Agents(t.Context())
	require.EqualError(t, err, "cannot reach coordinator at "+web+": it answers HTTP 403 (Forbidden), not gRPC: give --coordinator the "+
		"address of gRPC (--listen of `benchd coordinator`, port 7070 by default)")
	require.NoError(t, metricsOnly.Close())

	about, err := client.About(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"gRPC " + rpc + ": TLS", "HTTP " + web + ": TLS"}, about.Listeners)
	require.WithinDuration(t, first.Leaf.NotAfter, about.Expires, time.Second)
	require.Equal(t, first.Serial(), serial(t, rpc))
	second := ca.Identify(t, identity.Coordinator, "c")
	second.Write(t, dir, ca)
	require.NoError(t, syscall.Kill(syscall.Getpid(), syscall.SIGHUP))
	coordinator.logs(`TLS certificates were read again.* serial=` + second.Serial())
	require.Equal(t, second.Serial(), serial(t, rpc))
	require.Equal(t, second.Serial(), serial(t, web))
	_, err = client.Agents(t.Context())
	require.NoError(t, err, "connections go on with the former certificate")
}

// acceptsAll is the configuration of a client that checks nothing, and presents a certificate.
func acceptsAll(cert tls.Certificate) *tls.Config {
	return &tls.Config{
		InsecureSkipVerify:   true,
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &cert, nil },
	}
}

func TestAClientWithCertificatesNamesACoordinatorWithoutTLS(t *testing.T) {
	ca := certstest.NewCA(t)
	rpc := start(t, "coordinator", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--data", t.TempDir()).logs(`coordinator listens.* grpc=(\S+) http`)[0]
	client, err := remote.Dial(rpc, cli.CoordinatorCredentials(ca.Identify(t, identity.Operator, "anna").Store(t, ca), rpc))
	require.NoError(t, err)
	defer client.Close()
	_, err = client.Agents(t.Context())
	require.EqualError(t, err, "cannot reach coordinator at "+rpc+": it does not use TLS; connect without a certificate (no --tls-cert, --tls-key and --tls-ca; --profile off), or start the coordinator with certificates")
}

// fetchTLS returns what a URL answers.
func fetchTLS(t *testing.T, config *tls.Config, url string) (status int, body string) {
	t.Helper()
	client := &http.Client{Timeout: tolerance.Patience, Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: config}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	resp, err := client.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(text)
}

// An agent's port has more than metrics: profiles reveal what the agent does, and cost its time.
func TestAnAgentRefusesHTTPRequestsThatItsPeerMayNotMake(t *testing.T) {
	ca := certstest.NewCA(t)
	dir := t.TempDir()
	revoked := ca.Identify(t, identity.Admin, "former")
	deny := filepath.Join(dir, "revoked.txt")
	require.NoError(t, os.WriteFile(deny, []byte(revoked.Serial()+" former\n"), 0o600))
	agent := start(t, append([]string{
		"agent", "--coordinator", "127.0.0.1:1", "--name", "client-1", "--spool", t.TempDir(), "--pprof", "--tls-revoked", deny,
	}, tlsFlags(ca.Identify(t, identity.Agent, "client-1").Write(t, dir, ca))...)...)
	url := "https://" + agent.logs(`agent starts.* http=(\S+)`)[0]
	as := func(cert tls.Certificate) *tls.Config { return certstest.Client(t, ca, cert, identity.Agent) }
	for _, test := range []struct {
		peer   tls.Certificate
		path   string
		status int
	}{
		{ca.Identify(t, identity.Admin, "root").TLS, "/debug/pprof/cmdline", http.StatusOK},
		{ca.Identify(t, identity.Operator, "anna").TLS, "/metrics", http.StatusOK},
		{ca.Identify(t, identity.Operator, "anna").TLS, "/debug/pprof/cmdline", http.StatusForbidden},
		{ca.Identify(t, identity.Agent, "client-2").TLS, "/metrics", http.StatusForbidden},
		{tls.Certificate{}, "/healthz", http.StatusOK},
		{tls.Certificate{}, "/metrics", http.StatusUnauthorized},
		{tls.Certificate{}, "/debug/pprof/cmdline", http.StatusUnauthorized},
	} {
		status, body := fetchTLS(t, as(test.peer), url+test.path)
		require.Equal(t, test.status, status, "%s: %s", test.path, body)
	}
	agent.logs(`HTTP request was refused" peer="anna \(operator\)" from=127.0.0.1:\d+ path=/debug/pprof/cmdline`)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/metrics", http.NoBody)
	require.NoError(t, err)
	_, err = (&http.Transport{DisableKeepAlives: true, TLSClientConfig: as(revoked.TLS)}).RoundTrip(req) //nolint:bodyclose // it fails
	require.ErrorContains(t, err, "bad certificate")
}

func TestAFlagWithDotsHasAKeyAndAVariable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "benchd.yaml")
	require.NoError(t, os.WriteFile(file, []byte("web.config.file: /none/key.yml\n"), 0o600))
	run := func(args ...string) error {
		return program().Run(t.Context(), append([]string{"coordinator", "--data", t.TempDir()}, args...), cli.Streams{Out: io.Discard, Err: io.Discard})
	}
	require.ErrorContains(t, run("--config", file), "--web.config.file /none/key.yml")
	t.Setenv("BENCHD_WEB_CONFIG_FILE", "/none/variable.yml")
	require.ErrorContains(t, run("--config", file), "--web.config.file /none/variable.yml")
	require.ErrorContains(t, run("--config", file, "--web.config.file", "/none/flag.yml"), "--web.config.file /none/flag.yml")
}

func TestPasswordsWithoutTLSAreForThisMachineOnly(t *testing.T) {
	ca := certstest.NewCA(t)
	file := filepath.Join(t.TempDir(), "web.yml")
	require.NoError(t, os.WriteFile(file, []byte("basic_auth_users: {}\n"), 0o600))
	args := append([]string{"coordinator", "--http", "0.0.0.0:0", "--web.config.file", file, "--data", t.TempDir()},
		tlsFlags(ca.Identify(t, identity.Coordinator, "c").Write(t, t.TempDir(), ca))...)
	require.ErrorContains(t, program().Run(t.Context(), args, cli.Streams{Out: io.Discard, Err: io.Discard}), "--http 0.0.0.0:0: this address is not loopback")
}

func TestCertificatesOfAnotherRoleAreRefusedAtTheStart(t *testing.T) {
	ca := certstest.NewCA(t)
	anna := tlsFlags(ca.Identify(t, identity.Operator, "anna").Write(t, t.TempDir(), ca))
	for _, args := range [][]string{
		{"coordinator", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--data", t.TempDir()},
		{"agent", "--coordinator", "127.0.0.1:1", "--spool", t.TempDir()},
	} {
		err := program().Run(t.Context(), append(args, anna...), cli.Streams{Out: io.Discard, Err: io.Discard})
		require.ErrorContains(t, err, "its role is operator, but this program needs ", args[0])
		require.Equal(t, cli.Usage, cli.CodeOf(err))
	}
	var found strings.Builder
	err := program().Run(t.Context(), append([]string{"doctor", "--data", t.TempDir()}, anna...), cli.Streams{Out: &found, Err: io.Discard})
	require.Error(t, err)
	require.Contains(t, found.String(), "its role is operator, but this program needs ")
}

// TestAnAgentGoesOnWithItsNextCertificate lets the certificate of an open session expire. The connection has it until its end, so
// the agent must open another one.
func TestAnAgentGoesOnWithItsNextCertificate(t *testing.T) {
	t.Parallel()
	const life = 15 * time.Second // a busy machine connects meanwhile
	ca := certstest.NewCA(t)
	rpc := start(t, append([]string{"coordinator", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--data", t.TempDir()},
		tlsFlags(ca.Identify(t, identity.Coordinator, "c").Write(t, t.TempDir(), ca))...)...).logs(`coordinator listens.* grpc=(\S+) http`)[0]
	dir := t.TempDir()
	who := identity.Identity{Role: identity.Agent, Name: "client-1"}
	files := ca.Issue(t, certstest.Leaf{Identity: who, Until: time.Now().Add(life)}).Write(t, dir, ca)
	agent := start(t, append([]string{"agent", "--coordinator", rpc, "--name", "client-1", "--spool", t.TempDir()}, tlsFlags(files)...)...)
	agent.logs(`msg=connected`)
	next := ca.Identify(t, identity.Agent, "client-1")
	next.Write(t, dir, ca)
	agent.logs(`TLS certificates were read again.* serial=` + next.Serial())
	agent.logs(`the coordinator refuses this agent.*the certificate of this connection has expired`)
	require.Eventually(t, func() bool {
		return len(regexp.MustCompile(`msg=connected`).FindAllString(agent.log(), -1)) == 2
	}, tolerance.Patience, 10*time.Millisecond)
}
