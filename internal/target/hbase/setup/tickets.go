package setup

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/kerberos"
	"github.com/benchd/benchd/internal/target/hbase/rpc"
	"github.com/benchd/benchd/internal/target/hbase/sasl"
)

// authenticate makes the handshake of Kerberos with a service of a host.
func (s *Security) authenticate(ctx context.Context, conn net.Conn, host, service string) (net.Conn, error) {
	want := s.settings.Security
	var names []string
	for _, setting := range s.principals(service) {
		if name := principal(ctx, conn, host, setting, want.ReverseDNS); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var secured net.Conn
	var protection string
	err := s.either(conn.RemoteAddr().String(), names, func(name string) error {
		var err error
		secured, protection, err = sasl.Begin(ctx, conn, name, sasl.Config{
			Tickets: s.tickets, Protections: want.Protections, AES: want.AES, Fallback: want.Fallback,
		})
		if err != nil {
			return fmt.Errorf("authenticate at %s as %s: %w", conn.RemoteAddr(), name, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.protection.Store(&protection)
	if protection == "" {
		return fallen{secured, s.named()}, nil
	}
	return secured, nil
}

// HBase's services. The service of the registry is that of masters and region servers alike.
const (
	masterService   = "MasterService"
	registryService = "ClientMetaService"
)

// principals returns the settings of the principals that a service may have, the likely one first.
func (s *Security) principals(service string) []string {
	master, region := s.settings.Security.Master, s.settings.Security.Region
	switch {
	case service == masterService:
		return []string{master}
	case service != registryService:
		return []string{region}
	case s.settings.Registry.Masters():
		return []string{master, region}
	}
	return []string{region, master}
}

// either authenticates at an address as one of its possible names. A connection has one attempt: when the server, or the KDC, refuses the
// first name, the error is rpc.ErrOtherPrincipal, and the next connection takes the second one, as do all others while that is accepted.
func (s *Security) either(address string, names []string, begin func(name string) error) error {
	s.mu.Lock()
	before := s.others[address]
	s.mu.Unlock()
	name := names[0]
	if before != nil {
		name = names[len(names)-1]
	}
	err := begin(name)
	if err == nil || len(names) == 1 || !refuses(err) {
		return s.lasting(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if before == nil {
		if s.others == nil {
			s.others = make(map[string]error)
		}
		s.others[address] = err
		return fmt.Errorf("%w: %w", rpc.ErrOtherPrincipal, err)
	}
	delete(s.others, address)
	return s.lasting(fmt.Errorf("%w; and before: %w", err, before))
}

// refuses reports whether an error may be due to the name of the service.
func refuses(err error) bool {
	problem, ok := errors.AsType[*kerberos.Error](err)
	_, refused := errors.AsType[*sasl.RefusedError](err)
	return refused || ok && !problem.Passing
}

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
