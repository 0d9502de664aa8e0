package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/certs"
	"github.com/benchd/benchd/internal/certs/certstest"
	"github.com/benchd/benchd/internal/identity"
)

// A command that lasts for days connects again with the certificate that has replaced its first one, and never in plain text.
func TestAConnectionUsesTheCertificatesOfItsTime(t *testing.T) {
	ca := certstest.NewCA(t)
	server := ca.Identify(t, identity.Coordinator, "c").Store(t, ca)
	l, err := tls.Listen("tcp", "127.0.0.1:0", server.ServerConfig())
	require.NoError(t, err)
	defer l.Close()
	dir := t.TempDir()
	first := ca.Identify(t, identity.Operator, "anna")
	files := first.Write(t, dir, ca)
	load := func() (*certs.Store, error) { return certs.Load(files, certs.Options{}) }
	store, err := load()
	require.NoError(t, err)
	broken := false
	creds := RenewedCredentials(func() (*certs.Store, error) {
		if broken {
			return nil, errors.New("the file is gone")
		}
		return load()
	}, store, l.Addr().String())
	require.Equal(t, "tls", creds.Info().SecurityProtocol)

	presents := func() string {
		serial := make(chan string, 1)
		go func() {
			conn, err := l.Accept()
			if err != nil {
				serial <- err.Error()
				return
			}
			defer conn.Close()
			secured := conn.(*tls.Conn)
			if err := secured.HandshakeContext(t.Context()); err != nil {
				serial <- err.Error()
				return
			}
			serial <- certs.PeerIdentity(secured.ConnectionState()).Serial
		}()
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", l.Addr().String())
		require.NoError(t, err)
		_, _, err = creds.ClientHandshake(context.Background(), "", conn)
		require.NoError(t, err)
		defer conn.Close()
		return <-serial
	}
	require.Equal(t, first.Serial(), presents())
	second := ca.Identify(t, identity.Operator, "anna")
	second.Write(t, dir, ca)
	require.Equal(t, second.Serial(), presents())
	broken = true
	require.Equal(t, second.Serial(), presents())
	require.Equal(t, "insecure", RenewedCredentials(nil, nil, l.Addr().String()).Info().SecurityProtocol)
}
