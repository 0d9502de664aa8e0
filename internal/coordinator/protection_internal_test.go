package coordinator

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/test/bufconn"

	"github.com/benchd/benchd/internal/security"
)

func TestConnectionsOfAgentsHaveAProtection(t *testing.T) {
	far, near := &net.TCPAddr{IP: net.IPv4(10, 0, 0, 5), Port: 40000}, &net.TCPAddr{IP: net.IPv6loopback, Port: 40000}
	for want, p := range map[string]peer.Peer{
		"TLS":                                {Addr: far, AuthInfo: credentials.TLSInfo{}},
		"unix socket, for its user and root": {Addr: &net.UnixAddr{Name: "@", Net: "unix"}, AuthInfo: security.Local{}},
		"plain text, on this machine only":   {Addr: near},
		"plain text, with --insecure":        {Addr: far},
		"":                                   {Addr: bufconn.Listen(1).Addr()},
	} {
		require.Equal(t, want, protection(peer.NewContext(t.Context(), &p)))
	}
	require.Empty(t, protection(t.Context()))
}
