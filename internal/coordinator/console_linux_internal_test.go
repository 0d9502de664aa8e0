package coordinator

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/peer"

	"github.com/benchd/benchd/internal/clock"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/security"
	"github.com/benchd/benchd/internal/websession"
	"github.com/benchd/benchd/internal/wire"
)

// A link has a code unless HTTP knows the peer without one.
func TestALinkHasACodeWhereALoginIsNeeded(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	client, err := new(net.Dialer).DialContext(t.Context(), "tcp", l.Addr().String())
	require.NoError(t, err)
	defer client.Close()
	server, err := l.Accept()
	require.NoError(t, err)
	defer server.Close()
	far := &net.TCPAddr{IP: net.IPv4(10, 0, 0, 5), Port: 1}
	own := peer.Peer{Addr: server.RemoteAddr(), LocalAddr: server.LocalAddr(), AuthInfo: credentials.TLSInfo{}} // of this user
	other := peer.Peer{Addr: far, LocalAddr: server.LocalAddr(), AuthInfo: credentials.TLSInfo{}}
	socket := peer.Peer{Addr: &net.UnixAddr{Net: "unix"}, LocalAddr: &net.UnixAddr{Net: "unix"}, AuthInfo: security.Local{User: "root"}}
	for name, test := range map[string]struct {
		peer       peer.Peer
		asks, open bool
		code       bool
	}{
		"in plain text":                        {peer: other, open: true},
		"a user of this machine":               {peer: own},
		"a unix socket":                        {peer: socket},
		"another machine":                      {peer: other, code: true},
		"a user of this machine, and TLS":      {peer: own, asks: true, code: true},
		"a unix socket, and TLS":               {peer: socket, asks: true, code: true},
		"plain text, and a password over HTTP": {peer: other, open: true, asks: true, code: true},
	} {
		c := &Coordinator{config: Config{Open: test.open, Console: &Console{Sessions: websession.New(), Scheme: "http", Port: 7071, Asks: test.asks}}}
		answer, err := c.OpenConsole(peer.NewContext(t.Context(), &test.peer), &benchdv1.OpenConsoleRequest{})
		require.NoError(t, err)
		require.Equal(t, test.code, answer.GetCode() != "", name)
		require.Equal(t, test.code, answer.GetValidFor() != nil, name)
	}
	_, err = (&Coordinator{}).OpenConsole(t.Context(), &benchdv1.OpenConsoleRequest{})
	require.ErrorIs(t, wire.FromStatus(err), wire.ErrNotFound)
}

// A request in a session is made as the user of the session, and not that of the connection, until the session ends.
func TestARequestInASessionIsThatOfItsUser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := websession.New()
		c := &Coordinator{clock: clock.NewSource(clock.Skew{}), config: Config{Console: &Console{Sessions: store}}}
		anna := identity.Identity{Role: identity.Viewer, Name: "anna", Serial: "a1"}
		until := time.Now().Add(time.Hour)
		token, _, err := store.Redeem(store.Invite(anna, until))
		require.NoError(t, err)
		enter := func() (*http.Request, bool) {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/about", http.NoBody)
			r.Header.Set("Cookie", "__Host-benchd="+token)
			in, who, leave, ok := c.EnterSession(r)
			t.Cleanup(leave)
			return in.WithContext(identity.With(in.Context(), who)), ok
		}
		in, ok := enter()
		require.True(t, ok)
		require.NoError(t, c.Allow(identity.From(in.Context()), in))
		ctx, leave := c.Conn().As(in)
		defer leave()
		p, _ := peer.FromContext(ctx)
		require.Equal(t, inProcessPeer{who: anna, until: until}, p.AuthInfo)
		c.revoke("viewer/ben")
		synctest.Wait()
		require.NoError(t, ctx.Err())
		c.revoke("viewer/anna")
		synctest.Wait()
		require.Error(t, ctx.Err())
		_, ok = enter()
		require.False(t, ok)
	})
}
