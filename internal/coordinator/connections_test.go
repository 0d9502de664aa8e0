package coordinator_test

import (
	"crypto/tls"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	"github.com/benchd/benchd/internal/certs/certstest"
	"github.com/benchd/benchd/internal/coordinator"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/security"
	"github.com/benchd/benchd/internal/tolerance"
	"github.com/benchd/benchd/internal/wire"
)

// TestNobodyTakesAllConnections fills a listener with strangers, and with the connections of one peer that has a certificate.
func TestNobodyTakesAllConnections(t *testing.T) {
	h := newHarness(t)
	ca := certstest.NewCA(t)
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := grpc.NewServer(append(coordinator.ServerOptions(), grpc.Creds(credentials.NewTLS(ca.Identify(t, identity.Coordinator, "c").Store(t, ca).ServerConfig())))...)
	h.c.Register(server)
	var serving sync.WaitGroup
	serving.Go(func() {
		_ = server.Serve(security.Limit(l, security.Limits{Connections: 100, Strangers: 10, OfPeer: 2, Admission: time.Hour}))
	})
	t.Cleanup(func() { server.Stop(); serving.Wait() })

	var silent []net.Conn
	for range 50 {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", l.Addr().String())
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		silent = append(silent, conn)
	}
	list := func(role identity.Role, name string) error {
		creds := credentials.NewTLS(certstest.Client(t, ca, ca.Identify(t, role, name).TLS, identity.Coordinator))
		conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(creds))
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		_, err = benchdv1.NewRunServiceClient(conn).List(t.Context(), &benchdv1.ListRequest{})
		return wire.FromStatus(err)
	}
	require.NoError(t, list(identity.Viewer, "anna"))
	require.NoError(t, silent[0].SetReadDeadline(time.Now().Add(tolerance.Patience)))
	_, err = silent[0].Read(make([]byte, 1))
	require.Error(t, err)
	require.NotErrorIs(t, err, os.ErrDeadlineExceeded, "the oldest of too many strangers is closed")

	require.NoError(t, list(identity.Viewer, "anna"))
	err = list(identity.Viewer, "anna")
	require.ErrorIs(t, err, wire.ErrLimit)
	require.ErrorContains(t, err, "anna (viewer) has 2 connections, the maximum of one peer")
	require.NoError(t, list(identity.Operator, "bob"))
}

// TestAStrangerSendsLittle calls with messages that gRPC would keep in memory until they are complete.
func TestAStrangerSendsLittle(t *testing.T) {
	h := newHarness(t)
	ca := certstest.NewCA(t)
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	creds := credentials.NewTLS(ca.Identify(t, identity.Coordinator, "c").Store(t, ca).ServerConfig())
	server := grpc.NewServer(append(coordinator.ServerOptions(), grpc.Creds(h.c.Credentials(creds)))...)
	h.c.Register(server)
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(l) })
	t.Cleanup(func() { server.Stop(); serving.Wait() })

	enroll := func(cert tls.Certificate, bytes int) error {
		conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(credentials.NewTLS(certstest.Client(t, ca, cert, identity.Coordinator))))
		require.NoError(t, err)
		defer func() { require.NoError(t, conn.Close()) }()
		_, err = benchdv1.NewEnrollServiceClient(conn).Enroll(t.Context(), &benchdv1.EnrollRequest{Request: make([]byte, bytes)})
		return err
	}
	const joins, tooMuch = 10 << 10, 1 << 20
	require.Equal(t, codes.Unimplemented, status.Code(enroll(tls.Certificate{}, joins)), "this coordinator issues no certificates")
	require.Equal(t, codes.Unavailable, status.Code(enroll(tls.Certificate{}, tooMuch)), "the connection is closed")
	require.NotEqual(t, codes.Unavailable, status.Code(enroll(ca.Identify(t, identity.Viewer, "anna").TLS, tooMuch)), "a peer with a certificate may send more")
}
