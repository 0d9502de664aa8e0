package debugserver

import (
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/certs/certstest"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/tolerance"
)

// who answers with the identity of the peer.
func who(w http.ResponseWriter, r *http.Request) {
	_, _ = io.WriteString(w, identity.From(r.Context()).String())
}

// viewers allows only viewers, and trusted peers.
func viewers(id identity.Identity, r *http.Request) error {
	if id.Role == identity.Viewer || id.Role == identity.Trusted || r.URL.Path == "/healthz" {
		return nil
	}
	return errors.New("this path needs the role viewer")
}

// everyone allows all requests.
func everyone(identity.Identity, *http.Request) error { return nil }

func TestPeersHaveTheIdentityOfTheirCertificate(t *testing.T) {
	ca := certstest.NewCA(t)
	server := ca.Identify(t, identity.Coordinator, "c").Store(t, ca)
	url, stop := serve(t, ServerConfig{
		TLS: server.ServerConfig(), Allow: viewers, Handlers: map[string]http.Handler{"/who": http.HandlerFunc(who)},
	})
	address := url[len("http://"):]
	for name, test := range map[string]struct {
		cert   tls.Certificate
		path   string
		status int
		body   string
	}{
		"a viewer":               {ca.Identify(t, identity.Viewer, "anna").TLS, "/who", 200, "anna (viewer)"},
		"another role":           {ca.Identify(t, identity.Agent, "a").TLS, "/who", 403, "needs the role viewer"},
		"no certificate":         {tls.Certificate{}, "/who", 401, "needs the role viewer"},
		"no certificate, health": {tls.Certificate{}, "/healthz", 200, "ok"},
	} {
		config := certstest.Client(t, ca, test.cert, identity.Coordinator)
		client := &http.Client{Timeout: tolerance.Patience, Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: config, ForceAttemptHTTP2: true}}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+address+test.path, http.NoBody)
		require.NoError(t, err)
		resp, err := client.Do(req)
		require.NoError(t, err, name)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, test.status, resp.StatusCode, name)
		require.Contains(t, string(body), test.body, name)
		require.Equal(t, 2, resp.ProtoMajor)
	}
	require.NoError(t, stop())
}

func TestPeersAreTrustedWithoutTLS(t *testing.T) {
	url, stop := serve(t, ServerConfig{Allow: viewers, Handlers: map[string]http.Handler{"/who": http.HandlerFunc(who)}})
	status, body := get(t, "GET", url+"/who")
	require.Equal(t, 200, status)
	require.Equal(t, "trusted", body)
	require.NoError(t, stop())
}

func TestAServerWithTLSReturnsItsError(t *testing.T) {
	ca := certstest.NewCA(t)
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	server := NewServer(ServerConfig{
		Registry: NewRegistry("v1-test"), Logger: slog.New(slog.DiscardHandler), TLS: ca.Identify(t, identity.Coordinator, "c").Store(t, ca).ServerConfig(),
	})
	require.ErrorContains(t, server.Run(t.Context(), l), "serve HTTP on 127.0.0.1:")
}

func TestWithoutARuleThePathsOfTheTableAreAllowed(t *testing.T) {
	ca := certstest.NewCA(t)
	url, stop := serve(t, ServerConfig{TLS: ca.Identify(t, identity.Agent, "a").Store(t, ca).ServerConfig(), Profiles: true})
	for path, status := range map[string]int{"/metrics": 200, "/healthz": 200, "/debug/pprof/cmdline": 403, "/new": 403} {
		client := &http.Client{Timeout: tolerance.Patience, Transport: &http.Transport{
			DisableKeepAlives: true, TLSClientConfig: certstest.Client(t, ca, ca.Identify(t, identity.Viewer, "anna").TLS, identity.Agent),
		}}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https"+url[len("http"):]+path, http.NoBody)
		require.NoError(t, err)
		resp, err := client.Do(req)
		require.NoError(t, err, path)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, status, resp.StatusCode, path)
	}
	require.NoError(t, stop())
}

// A session counts below the trees alone, where the owner answers what is refused.
func TestSessionsCountBelowTreesOnly(t *testing.T) {
	left := 0
	path := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, identity.From(r.Context()).String())
	})
	handler := identify(path, ServerConfig{
		Trees: map[string]http.Handler{"/console/": path},
		Session: func(r *http.Request) (*http.Request, identity.Identity, func(), bool) {
			return r, identity.Identity{Role: identity.Operator, Name: "anna"}, func() { left++ }, r.Header.Get("Cookie") != ""
		},
		Allow: func(id identity.Identity, _ *http.Request) error {
			if id.Role == identity.Trusted {
				return errors.New("not you")
			}
			return nil
		},
		Home: "/console/",
		Refuse: func(w http.ResponseWriter, _ *http.Request, status int, err error) {
			http.Error(w, "refused: "+err.Error(), status)
		},
	})
	for _, test := range []struct {
		path, cookie, accept string
		status               int
		body                 string
	}{
		{"/console/suites", "x", "", 200, "anna (operator)"},
		{"/console/suites", "", "", 403, "refused: not you\n"},
		{"/metrics", "x", "", 403, "refused: not you\n"},
		{"/consoles", "x", "", 403, "refused: not you\n"},
		{"/", "x", "", 403, "refused: not you\n"},
		{"/", "", "text/html,*/*", 303, ""},
		{"/console", "", "text/html", 303, ""},
		{"/metrics", "", "text/html", 403, "refused: not you\n"},
	} {
		r, w := httptest.NewRequestWithContext(t.Context(), http.MethodGet, test.path, http.NoBody), httptest.NewRecorder()
		r.Header.Set("Cookie", test.cookie)
		r.Header.Set("Accept", test.accept)
		handler.ServeHTTP(w, r)
		require.Equal(t, test.status, w.Code, test.path)
		if test.status == http.StatusSeeOther {
			require.Equal(t, "/console/", w.Header().Get("Location"))
		} else {
			require.Equal(t, test.body, w.Body.String(), test.path)
		}
	}
	require.Equal(t, 1, left, "the use of a session ends with the request")
}
