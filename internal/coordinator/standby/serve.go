package standby

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/peer"

	"github.com/benchd/benchd/internal/access"
	"github.com/benchd/benchd/internal/certs"
	"github.com/benchd/benchd/internal/debugserver"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/security"
	"github.com/benchd/benchd/internal/wire"
)

// ServerConfig configures Serve.
type ServerConfig struct {
	// Options are those of the gRPC server: its credentials and bounds.
	Options []grpc.ServerOption
	// Limits are the bounds of the connections of gRPC.
	Limits security.Limits
	// HTTP has the registry, the logger and the certificates of HTTP. Serve adds the paths, and who may use them.
	HTTP debugserver.ServerConfig
}

// Serve answers clients on two listeners, which it closes, until ctx ends: gRPC refuses each call and names the leader, HTTP redirects to it.
// Only the metrics, the state and the profiles are those of this process.
func (c *Candidate) Serve(ctx context.Context, config ServerConfig, rpc, web net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	server := grpc.NewServer(append(config.Options, grpc.UnknownServiceHandler(c.refuse))...)
	served := make(chan error, 2)
	go func() {
		err := server.Serve(security.Limit(rpc, config.Limits))
		cancel()
		if errors.Is(err, grpc.ErrServerStopped) {
			err = nil // stopped before it started
		}
		if err != nil {
			err = fmt.Errorf("serve gRPC on %s: %w", rpc.Addr(), err)
		}
		served <- err
	}()
	go func() {
		err := debugserver.NewServer(c.http(config.HTTP)).Run(ctx, web)
		cancel()
		served <- err
	}()
	<-ctx.Done()
	server.Stop()
	return errors.Join(<-served, <-served)
}

// refuse answers a call, after the peer has counted as admitted.
func (c *Candidate) refuse(_ any, stream grpc.ServerStream) error {
	if p, ok := peer.FromContext(stream.Context()); ok {
		leave, err := security.Admit(p.Addr, identityOf(p))
		if err != nil {
			return wire.ToStatus(wire.Errorf(wire.ErrLimit, "%v", err))
		}
		defer leave()
	}
	leader, _ := c.Leader()
	return wire.ToStatus(&wire.StandbyError{Leader: leader.RPC})
}

// identityOf returns the identity of a peer, for its share of the connections.
func identityOf(p *peer.Peer) identity.Identity {
	switch info := p.AuthInfo.(type) {
	case credentials.TLSInfo:
		return certs.PeerIdentity(info.State)
	case security.Local:
		return info.Identity()
	}
	return identity.Identity{Role: identity.Trusted}
}

// http completes the configuration of HTTP.
func (c *Candidate) http(config debugserver.ServerConfig) debugserver.ServerConfig {
	config.Ready = func() error {
		leader, _ := c.Leader()
		return &wire.StandbyError{Leader: leader.RPC}
	}
	config.Trees = map[string]http.Handler{"/": http.HandlerFunc(c.redirect)}
	allow := config.Allow
	if allow == nil {
		allow = func(who identity.Identity, r *http.Request) error { return access.Path(who, r.URL.Path) }
	}
	config.Allow = func(who identity.Identity, r *http.Request) error {
		if own(r.URL.Path) {
			return allow(who, r)
		}
		return nil // the leader checks the request
	}
	return config
}

// own reports whether this process serves a path.
func own(path string) bool {
	switch path {
	case "/metrics", "/healthz", "/readyz":
		return true
	}
	return strings.HasPrefix(path, "/debug/")
}

// redirect sends a request to the leader, with the same method and body.
func (c *Candidate) redirect(w http.ResponseWriter, r *http.Request) {
	leader, known := c.Leader()
	switch {
	case !known:
		w.Header().Set("Retry-After", "2")
		http.Error(w, "this coordinator is a standby, and no coordinator leads now: try again in some seconds", http.StatusServiceUnavailable)
	case leader.HTTP == "":
		http.Error(w, "this coordinator is a standby of "+leader.RPC+", which serves HTTP to its own machine only: start it with --http at an address that others reach", http.StatusServiceUnavailable)
	default:
		base := leader.HTTP
		if !strings.HasPrefix(base, "https://") {
			base = "http://" + base
		}
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Location", base+pathOf(r))
		w.WriteHeader(http.StatusTemporaryRedirect)
		_, _ = fmt.Fprintf(w, "this coordinator is a standby of %s\n", leader.RPC)
	}
}

// pathOf returns the path and the query of a request.
func pathOf(r *http.Request) string {
	u := *r.URL
	u.Scheme, u.Host, u.User, u.Fragment = "", "", nil, ""
	path := u.RequestURI()
	if !strings.HasPrefix(path, "/") { // that of OPTIONS *
		return "/"
	}
	return path
}
