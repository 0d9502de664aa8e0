package debugserver

import (
	"context"
	"net"
	"net/http"

	"github.com/benchd/benchd/internal/certs"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/security"
)

// identify puts the identity of the peer into the context of its requests, and answers those that are not allowed: with 401 if the
// peer has shown no identity, with 429 if it has too many connections, and with 403 otherwise.
func identify(next http.Handler, peer func(*http.Request) identity.Identity, allow func(identity.Identity, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := peer(r)
		if err := allow(id, r); err != nil {
			status := http.StatusForbidden
			if id.Role == identity.Anonymous {
				status = http.StatusUnauthorized
			}
			http.Error(w, err.Error(), status)
			return
		}
		done, err := security.Admit(remote(r), id)
		if err != nil {
			http.Error(w, err.Error(), http.StatusTooManyRequests)
			return
		}
		defer done()
		next.ServeHTTP(w, r.WithContext(identity.With(r.Context(), id)))
	})
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
