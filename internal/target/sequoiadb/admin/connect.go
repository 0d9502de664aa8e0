package admin

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/benchd/benchd/internal/credential"
	"github.com/benchd/benchd/internal/outbound"
	"github.com/benchd/benchd/internal/secret"
	"github.com/benchd/benchd/internal/target/sequoiadb/sequoiadbspec"
	"github.com/benchd/benchd/internal/target/sequoiadb/wire"
)

// dialWithin bounds the attempt to connect to one coordinator.
const dialWithin = 3 * time.Second

// Access is how a user connects to the coordinators of a cluster. Its methods may be called from several goroutines.
type Access struct {
	addresses []string
	config    wire.Config
	password  bool // one is given
}

// NewAccess returns the access of settings. The password may be empty.
func NewAccess(s sequoiadbspec.Settings, password secret.Value, dial *outbound.Dialer, cred *credential.Credential) (*Access, error) {
	a := &Access{addresses: s.Coordinators, password: password.Reveal() != ""}
	a.config = wire.Config{Dial: dial.Named("sequoiadb.url"), User: s.User, Password: password, Keys: new(wire.Keys)}
	if s.TLS {
		config, err := secure(cred)
		if err != nil {
			return nil, err
		}
		a.config.TLS = config
	}
	return a, nil
}

// secure returns the agents' settings of TLS.
func secure(cred *credential.Credential) (*tls.Config, error) {
	config, err := cred.TLS()
	if err != nil {
		return nil, fmt.Errorf("prepare TLS to SequoiaDB (sequoiadb.tls): %w", err)
	}
	return config, nil
}

// Addresses returns the coordinators.
func (a *Access) Addresses() []string { return a.addresses }

// Connect connects to a coordinator: the one with the given number, or else the next one that answers.
func (a *Access) Connect(ctx context.Context, number int) (*wire.Conn, error) {
	var first error
	for i := range a.addresses {
		conn, err := a.ConnectTo(ctx, a.addresses[(number+i)%len(a.addresses)])
		if err == nil {
			return conn, nil
		}
		if first == nil {
			first = err
		}
		if refused(err) || ctx.Err() != nil {
			return nil, err
		}
	}
	if n := len(a.addresses); n > 1 {
		return nil, fmt.Errorf("connect to any of %d coordinators (sequoiadb.url): %w", n, first)
	}
	return nil, first
}

// ConnectTo connects to one coordinator.
func (a *Access) ConnectTo(ctx context.Context, address string) (*wire.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialWithin)
	defer cancel()
	conn, err := wire.Dial(ctx, address, a.config)
	if err == nil {
		return conn, nil
	}
	return nil, fmt.Errorf("connect to SequoiaDB: %w", a.explain(err))
}

// refused reports whether other coordinators would refuse the connection, too.
func refused(err error) bool {
	if _, is := errors.AsType[*outbound.RefusedError](err); is {
		return true
	}
	e, is := errors.AsType[*wire.Error](err)
	return is && e.Code == wire.CodeForbidden
}

// explain adds the cure to an address where nobody listens, and to a refused authentication.
func (a *Access) explain(err error) error {
	if _, is := errors.AsType[*net.OpError](err); is && !errors.Is(err, wire.ErrNotSequoiaDB) {
		return fmt.Errorf("%w: check sequoiadb.url, and that a coordinator serves there", err)
	}
	if e, is := errors.AsType[*wire.Error](err); !is || e.Code != wire.CodeForbidden {
		return err
	}
	if !a.password {
		return fmt.Errorf("%w: user %q needs a password: set sequoiadb.passwd to a reference such as file:sdb.password", err, a.config.User)
	}
	return fmt.Errorf("%w: check sequoiadb.user (%q) and the secret of sequoiadb.passwd", err, a.config.User)
}
