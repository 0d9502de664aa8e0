package setup

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/benchd/benchd/internal/kerberos"
	"github.com/benchd/benchd/internal/target/hbase/rpc"
	"github.com/benchd/benchd/internal/target/hbase/sasl"
)

// authenticate makes the handshake of Kerberos with a service of a host.
func (s *Security) authenticate(ctx context.Context, conn net.Conn, host, service string) (net.Conn, error) {
	want := s.settings.Security
	name := principal(ctx, conn, host, want.Region, want.ReverseDNS)
	if service == masterService {
		name = principal(ctx, conn, host, want.Master, want.ReverseDNS)
	}
	secured, protection, err := sasl.Begin(ctx, conn, name, sasl.Config{
		Tickets: s.tickets, Protections: want.Protections, AES: want.AES, Fallback: want.Fallback,
	})
	if err != nil {
		return nil, s.lasting(fmt.Errorf("authenticate at %s as %s: %w", conn.RemoteAddr(), name, err))
	}
	s.protection.Store(&protection)
	if protection == "" {
		return fallen{secured, s.named()}, nil
	}
	return secured, nil
}

const masterService = "MasterService"

// lasting marks an error that another try does not cure. A refused ticket of a keytab deserves a new login and one more try.
func (s *Security) lasting(err error) error {
	if problem, ok := errors.AsType[*kerberos.Error](err); ok && !problem.Passing {
		return rpc.Final(err)
	}
	if _, refused := errors.AsType[*sasl.RefusedError](err); refused && !s.tickets.Refresh() {
		return rpc.Final(err)
	}
	return err
}

// principal returns the name of a service for Kerberos, such as hbase/host, of a setting such as hbase/_HOST@REALM. The realm is that of
// the host. As in HBase's client, _HOST is the name of the server's address, unless that is not to be looked up.
func principal(ctx context.Context, conn net.Conn, host, setting string, reverse bool) string {
	service, rest, _ := strings.Cut(setting, "/")
	name, _, _ := strings.Cut(rest, "@")
	if name != "_HOST" {
		return service + "/" + name
	}
	if address, _, err := net.SplitHostPort(conn.RemoteAddr().String()); err == nil && reverse {
		if names, err := net.DefaultResolver.LookupAddr(ctx, address); err == nil && len(names) > 0 {
			host = strings.TrimSuffix(names[0], ".")
		}
	}
	return service + "/" + strings.ToLower(host)
}

// fallen is a connection without authentication, whose header names a user.
type fallen struct {
	net.Conn

	user string
}

// User implements rpc.Named.
func (f fallen) User() string { return f.user }
