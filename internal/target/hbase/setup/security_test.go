package setup

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/credential"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
	"github.com/benchd/benchd/internal/target/hbase/rpc"
)

// authority issues certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string // its certificate in PEM
}

func newAuthority(t *testing.T) authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test CA"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	a := authority{cert, key, filepath.Join(t.TempDir(), "ca.pem")}
	require.NoError(t, os.WriteFile(a.file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	return a
}

// issue returns a certificate for names of a server, and a file with it and its key.
func (a authority) issue(t *testing.T, names ...string) (cert tls.Certificate, file string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), DNSNames: names,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	require.NoError(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	text := append(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	file = filepath.Join(t.TempDir(), "cert.pem")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, file
}

func (a authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

// pair returns both ends of a connection.
func pair(t *testing.T) (near, far net.Conn) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	near, err = new(net.Dialer).DialContext(t.Context(), "tcp", l.Addr().String())
	require.NoError(t, err)
	far, err = l.Accept()
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return near, far
}

// serve serves one connection, and returns what the client sends at first.
func serve(t *testing.T, conn net.Conn, config *tls.Config) <-chan string {
	t.Helper()
	first := make(chan string, 1)
	go func() {
		defer close(first)
		if config != nil {
			conn = tls.Server(conn, config)
		}
		hello := make([]byte, len(rpc.Simple))
		if _, err := io.ReadFull(conn, hello); err == nil {
			first <- string(hello)
		}
		if config == nil {
			_, _ = conn.Write([]byte("no TLS here, but some other protocol"))
		}
		_ = conn.Close()
	}()
	return first
}

func TestConnectionsUseTheTLSOfTheSettings(t *testing.T) {
	ca := newAuthority(t)
	server, _ := ca.issue(t, "rs1")
	_, client := ca.issue(t)
	stranger := newAuthority(t)
	both := hbasespec.Security{TLS: true, VerifyHost: true, TLS12: true, TLS13: true}
	open := both
	open.VerifyHost = false
	old := both
	old.TLS13 = false
	for name, test := range map[string]struct {
		settings hbasespec.Security
		keys     credential.TLS
		host     string
		server   *tls.Config
		want     string // the error
	}{
		"TLS":                     {both, credential.TLS{CA: ca.file}, "rs1", &tls.Config{}, ""},
		"a client's certificate":  {old, credential.TLS{CA: ca.file, Cert: client}, "rs1", &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: ca.pool()}, ""},
		"no certificate":          {old, credential.TLS{CA: ca.file}, "rs1", &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: ca.pool()}, "--target-tls-cert"},
		"another name":            {both, credential.TLS{CA: ca.file}, "rs2", &tls.Config{}, "the certificate is for another name"},
		"another name, unchecked": {open, credential.TLS{CA: ca.file}, "rs2", &tls.Config{}, ""},
		"another authority":       {both, credential.TLS{CA: stranger.file}, "rs1", &tls.Config{}, "--target-tls-ca"},
		"another, names unchecked": {
			open, credential.TLS{CA: stranger.file}, "rs1", &tls.Config{}, "--target-tls-ca",
		},
		"another version": {old, credential.TLS{CA: ca.file}, "rs1", &tls.Config{MinVersion: tls.VersionTLS13}, "protocol version not supported"},
		"no TLS":          {both, credential.TLS{CA: ca.file}, "rs1", nil, "the server has no TLS on this port"},
	} {
		t.Run(name, func(t *testing.T) {
			keys, err := credential.New(credential.Config{TLS: test.keys})
			require.NoError(t, err)
			s, err := NewSecurity(hbasespec.Settings{Security: test.settings}, keys, nil)
			require.NoError(t, err)
			t.Cleanup(s.Close)
			near, far := pair(t)
			if test.server != nil {
				test.server.Certificates = []tls.Certificate{server}
			}
			first := serve(t, far, test.server)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			_, err = s.RPC()(ctx, near, test.host, "ClientService")
			require.NoError(t, near.Close())
			hello := <-first
			if test.want != "" {
				require.ErrorContains(t, err, test.want)
				require.True(t, rpc.IsFinal(err), "another try does not cure it")
				return
			}
			require.NoError(t, err)
			require.Equal(t, rpc.Simple, hello)
			version := "TLS 1.3 TLS_"
			if !test.settings.TLS13 {
				version = "TLS 1.2 TLS_"
			}
			require.Contains(t, s.Facts()["hbase.tls"], version)
		})
	}
}

// A connection that breaks in the handshake may work a moment later: the server may have been stopped.
func TestABrokenHandshakeMayPass(t *testing.T) {
	s, err := NewSecurity(hbasespec.Settings{Security: hbasespec.Security{TLS: true, TLS12: true, TLS13: true, ZooKeeperTLS: true}}, nil, nil)
	require.NoError(t, err)
	near, far := pair(t)
	require.NoError(t, far.Close())
	_, err = s.ZooKeeper()(t.Context(), near, "zk1")
	require.Error(t, err)
	require.False(t, rpc.IsFinal(err))
}

func TestPagesAreReadOverHTTPS(t *testing.T) {
	ca := newAuthority(t)
	cert, _ := ca.issue(t, "localhost")
	web := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("{}")) }))
	web.TLS = &tls.Config{Certificates: []tls.Certificate{cert}}
	web.StartTLS()
	t.Cleanup(web.Close)
	keys, err := credential.New(credential.Config{TLS: credential.TLS{CA: ca.file}})
	require.NoError(t, err)
	s, err := NewSecurity(hbasespec.Settings{Security: hbasespec.Security{HTTPS: true}}, keys, nil)
	require.NoError(t, err)
	require.Equal(t, "https", s.Scheme())
	require.Nil(t, s.RPC())
	require.Nil(t, s.ZooKeeper())
	_, port, err := net.SplitHostPort(web.Listener.Addr().String())
	require.NoError(t, err)
	client := s.Web(nil, time.Minute)
	defer client.CloseIdleConnections()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.Scheme()+"://localhost:"+port+"/jmx", nil)
	require.NoError(t, err)
	response, err := client.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode)
}

// A run that shall be secured is never carried out without security.
func TestWhatIsMissingIsRefused(t *testing.T) {
	_, err := NewSecurity(hbasespec.Settings{Security: hbasespec.Security{Kerberos: true}}, nil, nil)
	require.Error(t, err)
	require.True(t, rpc.IsFinal(err))
	require.False(t, rpc.IsFinal(errors.New("x")))
}
