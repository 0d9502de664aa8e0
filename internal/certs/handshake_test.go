package certs_test

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/certs"
	"github.com/benchd/benchd/internal/certs/certstest"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/tolerance"
)

// outcome is what both ends of a connection see.
type outcome struct {
	server, client error
	state          tls.ConnectionState // of the server
	resumed        bool
}

// connect connects a client and a server, and sends a byte both ways: in TLS 1.3 a client learns only then that it is refused.
func connect(t *testing.T, server, client *tls.Config) outcome {
	t.Helper()
	l, err := tls.Listen("tcp", "127.0.0.1:0", server)
	require.NoError(t, err)
	defer l.Close()
	var o outcome
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := l.Accept()
		if o.server = err; err != nil {
			return
		}
		defer conn.Close()
		o.server = echo(conn)
		o.state = conn.(*tls.Conn).ConnectionState()
	}()
	o.client = func() error {
		raw, err := new(net.Dialer).DialContext(t.Context(), "tcp", l.Addr().String())
		if err != nil {
			return err
		}
		conn := tls.Client(raw, client)
		defer conn.Close()
		if err := conn.SetDeadline(time.Now().Add(tolerance.Patience)); err != nil {
			return err
		}
		if err := conn.HandshakeContext(t.Context()); err != nil {
			return err
		}
		o.resumed = conn.ConnectionState().DidResume
		if _, err := conn.Write([]byte("?")); err != nil {
			return err
		}
		_, err = conn.Read(make([]byte, 1))
		return err
	}()
	<-done
	return o
}

// echo answers one byte.
func echo(conn net.Conn) error {
	b := make([]byte, 1)
	if err := conn.SetDeadline(time.Now().Add(tolerance.Patience)); err != nil {
		return err
	}
	if _, err := conn.Read(b); err != nil {
		return err
	}
	_, err := conn.Write(b)
	return err
}

// raw is the configuration of a client that checks nothing, and presents a certificate.
func raw(cert tls.Certificate) *tls.Config {
	return &tls.Config{
		InsecureSkipVerify:   true,
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &cert, nil },
	}
}

func TestAServerAcceptsOnlyValidPeers(t *testing.T) {
	ca, other := certstest.NewCA(t), certstest.NewCA(t)
	agents := ca.Intermediate(t, "agent")
	server := ca.Identify(t, identity.Coordinator, "c").Store(t, ca).ServerConfig()
	anna := identity.Identity{Role: identity.Operator, Name: "anna", Grants: []identity.Grant{{Privilege: identity.Drop, Pattern: "benchd_*"}}}
	now := time.Now()
	for name, test := range map[string]struct {
		cert    tls.Certificate
		peer    string // if accepted
		problem string
	}{
		"operator":              {ca.Issue(t, certstest.Leaf{Identity: anna}).TLS, "anna (operator)", ""},
		"agent of intermediate": {agents.Identify(t, identity.Agent, "client-1").TLS, "client-1 (agent)", ""},
		"no certificate":        {tls.Certificate{}, "anonymous", ""},
		"wrong CA":              {other.Issue(t, certstest.Leaf{Identity: anna}).TLS, "", "unknown authority"},
		"admin of the agents' authority": {
			agents.Identify(t, identity.Admin, "root").TLS, "", "is not permitted by any constraint",
		},
		"expired":          {ca.Issue(t, certstest.Leaf{Identity: anna, From: now.Add(-2 * time.Hour), Until: now.Add(-time.Hour)}).TLS, "", "expired"},
		"not yet valid":    {ca.Issue(t, certstest.Leaf{Identity: anna, From: now.Add(time.Hour)}).TLS, "", "not yet valid"},
		"without identity": {ca.Issue(t, certstest.Leaf{URIs: []string{}}).TLS, "", "no identity of benchd"},
		"without any URI, of the agents' authority": {agents.Issue(t, certstest.Leaf{URIs: []string{}}).TLS, "", "no identity of benchd"},
		"two identities":   {ca.Issue(t, certstest.Leaf{URIs: []string{"benchd://agent/a", "benchd://admin/a"}}).TLS, "", "no identity of benchd"},
		"for servers only": {ca.Issue(t, certstest.Leaf{Identity: anna, Usages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}).TLS, "", "incompatible key usage"},
	} {
		o := connect(t, server, raw(test.cert))
		if test.problem != "" {
			require.ErrorContains(t, o.server, test.problem, name)
			require.ErrorContains(t, o.client, "remote error: tls", name)
			continue
		}
		require.NoError(t, o.server, name)
		require.NoError(t, o.client, name)
		require.Equal(t, test.peer, certs.PeerIdentity(o.state).String(), name)
	}
}

func TestThePeersGrantsAreThoseOfItsCertificate(t *testing.T) {
	ca := certstest.NewCA(t)
	drop := identity.Grant{Privilege: identity.Drop, Pattern: "benchd_*"}
	anna := ca.Identify(t, identity.Operator, "anna", drop)
	o := connect(t, ca.Identify(t, identity.Coordinator, "c").Store(t, ca).ServerConfig(), anna.Store(t, ca).ClientConfig(identity.Coordinator, "127.0.0.1"))
	require.NoError(t, o.server)
	require.Equal(t, identity.Identity{Role: identity.Operator, Name: "anna", Grants: []identity.Grant{drop}, Serial: anna.Serial()}, certs.PeerIdentity(o.state))
}

func TestAnUnverifiedCertificateGivesNoIdentity(t *testing.T) {
	leaf := certstest.NewCA(t).Identify(t, identity.Admin, "root").Leaf
	require.Equal(t, identity.Anonymous, certs.PeerIdentity(tls.ConnectionState{PeerCertificates: []*x509.Certificate{leaf}}).Role)
}

func TestAClientAcceptsOnlyItsServer(t *testing.T) {
	ca, other := certstest.NewCA(t), certstest.NewCA(t)
	agents := ca.Intermediate(t, "agent")
	client := ca.Identify(t, identity.Operator, "anna").Store(t, ca)
	coordinator := identity.Identity{Role: identity.Coordinator, Name: "c"}
	now := time.Now()
	for name, test := range map[string]struct {
		cert    tls.Certificate
		host    string
		problem string
	}{
		"address":              {ca.Issue(t, certstest.Leaf{Identity: coordinator}).TLS, "127.0.0.1", ""},
		"name":                 {ca.Issue(t, certstest.Leaf{Identity: coordinator, Hosts: []string{"c.example.org"}}).TLS, "c.example.org", ""},
		"other name":           {ca.Issue(t, certstest.Leaf{Identity: coordinator, Hosts: []string{"c.example.org", "10.0.0.1"}}).TLS, "d.example.org", "its certificate is for c.example.org, 10.0.0.1 only"},
		"other address":        {ca.Issue(t, certstest.Leaf{Identity: coordinator, Hosts: []string{"127.0.0.1"}}).TLS, "127.0.0.2", "refuse the server at 127.0.0.2: its certificate is for 127.0.0.1 only"},
		"no hosts":             {ca.Issue(t, certstest.Leaf{Identity: coordinator, Hosts: []string{}}).TLS, "127.0.0.1", "is for clients only"},
		"wrong CA":             {other.Issue(t, certstest.Leaf{Identity: coordinator}).TLS, "127.0.0.1", "the authority of --tls-ca has not issued its certificate: use the CA of"},
		"an agent":             {agents.Identify(t, identity.Agent, "a").TLS, "127.0.0.1", "its certificate is that of a (agent), and the role coordinator is required"},
		"an agent's authority": {agents.Issue(t, certstest.Leaf{Identity: coordinator}).TLS, "127.0.0.1", "is not permitted by any constraint"},
		"an admin":             {ca.Identify(t, identity.Admin, "root").TLS, "127.0.0.1", "role coordinator is required"},
		"no identity":          {ca.Issue(t, certstest.Leaf{URIs: []string{}}).TLS, "127.0.0.1", "no identity of benchd"},
		"expired":              {ca.Issue(t, certstest.Leaf{Identity: coordinator, From: now.Add(-2 * time.Hour), Until: now.Add(-time.Hour)}).TLS, "127.0.0.1", "the certificate of c (coordinator) expired on "},
		"not yet valid":        {ca.Issue(t, certstest.Leaf{Identity: coordinator, From: now.Add(time.Hour)}).TLS, "127.0.0.1", "is valid only from"},
		"for clients":          {ca.Issue(t, certstest.Leaf{Identity: coordinator, Usages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}).TLS, "127.0.0.1", "incompatible key usage"},
	} {
		server := &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{test.cert}}
		o := connect(t, server, client.ClientConfig(identity.Coordinator, test.host))
		if test.problem == "" {
			require.NoError(t, o.client, name)
		} else {
			require.ErrorContains(t, o.client, test.problem, name)
		}
	}
}

func TestOlderVersionsOfTLSAreRefused(t *testing.T) {
	ca := certstest.NewCA(t)
	server, anna := ca.Identify(t, identity.Coordinator, "c"), ca.Identify(t, identity.Operator, "anna")
	old := raw(anna.TLS)
	old.MaxVersion = tls.VersionTLS12
	require.ErrorContains(t, connect(t, server.Store(t, ca).ServerConfig(), old).client, "protocol version")

	old = &tls.Config{Certificates: []tls.Certificate{server.TLS}, MaxVersion: tls.VersionTLS12}
	require.ErrorContains(t, connect(t, old, anna.Store(t, ca).ClientConfig(identity.Coordinator, "127.0.0.1")).client, "protocol version")
}

func TestAServerWithoutACertificateRefusesAll(t *testing.T) {
	ca := certstest.NewCA(t)
	store, err := certs.New(tls.Certificate{}, ca.Pool(), certs.Options{})
	require.NoError(t, err)
	require.Equal(t, identity.Anonymous, store.Identity().Role)
	require.True(t, store.Expires().IsZero())
	require.ErrorContains(t, connect(t, store.ServerConfig(), raw(tls.Certificate{})).server, "needs --tls-cert")
}

func TestARevokedPeerCannotResumeItsSession(t *testing.T) {
	ca := certstest.NewCA(t)
	dir := t.TempDir()
	files := ca.Identify(t, identity.Coordinator, "c").Write(t, dir, ca)
	files.Revoked = filepath.Join(dir, "revoked")
	require.NoError(t, os.WriteFile(files.Revoked, nil, 0o600))
	store, err := certs.Load(files, certs.Options{})
	require.NoError(t, err)

	anna := ca.Identify(t, identity.Operator, "anna")
	client := raw(anna.TLS)
	client.ClientSessionCache = tls.NewLRUClientSessionCache(1)
	server := store.ServerConfig()
	for range 2 {
		o := connect(t, server, client)
		require.NoError(t, o.client)
		require.False(t, o.resumed)
	}
	var gone []string
	store.OnRevoked(func(serial string) { gone = append(gone, serial) })
	require.NoError(t, os.WriteFile(files.Revoked, []byte("# a comment\n"+anna.Serial()+" operator/anna 2026-11-24 left\n"), 0o600))
	require.NoError(t, store.Reload())
	require.Equal(t, []string{anna.Serial()}, gone)
	require.True(t, store.Revoked(identity.Identity{Serial: anna.Serial()}))
	o := connect(t, server, client)
	require.ErrorContains(t, o.server, "the certificate of anna (operator) with the serial number "+anna.Serial()+" is revoked")
	require.Error(t, o.client)
	require.NoError(t, connect(t, server, raw(ca.Identify(t, identity.Operator, "anna").TLS)).client) // her new one
}

func TestAllCertificatesOfAPeerAreRevokedByItsName(t *testing.T) {
	ca := certstest.NewCA(t)
	files := ca.Identify(t, identity.Coordinator, "c").Write(t, t.TempDir(), ca)
	files.Revoked = filepath.Join(t.TempDir(), "revoked")
	require.NoError(t, os.WriteFile(files.Revoked, nil, 0o600))
	store, err := certs.Load(files, certs.Options{})
	require.NoError(t, err)
	before := ca.Identify(t, identity.Agent, "client-1")
	require.NoError(t, connect(t, store.ServerConfig(), raw(before.TLS)).client)
	var gone []string
	store.OnRevoked(func(entry string) { gone = append(gone, entry) })
	require.NoError(t, os.WriteFile(files.Revoked, []byte("* agent/client-1 2026-11-24T00:00:00Z stolen\n"), 0o600))
	require.NoError(t, store.Reload())
	require.Equal(t, []string{"agent/client-1"}, gone)
	for _, pair := range []certstest.Pair{before, ca.Identify(t, identity.Agent, "client-1")} {
		o := connect(t, store.ServerConfig(), raw(pair.TLS))
		require.ErrorContains(t, o.server, "the certificate of client-1 (agent) with the serial number "+pair.Serial()+" is revoked")
		require.True(t, store.Revoked(identity.Identity{Role: identity.Agent, Name: "client-1", Serial: pair.Serial()}))
	}
	for role, name := range map[identity.Role]string{identity.Agent: "client-2", identity.Operator: "client-1"} {
		require.NoError(t, connect(t, store.ServerConfig(), raw(ca.Identify(t, role, name).TLS)).client)
	}
}

func TestARevokedAuthorityRevokesItsCertificates(t *testing.T) {
	ca := certstest.NewCA(t)
	agents := ca.Intermediate(t, "agent")
	dir := t.TempDir()
	files := ca.Identify(t, identity.Coordinator, "c").Write(t, dir, ca)
	files.Revoked = filepath.Join(dir, "revoked")
	require.NoError(t, os.WriteFile(files.Revoked, []byte(identity.Serial(agents.Cert)), 0o600))
	store, err := certs.Load(files, certs.Options{})
	require.NoError(t, err)
	o := connect(t, store.ServerConfig(), raw(agents.Identify(t, identity.Agent, "a").TLS))
	require.ErrorContains(t, o.server, "is revoked")
	require.NoError(t, connect(t, store.ServerConfig(), raw(ca.Identify(t, identity.Agent, "a").TLS)).client)
}
