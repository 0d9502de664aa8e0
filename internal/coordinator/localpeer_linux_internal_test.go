package coordinator

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/identity"
)

// A connection over loopback has the user of its process, unless a proxy has passed the request on.
func TestTheUserOfTheCoordinatorIsAnAdmin(t *testing.T) {
	c, got := &Coordinator{}, identity.Identity{}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got = c.HTTPPeer(r.WithContext(identity.With(r.Context(), identity.Identity{Role: identity.Trusted})))
	}))
	defer server.Close()
	for header, role := range map[string]identity.Role{
		"Accept": identity.Admin, "Forwarded": identity.Anonymous, "Via": identity.Anonymous, "X-Forwarded-For": identity.Anonymous, "X-Real-IP": identity.Anonymous,
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, http.NoBody)
		require.NoError(t, err)
		req.Header.Set(header, "x")
		resp, err := server.Client().Do(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, role, got.Role, header)
	}
}
