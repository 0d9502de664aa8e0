package pki

import (
	"crypto/ecdsa"
	"crypto/x509"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/identity"
)

// authority makes an authority whose clock the test moves.
func authority(t *testing.T) (*Authority, *time.Time) {
	t.Helper()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	a, err := Init(filepath.Join(t.TempDir(), "pki"), InitOptions{Now: now})
	require.NoError(t, err)
	a.Now = func() time.Time { return now }
	return a, &now
}

func peer(role identity.Role, name string) identity.Identity {
	return identity.Identity{Role: role, Name: name}
}

// verify verifies a chain as a peer does that has the root.
func verify(t *testing.T, a *Authority, chain []byte, host string) (identity.Identity, error) {
	t.Helper()
	certs, err := ParseChain(chain)
	require.NoError(t, err)
	roots, between := x509.NewCertPool(), x509.NewCertPool()
	roots.AddCert(a.root.cert)
	for _, c := range certs[1:] {
		between.AddCert(c)
	}
	o := x509.VerifyOptions{DNSName: host, Roots: roots, Intermediates: between, CurrentTime: a.now(), KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}}
	if _, err := certs[0].Verify(o); err != nil {
		return identity.Identity{}, err
	}
	return identity.FromCertificate(certs[0])
}

func TestFilesOfAnAuthorityAreSafe(t *testing.T) {
	a, _ := authority(t)
	want := map[string]fs.FileMode{
		RootFile: 0o644, RootKeyFile: 0o600, AgentsFile: 0o644, AgentsKeyFile: 0o600, IssuedFile: 0o600, RevokedFile: 0o644,
	}
	entries, err := os.ReadDir(a.Dir())
	require.NoError(t, err)
	for _, e := range entries {
		info, err := e.Info()
		require.NoError(t, err)
		require.Equal(t, want[e.Name()], info.Mode(), e.Name())
		delete(want, e.Name())
	}
	require.Empty(t, want)
	info, err := os.Stat(a.Dir())
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o700)|fs.ModeDir, info.Mode())

	opened, err := Open(a.Dir())
	require.NoError(t, err)
	require.Equal(t, a.Root(), opened.Root())
}

func TestInitRefusesADirectoryWithContent(t *testing.T) {
	a, _ := authority(t)
	before, err := os.ReadFile(filepath.Join(a.Dir(), RootKeyFile))
	require.NoError(t, err)
	_, err = Init(a.Dir(), InitOptions{})
	require.ErrorIs(t, err, ErrNotEmpty)
	require.ErrorContains(t, err, "it has agents.crt")
	after, err := os.ReadFile(filepath.Join(a.Dir(), RootKeyFile))
	require.NoError(t, err)
	require.Equal(t, before, after)
}

func TestOpenExplainsWhatIsMissing(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	for name, test := range map[string]struct {
		dir     func(t *testing.T) string
		problem string
	}{
		"no directory":    {func(*testing.T) string { return missing }, "does not exist: make an authority with `benchd pki init --dir " + missing + "`"},
		"empty":           {func(t *testing.T) string { t.Helper(); return t.TempDir() }, "the directory is empty"},
		"interrupted":     {without(RootFile), "if `benchd pki init` was interrupted there, delete the directory"},
		"no key":          {without(AgentsKeyFile), "agents.key: no such file"},
		"key of another":  {swapped(RootKeyFile), "ca.key: it is not the key of ca.crt"},
		"agents of other": {swapped(AgentsFile, AgentsKeyFile), "agents.crt is not signed by ca.crt"},
		"damaged":         {changed(RootFile, "x"), "ca.crt: want a certificate in PEM"},
	} {
		_, err := Open(test.dir(t))
		require.ErrorContains(t, err, test.problem, name)
	}
}

func without(file string) func(*testing.T) string {
	return func(t *testing.T) string {
		t.Helper()
		a, _ := authority(t)
		require.NoError(t, os.Remove(filepath.Join(a.Dir(), file)))
		return a.Dir()
	}
}

func changed(file, content string) func(*testing.T) string {
	return func(t *testing.T) string {
		t.Helper()
		a, _ := authority(t)
		require.NoError(t, os.WriteFile(filepath.Join(a.Dir(), file), []byte(content), 0o600))
		return a.Dir()
	}
}

// swapped replaces files by those of another authority.
func swapped(files ...string) func(*testing.T) string {
	return func(t *testing.T) string {
		t.Helper()
		a, _ := authority(t)
		other, _ := authority(t)
		for _, file := range files {
			require.NoError(t, os.Rename(filepath.Join(other.Dir(), file), filepath.Join(a.Dir(), file)))
		}
		return a.Dir()
	}
}

func TestIssuedCertificatesNameTheirOwner(t *testing.T) {
	a, _ := authority(t)
	for name, test := range map[string]struct {
		id    identity.Identity
		hosts []string
	}{
		"coordinator": {peer(identity.Coordinator, "bench"), []string{"bench.example.org", "10.0.0.1", "::1"}},
		"agent":       {peer(identity.Agent, "client-1"), []string{"client-1.example.org"}},
		"operator":    {identity.Identity{Role: identity.Operator, Name: "anna", Grants: []identity.Grant{{Privilege: identity.Drop, Pattern: "benchd_*"}}}, nil},
		"viewer":      {peer(identity.Viewer, "grafana"), nil},
		"admin":       {peer(identity.Admin, "root@example.org"), nil},
	} {
		issued, err := a.Issue(test.id, IssueOptions{Hosts: test.hosts})
		require.NoError(t, err, name)
		for _, host := range append(test.hosts, "") {
			got, err := verify(t, a, issued.Cert, host)
			require.NoError(t, err, name)
			require.Equal(t, issued.Record.Serial, got.Serial)
			got.Serial = ""
			require.Equal(t, test.id, got, name)
		}
		_, err = verify(t, a, issued.Cert, "other.example.org")
		require.Error(t, err, name)

		certs, err := ParseChain(issued.Cert)
		require.NoError(t, err)
		require.True(t, certs[len(certs)-1].Equal(a.root.cert), "the chain has the root, which an agent that joins compares with its token")
		require.Equal(t, a.now().Add(DefaultLife), certs[0].NotAfter)
		key, err := ParseKey(issued.Key)
		require.NoError(t, err)
		require.True(t, key.PublicKey.Equal(certs[0].PublicKey))
	}
	list, err := a.List()
	require.NoError(t, err)
	require.Len(t, list, 5)
}

func TestIssueRefusesMistakes(t *testing.T) {
	a, _ := authority(t)
	drop := []identity.Grant{{Privilege: identity.Drop, Pattern: "*"}}
	for name, test := range map[string]struct {
		id      identity.Identity
		o       IssueOptions
		problem string
	}{
		"role":             {peer("root", "a"), IssueOptions{}, `invalid role "root"`},
		"trusted":          {peer(identity.Trusted, "a"), IssueOptions{}, `invalid role "trusted"`},
		"name":             {peer(identity.Viewer, "a/b"), IssueOptions{}, `invalid name "a/b"`},
		"no host":          {peer(identity.Coordinator, "a"), IssueOptions{}, "--host bench.example.org"},
		"host of a person": {peer(identity.Viewer, "a"), IssueOptions{Hosts: []string{"a"}}, "role viewer has no hosts"},
		"port":             {peer(identity.Coordinator, "a"), IssueOptions{Hosts: []string{"a:7070"}}, `invalid host "a:7070": want a host name or an IP address without a port`},
		"wildcard":         {peer(identity.Coordinator, "a"), IssueOptions{Hosts: []string{"*.example.org"}}, "invalid host"},
		"grants":           {identity.Identity{Role: identity.Viewer, Name: "a", Grants: drop}, IssueOptions{}, "role viewer has no grants"},
		"life":             {peer(identity.Viewer, "a"), IssueOptions{Life: 20 * DefaultLife}, "after its authority on 2036-02-27"},
		"no life":          {peer(identity.Viewer, "a"), IssueOptions{Life: time.Second}, "want 1m or more"},
	} {
		_, err := a.Issue(test.id, test.o)
		require.ErrorIs(t, err, ErrInput, name)
		require.ErrorContains(t, err, test.problem, name)
	}
	list, err := a.List()
	require.NoError(t, err)
	require.Empty(t, list)
}

// forged signs a certificate by the key of the agents' authority, as somebody could who took over a coordinator.
func forged(t *testing.T, a *Authority, change func(*x509.Certificate)) []byte {
	t.Helper()
	c, err := template(peer(identity.Agent, "client-1"), a.now(), time.Hour, a.agents.cert)
	require.NoError(t, err)
	change(c)
	key, err := NewKey()
	require.NoError(t, err)
	cert, err := sign(c, &a.agents, &key.PublicKey)
	require.NoError(t, err)
	return EncodeChain(cert, a.agents.cert)
}

func TestTheAgentsAuthorityCanIssueOnlyAgents(t *testing.T) {
	a, _ := authority(t)
	role := func(role identity.Role) func(*x509.Certificate) {
		return func(c *x509.Certificate) { c.URIs[0] = peer(role, "x").URI() }
	}
	for name, test := range map[string]struct {
		change  func(*x509.Certificate)
		host    string
		problem string
	}{
		"agent":       {func(*x509.Certificate) {}, "", ""},
		"its host":    {func(c *x509.Certificate) { c.DNSNames = []string{AgentHost} }, AgentHost, ""},
		"operator":    {role(identity.Operator), "", "is not permitted by any constraint"},
		"admin":       {role(identity.Admin), "", "is not permitted by any constraint"},
		"viewer":      {role(identity.Viewer), "", "is not permitted by any constraint"},
		"coordinator": {role(identity.Coordinator), "", "is not permitted by any constraint"},
		"two URIs": {func(c *x509.Certificate) {
			c.URIs = append(c.URIs, peer(identity.Admin, "x").URI())
		}, "", "is not permitted by any constraint"},
		"without URI":  {func(c *x509.Certificate) { c.URIs = nil }, "", "the certificate has no identity of benchd"},
		"another host": {func(c *x509.Certificate) { c.DNSNames = []string{"bench.example.org"} }, "bench.example.org", "is not permitted by any constraint"},
		"an address":   {func(c *x509.Certificate) { _ = addHost(c, "10.0.0.1") }, "10.0.0.1", "is excluded by constraint"},
		"an address 6": {func(c *x509.Certificate) { _ = addHost(c, "fd00::1") }, "fd00::1", "is excluded by constraint"},
	} {
		id, err := verify(t, a, forged(t, a, test.change), test.host)
		if test.problem == "" {
			require.NoError(t, err, name)
			require.Equal(t, identity.Agent, id.Role)
			continue
		}
		require.ErrorContains(t, err, test.problem, name)
	}
}

func TestTheAgentsAuthorityCannotMakeAnother(t *testing.T) {
	a, _ := authority(t)
	below, err := newAuthority(rootTemplate(InitOptions{Now: a.now(), Life: time.Hour}), &a.agents)
	require.NoError(t, err)
	c, err := template(peer(identity.Agent, "client-1"), a.now(), time.Minute, below.cert)
	require.NoError(t, err)
	key, err := NewKey()
	require.NoError(t, err)
	cert, err := sign(c, &below, &key.PublicKey)
	require.NoError(t, err)
	_, err = verify(t, a, EncodeChain(cert, below.cert, a.agents.cert), "")
	require.ErrorContains(t, err, "too many intermediates")
}

func TestACoordinatorDoesNotTakeTheRootAsAgentsAuthority(t *testing.T) {
	a, _ := authority(t)
	dir := t.TempDir()
	for to, from := range map[string]string{RootFile: RootFile, AgentsFile: RootFile, AgentsKeyFile: RootKeyFile} {
		content, err := os.ReadFile(filepath.Join(a.Dir(), from))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, to), content, 0o600))
	}
	_, err := OpenEnroller(dir)
	require.ErrorContains(t, err, "agents.crt is not an agents' authority: it could issue other certificates")
}

func request(t *testing.T, name string) (*ecdsa.PrivateKey, []byte) {
	t.Helper()
	key, err := NewKey()
	require.NoError(t, err)
	der, err := Request(name, key)
	require.NoError(t, err)
	return key, der
}

func TestSavedFilesAreThoseOfTheRole(t *testing.T) {
	a, _ := authority(t)
	for role, want := range map[identity.Role]map[string]fs.FileMode{
		identity.Viewer: {CertFile: 0o644, KeyFile: 0o600, RootFile: 0o644},
		identity.Agent:  {CertFile: 0o644, KeyFile: 0o600, RootFile: 0o644},
		identity.Coordinator: {
			CertFile: 0o644, KeyFile: 0o600, RootFile: 0o644, AgentsFile: 0o644, AgentsKeyFile: 0o600, RevokedFile: 0o644,
		},
	} {
		issued, err := a.Issue(peer(role, "x"), IssueOptions{Hosts: map[identity.Role][]string{identity.Coordinator: {"x"}}[role]})
		require.NoError(t, err)
		dir := filepath.Join(t.TempDir(), "out")
		require.NoError(t, Prepare(dir, peer(role, "x")))
		_, err = a.Save(dir, issued)
		require.NoError(t, err)
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, entries, len(want))
		for _, e := range entries {
			info, err := e.Info()
			require.NoError(t, err)
			require.Equal(t, want[e.Name()], info.Mode(), e.Name())
		}
		require.NoError(t, Prepare(dir, peer(role, "x")), "a certificate is replaced by the next one of its owner")
		require.ErrorContains(t, Prepare(dir, peer(role, "y")), "is a certificate of x ("+string(role)+"), and the one of y")
	}
	e, err := OpenEnroller(a.Dir())
	require.NoError(t, err)
	require.True(t, e.Root().Equal(a.root.cert))
}
