package security

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/identity"
)

// shake connects to a socket, and returns what the server learns of the client.
func shake(t *testing.T, l net.Listener, server localCredentials) (Local, error) {
	t.Helper()
	client, err := new(net.Dialer).DialContext(t.Context(), l.Addr().Network(), l.Addr().String())
	require.NoError(t, err)
	defer client.Close()
	conn, err := l.Accept()
	require.NoError(t, err)
	defer conn.Close()
	_, info, err := server.ServerHandshake(conn)
	if err != nil {
		return Local{}, err
	}
	return info.(Local), nil
}

func TestTheSystemNamesThePeersOfASocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := ListenSocket(t.Context(), path)
	require.NoError(t, err)
	defer l.Close()
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	own := ownUID()
	peer, err := shake(t, l, LocalCredentials().(localCredentials))
	require.NoError(t, err)
	require.Equal(t, own, peer.UID)
	require.Equal(t, identity.Identity{Role: identity.Admin, Name: userName(own)}, peer.Identity())

	_, err = shake(t, l, localCredentials{own: own + 1})
	if own == 0 {
		require.NoError(t, err, "root may connect to all")
	} else {
		require.ErrorContains(t, err, "only the user of this process and root")
	}

	tcp, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer tcp.Close()
	_, err = shake(t, tcp, localCredentials{own: own})
	require.ErrorContains(t, err, "not one of a unix socket")
}

func TestOnlyTheUserAndRootMayConnect(t *testing.T) {
	for name, test := range map[string]struct {
		own, peer uint32
		allowed   bool
	}{
		"the same user":             {1000, 1000, true},
		"root":                      {1000, 0, true},
		"another user":              {1000, 1001, false},
		"a user, of root's process": {0, 1000, false},
	} {
		require.Equal(t, test.allowed, localCredentials{own: test.own}.accepts(test.peer), name)
	}
	require.Equal(t, "uid-4294967294", userName(4294967294))
}

func TestASocketReplacesOnlyOneThatNobodyUses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := ListenSocket(t.Context(), path)
	require.NoError(t, err)
	_, err = ListenSocket(t.Context(), path)
	require.ErrorIs(t, err, syscall.EADDRINUSE)
	l.(*net.UnixListener).SetUnlinkOnClose(false) // as after kill -9
	require.NoError(t, l.Close())
	require.FileExists(t, path)
	l, err = ListenSocket(t.Context(), path)
	require.NoError(t, err)
	require.NoError(t, l.Close())

	require.NoError(t, os.WriteFile(path, []byte("mine"), 0o600))
	_, err = ListenSocket(t.Context(), path)
	require.ErrorContains(t, err, "is not a socket")
	require.FileExists(t, path)
}

func TestAddressesOfSockets(t *testing.T) {
	require.NoError(t, CheckLocal("--listen", "unix:/run/benchd.sock", false, false))
	require.NoError(t, CheckLocal("--listen", "127.0.0.1:7070", false, false))
	for address, problem := range map[string]string{
		"unix:":                             "want unix:PATH",
		"unix:@abstract":                    "want unix:PATH",
		"unix:/" + strings.Repeat("x", 107): "has 108 bytes",
		"0.0.0.0:7070":                      "not loopback",
	} {
		require.ErrorContains(t, CheckLocal("--listen", address, false, false), problem, address)
	}
	require.ErrorContains(t, CheckSecured("--http", "unix:/run/benchd.sock", true, false), "the port")
}
