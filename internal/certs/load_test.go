package certs_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/certs"
	"github.com/benchd/benchd/internal/certs/certstest"
	"github.com/benchd/benchd/internal/identity"
)

func TestErrorsNameTheFileAndTheCure(t *testing.T) {
	ca, other := certstest.NewCA(t), certstest.NewCA(t)
	good := ca.Identify(t, identity.Agent, "a")
	agent := identity.Identity{Role: identity.Agent, Name: "a"}
	now := time.Now()
	put := func(path, text string) { require.NoError(t, os.WriteFile(path, []byte(text), 0o600)) }
	for name, test := range map[string]struct {
		spoil func(dir string, f *certs.Files)
		file  string // whose name is in the error
		cure  string
	}{
		"missing certificate": {func(_ string, f *certs.Files) { f.Cert = "/none/tls.crt" }, "/none/tls.crt", "no such file or directory: check the path"},
		"empty certificate":   {func(_ string, f *certs.Files) { put(f.Cert, "") }, "tls.crt", "want PEM"},
		"broken certificate": {
			func(_ string, f *certs.Files) {
				put(f.Cert, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
			}, "tls.crt", "write the file again",
		},
		"broken key": {func(_ string, f *certs.Files) { put(f.Key, "x") }, "tls.key", "unencrypted PEM of the private key of "},
		"another's key": {
			func(_ string, f *certs.Files) { put(f.Key, string(ca.Identify(t, identity.Agent, "b").KeyPEM)) }, "tls.key",
			"private key does not match public key: it must be the unencrypted PEM of the private key of ",
		},
		"empty CA": {func(_ string, f *certs.Files) { put(f.CA, "") }, "ca.crt", "want PEM"},
		"CA that is none": {
			func(_ string, f *certs.Files) { put(f.CA, string(good.CertPEM)) }, "ca.crt",
			"the certificate of a (agent) is not an authority's (CA): --tls-ca needs ca.crt",
		},
		"another CA": {func(_ string, f *certs.Files) { put(f.CA, string(other.PEM())) }, "tls.crt", "use the certificate and the CA of one installation"},
		"expired": {func(dir string, _ *certs.Files) {
			ca.Issue(t, certstest.Leaf{Identity: agent, From: now.Add(-2 * time.Hour), Until: now.Add(-time.Hour)}).Write(t, dir, ca)
		}, "tls.crt", "issue a new one (`benchd pki issue`), or set the clock"},
		"not yet valid": {func(dir string, _ *certs.Files) {
			ca.Issue(t, certstest.Leaf{Identity: agent, From: now.Add(time.Hour)}).Write(t, dir, ca)
		}, "tls.crt", "set the clock of this machine"},
		"no identity": {func(dir string, _ *certs.Files) { ca.Issue(t, certstest.Leaf{URIs: []string{}}).Write(t, dir, ca) }, "tls.crt", "which `benchd pki issue` writes"},
		"wrong role": {
			func(dir string, _ *certs.Files) { ca.Identify(t, identity.Viewer, "v").Write(t, dir, ca) }, "tls.crt",
			"its role is viewer, but this program needs agent: issue one with `benchd pki issue agent NAME`",
		},
		"missing list": {func(dir string, f *certs.Files) { f.Revoked = filepath.Join(dir, "gone") }, "gone", "check the path"},
		"broken list": {func(dir string, f *certs.Files) {
			f.Revoked = filepath.Join(dir, "revoked")
			put(f.Revoked, "\n beef agent/a\nagent/b\n")
		}, "revoked", "line 3: invalid serial number \"agent/b\""},
		"no CA":          {func(_ string, f *certs.Files) { f.CA = "" }, "--tls-ca", "give the file with the certificate of the authority"},
		"no key":         {func(_ string, f *certs.Files) { f.Key = "" }, "--tls-key", "give the private key of --tls-cert"},
		"no certificate": {func(_ string, f *certs.Files) { f.Cert = "" }, "--tls-cert", "give the certificate of --tls-key"},
		"CA alone":       {func(_ string, f *certs.Files) { f.Cert, f.Key = "", "" }, "--tls-cert and --tls-key", "as `benchd pki issue` writes them"},
	} {
		dir := t.TempDir()
		files := good.Write(t, dir, ca)
		test.spoil(dir, &files)
		_, err := certs.Load(files, certs.Options{Roles: []identity.Role{identity.Agent}, Required: true})
		require.ErrorContains(t, err, test.file, name)
		require.ErrorContains(t, err, test.cure, name)
		var usage interface{ ExitCode() int }
		require.ErrorAs(t, err, &usage, name)
		require.Equal(t, 2, usage.ExitCode(), name)
	}
}

func TestAProcessMayPresentNoCertificate(t *testing.T) {
	ca := certstest.NewCA(t)
	files := ca.Identify(t, identity.Agent, "a").Write(t, t.TempDir(), ca)
	store, err := certs.Load(certs.Files{CA: files.CA}, certs.Options{})
	require.NoError(t, err)
	server := ca.Identify(t, identity.Coordinator, "c").Store(t, ca).ServerConfig()
	o := connect(t, server, store.ClientConfig(identity.Coordinator, "localhost"))
	require.NoError(t, o.client)
	require.Equal(t, identity.Anonymous, certs.PeerIdentity(o.state).Role)
}

func TestTheFirstEndOfAChainCounts(t *testing.T) {
	ca := certstest.NewCA(t)
	pair := ca.Intermediate(t, "agent").Issue(t, certstest.Leaf{
		Identity: identity.Identity{Role: identity.Agent, Name: "a"}, Until: time.Now().AddDate(30, 0, 0),
	})
	store, err := certs.Load(pair.Write(t, t.TempDir(), ca), certs.Options{})
	require.NoError(t, err)
	require.WithinDuration(t, time.Now().AddDate(10, 0, 0), store.Expires(), time.Hour)
	require.Equal(t, "a (agent)", store.Identity().String())
	require.Equal(t, pair.Serial(), store.Identity().Serial)
}
