package coordinator

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/metadata"

	"github.com/benchd/benchd/internal/clock"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target/null"
	"github.com/benchd/benchd/internal/wire"
)

// asked is the context of a request of a peer over a connection in plain text.
func asked(t *testing.T, c *Coordinator, who identity.Identity, from string) context.Context {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/suites", nil)
	r.RemoteAddr = from
	ctx := context.WithValue(identity.With(r.Context(), who), http.LocalAddrContextKey, net.Addr(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7071}))
	ctx, leave := c.Conn().As(r.WithContext(ctx))
	t.Cleanup(leave)
	return ctx
}

func TestCallsInTheProcessPassTheGuard(t *testing.T) {
	c, err := New(t.Context(), Config{DataDir: t.TempDir(), Version: "test", Reader: spec.NewReader(null.Target().Target), Clock: clock.NewSource(clock.Skew{})})
	require.NoError(t, err)
	client := benchdv1.NewRunServiceClient(c.Conn())
	list := func(ctx context.Context) error {
		_, err := client.List(ctx, &benchdv1.ListRequest{})
		return wire.FromStatus(err)
	}
	get := func(ctx context.Context) error {
		stream, err := client.Get(ctx, &benchdv1.GetRequest{Id: "nobody"})
		require.NoError(t, err)
		_, err = stream.Recv()
		return wire.FromStatus(err)
	}
	viewer := asked(t, c, identity.Identity{Role: identity.Viewer, Name: "anna"}, "10.0.0.1:1")
	require.NoError(t, list(viewer))
	require.ErrorIs(t, get(viewer), wire.ErrNotFound)
	_, err = client.Remove(viewer, &benchdv1.RemoveRequest{Id: "nobody"})
	require.ErrorIs(t, wire.FromStatus(err), wire.ErrDenied)
	require.ErrorIs(t, wire.FromStatus(err), wire.ErrNotAllowed)
	require.ErrorContains(t, err, "anna (viewer) may not remove suites")
	_, err = client.Cancel(viewer, &benchdv1.CancelRequest{Id: string(make([]byte, 1<<20))})
	require.Error(t, err)

	t.Run("nobody is trusted by default, and no metadata names a peer", func(t *testing.T) {
		forged := metadata.AppendToOutgoingContext(t.Context(), "identity", "admin/root", "x-forwarded-for", "127.0.0.1")
		for _, ctx := range []context.Context{t.Context(), forged, identity.With(t.Context(), identity.Identity{Role: identity.Admin, Name: "root"})} {
			require.ErrorIs(t, list(ctx), wire.ErrUnauthenticated)
			require.ErrorIs(t, get(ctx), wire.ErrUnauthenticated)
		}
	})
	t.Run("plain text is trusted only if gRPC is", func(t *testing.T) {
		trusted := identity.Identity{Role: identity.Trusted}
		require.ErrorIs(t, list(asked(t, c, trusted, "10.0.0.1:1")), wire.ErrUnauthenticated)
		require.ErrorIs(t, list(asked(t, c, trusted, "127.0.0.1:1")), wire.ErrUnauthenticated, "the system knows no such connection")
		c.config.Open = true
		require.NoError(t, list(asked(t, c, trusted, "10.0.0.1:1")))
	})
	require.NoError(t, list(c.Conn().AsProcess(t.Context())))
	require.NoError(t, c.Close(t.Context()))
	stream, err := client.Get(viewer, &benchdv1.GetRequest{Id: "nobody"})
	require.Nil(t, stream)
	require.ErrorIs(t, wire.FromStatus(err), wire.ErrUnreachable)
}
