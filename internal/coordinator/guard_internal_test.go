package coordinator

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/peer"

	"github.com/benchd/benchd/internal/certs"
	"github.com/benchd/benchd/internal/certs/certstest"
	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/identity"
)

// revokedLater are certificates that are revoked from the second question on.
type revokedLater struct{ asked int }

func (*revokedLater) Expires() time.Time     { return time.Time{} }
func (*revokedLater) OnRevoked(func(string)) {}

func (r *revokedLater) Revoked(identity.Identity) bool {
	r.asked++
	return r.asked > 1
}

// connection is the state of a connection of a viewer whose certificate ends at an instant.
func connection(t *testing.T, until time.Time) *tls.ConnectionState {
	t.Helper()
	leaf := certstest.NewCA(t).Issue(t, certstest.Leaf{Identity: identity.Identity{Role: identity.Viewer, Name: "anna"}, Until: until}).Leaf
	return &tls.ConnectionState{PeerCertificates: []*x509.Certificate{leaf}, VerifiedChains: [][]*x509.Certificate{{leaf}}}
}

func callOf(t *testing.T, state *tls.ConnectionState) context.Context {
	t.Helper()
	return peer.NewContext(t.Context(), &peer.Peer{Addr: &net.TCPAddr{}, AuthInfo: credentials.TLSInfo{State: *state}})
}

func TestAnOldConnectionDoesNotProlongACertificate(t *testing.T) {
	t.Parallel()
	c := &Coordinator{clock: clock.NewSource(clock.Skew{})}
	info := &grpc.UnaryServerInfo{Server: c, FullMethod: "/benchd.v1.RunService/List"}
	handle := func(context.Context, any) (any, error) { return "answer", nil }
	read := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil)

	valid := connection(t, time.Now().Add(time.Hour))
	answer, err := guardCall(callOf(t, valid), nil, info, handle)
	require.NoError(t, err)
	require.Equal(t, "answer", answer)
	read.TLS = valid
	require.NoError(t, c.Allow(certs.PeerIdentity(*valid), read))

	over := connection(t, time.Now().Add(-time.Second))
	_, err = guardCall(callOf(t, over), nil, info, handle)
	require.ErrorContains(t, err, "has expired: connect again with a renewed one")
	read.TLS = over
	require.ErrorIs(t, c.Allow(certs.PeerIdentity(*over), read), errExpired)
}

// TestARevocationEndsAStreamThatJustBegins revokes a certificate between the check of the call and the list of streams.
func TestARevocationEndsAStreamThatJustBegins(t *testing.T) {
	t.Parallel()
	c := &Coordinator{clock: clock.NewSource(clock.Skew{}), config: Config{Certificates: &revokedLater{}}}
	ctx := callOf(t, connection(t, time.Now().Add(time.Hour)))
	err := guardStream(c, guardedStream{ctx: ctx}, &grpc.StreamServerInfo{FullMethod: "/benchd.v1.RunService/Watch"}, func(any, grpc.ServerStream) error {
		t.Error("the stream began")
		return nil
	})
	require.ErrorContains(t, err, "has been revoked")
	require.Empty(t, c.certified.streams)
}
