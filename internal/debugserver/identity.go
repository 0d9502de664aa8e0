package debugserver

import (
	"context"
	"net"
	"net/http"
	"strings"

	"github.com/benchd/benchd/internal/certs"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/security"
)

// identify puts the identity of the peer into the context of its requests, and answers those that are not allowed: with 401 if the
// peer has shown no identity, with 429 if it has too many connections, and with 403 otherwise.
func identify(next http.Handler, c ServerConfig) http.Handler {
	peer := c.peer()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c.Home != "" && (r.URL.Path == "/" || r.URL.Path+"/" == c.Home) && browses(r) {
			http.Redirect(w, r, c.Home, http.StatusSeeOther)
			return
		}
		id := peer(r)
		if c.Session != nil && c.inTree(r.URL.Path) {
			if in, who, leave, ok := c.Session(r); ok {
				defer leave()
				r, id = in, who
			}
		}
		if err := c.Allow(id, r); err != nil {
			status := http.StatusForbidden
			if id.Role == identity.Anonymous {
				status = http.StatusUnauthorized
			}
			c.Refuse(w, r, status, err)
			return
		}
		done, err := security.Admit(remote(r), id)
		if err != nil {
			c.Refuse(w, r, http.StatusTooManyRequests, err)
			return
		}
		defer done()
		next.ServeHTTP(w, r.WithContext(identity.With(r.Context(), id)))
	})
}

// inTree reports whether one of the trees serves a path.
func (c *ServerConfig) inTree(path string) bool {
	for tree := range c.Trees {
		if strings.HasPrefix(path, tree) {
			return true
		}
	}
	return false
}

// browses reports whether a browser wants a page.
func browses(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && strings.Contains(r.Header.Get("Accept"), "text/html")
}

// certified returns who sends a request: by its certificate over TLS, and trusted without TLS.
func certified(r *http.Request) identity.Identity {
	if r.TLS == nil {
		return identity.Identity{Role: identity.Trusted}
	}
	return certs.PeerIdentity(*r.TLS)
}

type remoteKey struct{}

// connContext puts the remote address of a connection into the context of its requests.
func connContext(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, remoteKey{}, conn.RemoteAddr())
}

// remote returns the remote address of the connection of a request.
func remote(r *http.Request) net.Addr {
	at, _ := r.Context().Value(remoteKey{}).(net.Addr)
	return at
}
