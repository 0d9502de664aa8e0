package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/benchd/benchd/internal/certs/certstest"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/tolerance"
)

// matrix has all kinds of listeners, and all kinds of peers.
type matrix struct {
	peers        map[string]peer
	listeners    map[string]string // addresses
	coordinators map[string]auditedCoordinator

	mu       sync.Mutex
	expected map[string]map[string]int // by coordinator, records of the audit log with their numbers
}

// peer is what a peer presents.
type peer struct {
	tls      *tls.Config // nil for plain text
	password string
	name     string // that a coordinator records
}

// auditedCoordinator is a coordinator with its listeners.
type auditedCoordinator struct {
	rpc, web string
	audit    string // the file
	stop     func() error
}

func newMatrix(t *testing.T) *matrix {
	t.Helper()
	ca := certstest.NewCA(t)
	m := &matrix{peers: make(map[string]peer), listeners: make(map[string]string), coordinators: make(map[string]auditedCoordinator), expected: make(map[string]map[string]int)}
	revoked := m.addPeers(t, ca)

	dir := t.TempDir()
	deny := filepath.Join(dir, "revoked")
	require.NoError(t, os.WriteFile(deny, []byte(revoked+"\n"), 0o600))
	server := tlsFlags(ca.Identify(t, identity.Coordinator, "c").Write(t, dir, ca))
	secured := slices.Concat(server, []string{"--tls-revoked", deny})
	certificates, passwords := filepath.Join(dir, "certificates.yml"), filepath.Join(dir, "passwords.yml")
	require.NoError(t, os.WriteFile(certificates, []byte(`tls_server_config:
  cert_file: tls.crt
  key_file: tls.key
  client_auth_type: VerifyClientCertIfGiven
  client_ca_file: ca.crt
`), 0o600))
	require.NoError(t, os.WriteFile(passwords, []byte("basic_auth_users:\n  anna: $2y$10$QOauhQNbBCuQDKes6eFzPeMqBSjb7Mr5DUmpZ/VcEd00UAV/LDeSi\n"), 0o600))

	coordinator := func(name, web, listen string, flags ...string) {
		data := t.TempDir()
		c := start(t, slices.Concat([]string{"coordinator", "--pprof", "--http", "127.0.0.1:0", "--listen", listen, "--data", data}, flags)...)
		at := c.logs(`coordinator listens.* grpc=(\S+) http=(\S+)`)
		m.listeners["grpc-"+name], m.listeners["http-"+web] = at[0], at[1]
		m.coordinators["grpc-"+name] = auditedCoordinator{rpc: "grpc-" + name, web: "http-" + web, audit: filepath.Join(data, "audit.jsonl"), stop: c.stop}
		m.expected["grpc-"+name] = make(map[string]int)
	}
	coordinator("tls", "tls", "127.0.0.1:0", secured...)
	coordinator("plain", "plain", "127.0.0.1:0")
	coordinator("socket", "web", "unix:"+filepath.Join(t.TempDir(), "s"), "--web.config.file", certificates, "--tls-revoked", deny, "--tls-ca", server[5], "--tls-cert", server[1], "--tls-key", server[3])

	agent := func(name, rpc string, flags ...string) {
		a := start(t, slices.Concat([]string{
			"agent", "--pprof", "--name", "client-1", "--coordinator", m.listeners[rpc], "--spool", t.TempDir(), "--hook", "restart=true", "--hook", "format=true",
		}, flags)...)
		m.listeners["agent-"+name] = a.logs(`agent starts.* http=(\S+)`)[0]
		a.logs(`msg=connected`)
	}
	own := tlsFlags(ca.Identify(t, identity.Agent, "client-1").Write(t, t.TempDir(), ca))
	agent("tls", "grpc-tls", slices.Concat(own, []string{"--tls-revoked", deny})...)
	agent("plain", "grpc-plain")
	agent("web", "grpc-socket", "--web.config.file", passwords)
	return m
}

// addPeers makes the peers, and returns the serial number of the one that is revoked.
func (m *matrix) addPeers(t *testing.T, ca *certstest.CA) (revoked string) {
	t.Helper()
	add := func(name, as string, pair certstest.Pair) {
		m.peers[name] = peer{tls: acceptsAll(pair.TLS), name: as}
	}
	m.peers["plain"] = peer{}
	m.peers["password"] = peer{password: "fakepassword"}
	m.peers["no-certificate"] = peer{tls: acceptsAll(tls.Certificate{})}
	add("wrong-CA", "root", certstest.NewCA(t).Identify(t, identity.Admin, "root"))
	root, now := identity.Identity{Role: identity.Admin, Name: "root"}, time.Now()
	add("expired", "root", ca.Issue(t, certstest.Leaf{Identity: root, From: now.Add(-2 * time.Hour), Until: now.Add(-time.Hour)}))
	add("not-yet-valid", "root", ca.Issue(t, certstest.Leaf{Identity: root, From: now.Add(time.Hour), Until: now.Add(2 * time.Hour)}))
	former := ca.Identify(t, identity.Admin, "former")
	add("revoked", "former", former)
	add("no-identity", "web", ca.Issue(t, certstest.Leaf{Identity: identity.Identity{Name: "web"}, URIs: []string{"https://example.org/root"}}))
	for _, role := range identity.Roles() {
		add(string(role), "a-"+string(role), ca.Identify(t, role, "a-"+string(role)))
	}
	add("granted", "gina", ca.Identify(t, identity.Operator, "gina",
		identity.Grant{Privilege: identity.Drop, Pattern: "benchd_*"}, identity.Grant{Privilege: identity.Hook, Pattern: "restart"},
		identity.Grant{Privilege: identity.Fault, Pattern: "kill-server"}))
	return former.Serial()
}

func (m *matrix) peerNames() []string { return slices.Collect(maps.Keys(m.peers)) }

func (m *matrix) listenerNames() []string { return slices.Collect(maps.Keys(m.listeners)) }

// dial returns a connection of a peer.
func (m *matrix) dial(t *testing.T, listener, as string) *grpc.ClientConn {
	t.Helper()
	creds := insecure.NewCredentials()
	if config := m.peers[as].tls; config != nil {
		creds = credentials.NewTLS(config)
	}
	conn, err := grpc.NewClient(m.listeners[listener], grpc.WithTransportCredentials(creds))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// call makes a call with a request in JSON, and returns the error of its first answer.
func call(t *testing.T, conn *grpc.ClientConn, method protoreflect.MethodDescriptor, text string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), tolerance.Patience)
	defer cancel()
	request := dynamicpb.NewMessage(method.Input())
	require.NoError(t, protojson.Unmarshal([]byte(text), request))
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{
		StreamName: string(method.Name()), ServerStreams: method.IsStreamingServer(), ClientStreams: method.IsStreamingClient(),
	}, fmt.Sprintf("/%s/%s", method.Parent().FullName(), method.Name()))
	if err != nil {
		return err
	}
	if err := stream.SendMsg(request); err != nil && !errors.Is(err, io.EOF) { // io.EOF: RecvMsg has the reason
		return err
	}
	if err := stream.CloseSend(); err != nil {
		return err
	}
	err = stream.RecvMsg(dynamicpb.NewMessage(method.Output()))
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// client returns an HTTP client with the connections of a peer.
func (m *matrix) client(t *testing.T, as string) *http.Client {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: m.peers[as].tls}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Timeout: tolerance.Patience, Transport: transport}
}

// read reads an HTTP path.
func (m *matrix) read(t *testing.T, client *http.Client, listener, as, path string) (status int, body string, err error) {
	t.Helper()
	p, scheme := m.peers[as], "http"
	if p.tls != nil {
		scheme = "https"
	}
	short := map[string]string{"/debug/pprof/profile": "?seconds=1", "/debug/pprof/trace": "?seconds=0.01"}[path]
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, scheme+"://"+m.listeners[listener]+path+short, http.NoBody)
	require.NoError(t, err)
	if p.password != "" {
		req.SetBasicAuth("anna", p.password)
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text), err
}

// expect adds a record of a call to what the audit log must have.
func (m *matrix) expect(listener, as, who string, method protoreflect.MethodDescriptor, want string) {
	outcome, role, name := "admitted", who, m.peers[as].name
	if want != "+" {
		outcome = "refused"
	}
	switch who {
	case "granted":
		role = "operator"
	case "local": // an admin, except for the calls of agents
		role, name = "admin", localUser()
		if n := methodName(method); n == "AgentService/Session" || n == "EnrollService/Renew" {
			role = "trusted"
		}
	}
	m.count(listener, fmt.Sprintf("%s %s %q %s", outcome, role, name, method.Name()))
}

// expectPath adds a record of an HTTP request that is refused to what the audit log must have.
func (m *matrix) expectPath(listener, as, who, path string) {
	m.expectRequest(listener, as, who, "GET "+path)
}

// expectRequest does the same for any method.
func (m *matrix) expectRequest(listener, as, who, request string) {
	role := who
	switch who {
	case "granted":
		role = "operator"
	case "revoked":
		role = "viewer"
	case "stranger":
		return // the file's rules refuse it before the coordinator sees it
	}
	for name, c := range m.coordinators {
		if c.web == listener {
			m.count(name, fmt.Sprintf("refused %s %q %s", role, m.peers[as].name, request))
		}
	}
}

// expectCall adds a record of a call that a request of the API makes.
func (m *matrix) expectCall(listener, as, who, outcome, call string) {
	role := who
	if who == "granted" {
		role = "operator"
	}
	for name, c := range m.coordinators {
		if c.web == listener {
			m.count(name, fmt.Sprintf("%s %s %q %s", outcome, role, m.peers[as].name, call))
		}
	}
}

func (m *matrix) count(coordinator, record string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.expected[coordinator][record]++
}

// localUser is the name of the user of this process.
func localUser() string {
	u, err := user.Current()
	if err != nil {
		return fmt.Sprintf("uid-%d", os.Getuid())
	}
	return u.Username
}
