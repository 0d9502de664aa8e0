package credential

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io/fs"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"software.sslmate.com/src/go-pkcs12"

	"github.com/benchd/benchd/internal/secret"
)

// canary is a secret that must not appear anywhere.
const canary = "canary-2b7e15"

// leaf is a certificate with its key.
type leaf struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newLeaf(t *testing.T) leaf {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "client"}, NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return leaf{cert, key}
}

func (l leaf) certPEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: l.cert.Raw})
}

func (l leaf) keyPEM(t *testing.T) []byte {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(l.key)
	require.NoError(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

func write(t *testing.T, name string, content []byte, mode fs.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, content, 0o600))
	require.NoError(t, os.Chmod(path, mode))
	return path
}

func TestCertificatesAreReadFromPEMAndPKCS12(t *testing.T) {
	l := newLeaf(t)
	cert, key := write(t, "cert.pem", l.certPEM(), 0o644), write(t, "key.pem", l.keyPEM(t), 0o600)
	both := write(t, "both.pem", append(l.keyPEM(t), l.certPEM()...), 0o640)
	store, err := pkcs12.Modern.Encode(l.key, l.cert, nil, canary)
	require.NoError(t, err)
	trusted, err := pkcs12.Modern.EncodeTrustStore([]*x509.Certificate{l.cert}, canary)
	require.NoError(t, err)
	p12, trust := write(t, "client.p12", store, 0o600), write(t, "trust.p12", trusted, 0o644)
	password, err := ReadPassword(write(t, "password", []byte(canary+"\n"), 0o400))
	require.NoError(t, err)

	for name, files := range map[string]TLS{
		"two files": {Cert: cert, Key: key, CA: cert},
		"one file":  {Cert: both, CA: cert},
		"PKCS#12":   {Cert: p12, Password: password, CA: trust, CAPassword: password},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := New(Config{TLS: files})
			require.NoError(t, err)
			require.True(t, c.Private())
			config, err := c.TLS()
			require.NoError(t, err)
			require.Equal(t, l.cert.Raw, config.Certificates[0].Certificate[0])
			require.True(t, l.key.Equal(config.Certificates[0].PrivateKey))
			_, err = l.cert.Verify(x509.VerifyOptions{Roots: config.RootCAs, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}})
			require.NoError(t, err)
		})
	}
	c, err := New(Config{TLS: TLS{CA: cert}})
	require.NoError(t, err)
	require.False(t, c.Private(), "an authority is not a key")
	require.Equal(t, []string{"TLS authorities"}, c.Kinds())
}

// A certificate that is renewed on disk counts for the next run.
func TestFilesAreReadAgain(t *testing.T) {
	before, after := newLeaf(t), newLeaf(t)
	path := write(t, "both.pem", append(before.keyPEM(t), before.certPEM()...), 0o600)
	c, err := New(Config{TLS: TLS{Cert: path}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, append(after.keyPEM(t), after.certPEM()...), 0o600))
	config, err := c.TLS()
	require.NoError(t, err)
	require.Equal(t, after.cert.Raw, config.Certificates[0].Certificate[0])
}

func TestNothingIsGiven(t *testing.T) {
	c, err := New(Config{})
	require.NoError(t, err)
	require.Nil(t, c)
	require.False(t, c.Private())
	require.Empty(t, c.Kinds())
	_, ok := c.Kerberos()
	require.False(t, ok)
	config, err := c.TLS()
	require.NoError(t, err)
	require.Empty(t, config.Certificates)
	require.Nil(t, config.RootCAs, "the authorities of the system")
}

func TestFilesThatCannotBeUsed(t *testing.T) {
	l := newLeaf(t)
	cert, key := write(t, "cert.pem", l.certPEM(), 0o644), write(t, "key.pem", l.keyPEM(t), 0o600)
	store, err := pkcs12.Modern.Encode(l.key, l.cert, nil, canary)
	require.NoError(t, err)
	p12 := write(t, "client.p12", store, 0o600)
	keytab := write(t, "a.keytab", []byte(canary), 0o600)
	for name, test := range map[string]struct {
		config Config
		want   string
	}{
		"a keytab for all":     {Config{Kerberos: Kerberos{Keytab: write(t, "a.keytab", []byte(canary), 0o644), Principal: "a@B"}}, "every user of this machine has access to its keys (mode 0644): run chmod o= "},
		"a cache for all":      {Config{Kerberos: Kerberos{Cache: write(t, "cache", []byte(canary), 0o604)}}, "run chmod o= "},
		"a key for all":        {Config{TLS: TLS{Cert: cert, Key: write(t, "key.pem", l.keyPEM(t), 0o644)}}, "run chmod o= "},
		"PKCS#12 for all":      {Config{TLS: TLS{Cert: write(t, "client.p12", store, 0o644)}}, "run chmod o= "},
		"a missing keytab":     {Config{Kerberos: Kerberos{Keytab: "/nowhere/a.keytab", Principal: "a@B"}}, "credential /nowhere/a.keytab: no such file or directory: check the path"},
		"a folder":             {Config{Kerberos: Kerberos{Keytab: t.TempDir(), Principal: "a@B"}}, "is not a regular file"},
		"no principal":         {Config{Kerberos: Kerberos{Keytab: keytab}}, "--kerberos-principal is missing"},
		"no keytab":            {Config{Kerberos: Kerberos{Principal: "a@B"}}, "--kerberos-keytab is missing"},
		"keytab and cache":     {Config{Kerberos: Kerberos{Keytab: keytab, Cache: keytab, Principal: "a@B"}}, "give only one of --kerberos-keytab and --kerberos-cache"},
		"a cache in a keyring": {Config{Kerberos: Kerberos{Cache: "KEYRING:persistent:0"}}, "invalid credential cache KEYRING:persistent:0: only files are read"},
		"a realm alone":        {Config{Kerberos: Kerberos{Keytab: keytab, Principal: "a@B", Realm: "B"}}, "--kerberos-kdc is missing"},
		"a KDC alone":          {Config{Kerberos: Kerberos{Keytab: keytab, Principal: "a@B", KDCs: []string{"kdc"}}}, "--kerberos-realm is missing"},
		"two configurations":   {Config{Kerberos: Kerberos{Keytab: keytab, Principal: "a@B", Realm: "B", Conf: "c", KDCs: []string{"kdc"}}}, "give only one of them"},
		"a key alone":          {Config{TLS: TLS{Key: key}}, "--target-tls-cert is missing"},
		"no key":               {Config{TLS: TLS{Cert: write(t, "cert.pem", l.certPEM(), 0o600)}}, "want a certificate and its private key in PEM"},
		"another's key":        {Config{TLS: TLS{Cert: cert, Key: write(t, "key.pem", newLeaf(t).keyPEM(t), 0o600)}}, "private key does not match public key"},
		"an encrypted key":     {Config{TLS: TLS{Cert: cert, Key: write(t, "key.pem", []byte("-----BEGIN ENCRYPTED PRIVATE KEY-----\n"), 0o600)}}, "openssl pkcs12 -export -inkey "},
		"no password":          {Config{TLS: TLS{Cert: p12}}, "it has a password: give the file with it, with --target-tls-password-file"},
		"a wrong password":     {Config{TLS: TLS{Cert: p12, Password: secret.NewValue("x")}}, "the password is wrong"},
		"PKCS#12 with a key":   {Config{TLS: TLS{Cert: p12, Key: key, Password: secret.NewValue(canary)}}, "leave --target-tls-key out"},
		"JKS":                  {Config{TLS: TLS{Cert: write(t, "client.jks", []byte(jks+canary), 0o600)}}, "client.jks -srcstoretype JKS -destkeystore "},
		"authorities in JKS":   {Config{TLS: TLS{CA: write(t, "trust.jks", []byte(jks+canary), 0o600)}}, "Java's format JKS: convert it with keytool -importkeystore"},
		"BCFKS":                {Config{TLS: TLS{CA: write(t, "trust.bcfks", []byte("0"+canary), 0o600)}}, "Java's format BCFKS"},
		"neither":              {Config{TLS: TLS{CA: write(t, "ca", []byte(canary), 0o600)}}, "read PKCS#12: "},
		"empty":                {Config{TLS: TLS{CA: write(t, "ca", nil, 0o600)}}, "is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(test.config)
			require.ErrorContains(t, err, test.want)
			require.NotContains(t, err.Error(), canary, "an error has nothing of a file's content")
		})
	}
}

func TestFlagsOverrideATargetsConfiguration(t *testing.T) {
	flags := Config{Kerberos: Kerberos{Cache: "mine", Realm: "R", KDCs: []string{"k"}}, TLS: TLS{CA: "ca"}}
	site := Config{Kerberos: Kerberos{Keytab: "theirs", Principal: "p", Conf: "c"}, TLS: TLS{Cert: "cert", Password: secret.NewValue("x"), CA: "other", CAPassword: secret.NewValue("y")}}
	both := flags.Over(site)
	require.Equal(t, Kerberos{Cache: "mine", Principal: "p", Realm: "R", KDCs: []string{"k"}}, both.Kerberos)
	require.Equal(t, "cert", both.TLS.Cert)
	require.Equal(t, "x", both.TLS.Password.Reveal())
	require.Equal(t, "ca", both.TLS.CA)
	require.Empty(t, both.TLS.CAPassword.Reveal(), "it belongs to another file")
	require.Equal(t, site.Kerberos, Config{}.Over(site).Kerberos)
}

func TestThePrincipalOfAMachineHasItsName(t *testing.T) {
	host, err := os.Hostname()
	require.NoError(t, err)
	c, err := New(Config{Kerberos: Kerberos{Keytab: write(t, "a.keytab", []byte(canary), 0o600), Principal: "benchd/_HOST@EXAMPLE.COM"}})
	require.NoError(t, err)
	k, ok := c.Kerberos()
	require.True(t, ok)
	require.Equal(t, "benchd/"+string(bytes.ToLower([]byte(host)))+"@EXAMPLE.COM", k.Principal)
	require.Equal(t, DefaultConf, k.ConfFile())
	require.Empty(t, Kerberos{Realm: "R"}.ConfFile())
}

func TestACredentialIsNotPrinted(t *testing.T) {
	c, err := New(Config{Kerberos: Kerberos{Keytab: write(t, canary, []byte(canary), 0o600), Principal: canary + "@B"}})
	require.NoError(t, err)
	type holder struct{ Inner *Credential }
	h := holder{c}
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&out, verb, c)
		fmt.Fprintf(&out, verb, h)
	}
	for _, handler := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(handler).Info("message", "credential", c, "holder", h)
	}
	encoded, err := json.Marshal(map[string]any{"credential": c, "holder": h})
	require.NoError(t, err)
	out.Write(encoded)
	require.NotContains(t, out.String(), canary)
	require.NotContains(t, out.String(), fmt.Sprintf("%x", canary))
	require.Contains(t, out.String(), "(credential)")
}
