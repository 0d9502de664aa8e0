package security

import (
	"net"
	"net/netip"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheSystemNamesTheUserOfALocalConnection(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	client, err := new(net.Dialer).DialContext(t.Context(), "tcp", l.Addr().String())
	require.NoError(t, err)
	defer client.Close()
	server, err := l.Accept()
	require.NoError(t, err)
	defer server.Close()
	got, err := LocalPeer(server.LocalAddr().String(), server.RemoteAddr().String())
	require.NoError(t, err)
	require.Equal(t, uint32(os.Geteuid()), got.UID)
	require.NotEmpty(t, got.User)
	_, err = LocalPeer(server.LocalAddr().String(), "127.0.0.1:1")
	require.ErrorContains(t, err, "the system does not list its connection")
	_, err = LocalPeer("127.0.0.1:1", "10.0.0.1:2")
	require.ErrorContains(t, err, "10.0.0.1 is not on this machine")
}

// A table as the kernel of a little-endian machine writes it: of another user, of a connection that is closing, whose user is gone, and in
// IPv6 form.
func TestOnlyOpenConnectionsHaveAUser(t *testing.T) {
	const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1B9F 0100007F:C000 01 00000000:00000000 00:00000000 00000000     5        0 1 1
   1: 0100007F:C000 0100007F:1B9F 01 00000000:00000000 00:00000000 00000000  1000        0 1 1
   2: 0100007F:C001 0100007F:1B9F 06 00000000:00000000 00:00000000 00000000     0        0 0 1
   3: 0000000000000000FFFF00000100007F:C002 0000000000000000FFFF00000100007F:1B9F 01 0:0 0:0 0  1001        0 1 1
`
	server := netip.MustParseAddrPort("127.0.0.1:7071")
	for remote, want := range map[string]uint32{"127.0.0.1:49152": 1000, "127.0.0.1:49154": 1001, "[::ffff:127.0.0.1]:49154": 1001} {
		uid, found := owner([]byte(table), netip.MustParseAddrPort(remote), server)
		require.True(t, found, remote)
		require.Equal(t, want, uid, remote)
	}
	_, found := owner([]byte(table), netip.MustParseAddrPort("127.0.0.1:49153"), server)
	require.False(t, found)
}
