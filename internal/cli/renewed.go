package cli

import (
	"context"
	"net"
	"sync"

	"google.golang.org/grpc/credentials"

	"github.com/benchd/benchd/internal/certs"
)

// RenewedCredentials returns CoordinatorCredentials that load the certificates again before each connection: a command that lasts for days
// connects again with those of that time. If they cannot be loaded, the former ones stay in use; a store of nil counts as that, so that
// a connection is never downgraded to plain text.
func RenewedCredentials(load func() (*certs.Store, error), store *certs.Store, address string) credentials.TransportCredentials {
	if store == nil {
		return CoordinatorCredentials(nil, address)
	}
	return &renewed{load: load, address: address, current: CoordinatorCredentials(store, address)}
}

type renewed struct {
	load    func() (*certs.Store, error)
	address string

	mu      sync.Mutex
	current credentials.TransportCredentials
}

// latest loads the certificates, and returns the credentials with them or the former ones.
func (r *renewed) latest() credentials.TransportCredentials {
	store, err := r.load()
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil && store != nil {
		r.current = CoordinatorCredentials(store, r.address)
	}
	return r.current
}

func (r *renewed) former() credentials.TransportCredentials {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.current
}

// ClientHandshake uses the certificates of now.
func (r *renewed) ClientHandshake(ctx context.Context, authority string, conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return r.latest().ClientHandshake(ctx, authority, conn) //nolint:wrapcheck // the error is explained by remote
}

// ServerHandshake is that of the current credentials.
func (r *renewed) ServerHandshake(conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return r.former().ServerHandshake(conn) //nolint:wrapcheck // see above
}

// Info describes the protocol.
func (r *renewed) Info() credentials.ProtocolInfo { return r.former().Info() }

// Clone returns credentials with the same certificates.
func (r *renewed) Clone() credentials.TransportCredentials {
	return &renewed{load: r.load, address: r.address, current: r.former()}
}

// OverrideServerName has no effect: the name is that of the address.
func (*renewed) OverrideServerName(string) error { return nil }
