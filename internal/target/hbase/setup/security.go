package setup

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/benchd/benchd/internal/credential"
	"github.com/benchd/benchd/internal/kerberos"
	"github.com/benchd/benchd/internal/outbound"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
	"github.com/benchd/benchd/internal/target/hbase/rpc"
)

// Security is how one target, actor or source of telemetry connects to a cluster. NewSecurity makes one, and its owner closes it.
type Security struct {
	settings hbasespec.Settings
	tls      *tls.Config      // nil if no connection needs it
	tickets  *kerberos.Client // nil if no connection needs a ticket

	mu     sync.Mutex
	others map[string]error // why servers of the registry, by address, have refused the first of their possible names

	// What the last handshake with a master or region server has agreed on.
	agreed     atomic.Pointer[string] // of TLS
	protection atomic.Pointer[string] // of Kerberos; "" without authentication
}

// NewSecurity prepares connections by the settings of a run, and by what the agent has to prove itself.
func NewSecurity(s hbasespec.Settings, c *credential.Credential, _ *slog.Logger) (*Security, error) {
	one := &Security{settings: s}
	if s.Security.Certificates() {
		config, err := c.TLS()
		if err != nil {
			return nil, rpc.Final(err)
		}
		one.tls = config
	}
	if s.Security.Tickets() {
		k, _ := c.Kerberos()
		tickets, err := kerberos.New(kerberos.Config{
			Keytab: k.Keytab, Principal: k.Principal, Cache: k.Cache, Conf: k.ConfFile(), Realm: k.Realm, KDCs: k.KDCs,
		})
		if err != nil {
			return nil, rpc.Final(err)
		}
		one.tickets = tickets
	}
	return one, nil
}

// Close ends what the connections share.
func (s *Security) Close() {
	if s.tickets != nil {
		s.tickets.Close()
	}
}

// User returns the user in the header of connections; empty if the servers learn it by Kerberos.
func (s *Security) User() string {
	if s.settings.Security.Kerberos {
		return ""
	}
	return s.named()
}

// named is the user without authentication: that of the settings, or HBase's superuser.
func (s *Security) named() string { return cmp.Or(s.settings.User, "root") }

// RPC returns what makes connections to masters and region servers secure, or nil.
func (s *Security) RPC() rpc.Secure {
	if !s.settings.Security.TLS && !s.settings.Security.Kerberos {
		return nil
	}
	return func(ctx context.Context, conn net.Conn, host, service string) (net.Conn, error) {
		var err error
		if s.settings.Security.TLS {
			if conn, err = s.encrypt(ctx, conn, host); err != nil {
				return nil, err
			}
		}
		if s.settings.Security.Kerberos {
			return s.authenticate(ctx, conn, host, service)
		}
		if _, err := conn.Write([]byte(rpc.Simple)); err != nil {
			return nil, fmt.Errorf("greet %s: %w", host, err)
		}
		return conn, nil
	}
}

// encrypt begins TLS.
func (s *Security) encrypt(ctx context.Context, conn net.Conn, host string) (net.Conn, error) {
	sealed, err := handshake(ctx, conn, host, s.versions(), s.settings.Security.VerifyHost)
	if err != nil {
		return nil, err
	}
	state := sealed.ConnectionState()
	s.agreed.Store(new(tls.VersionName(state.Version) + " " + tls.CipherSuiteName(state.CipherSuite)))
	return explained{sealed}, nil
}

// explained is a connection over TLS whose errors name the cure: with version 1.3 a server refuses a client's certificate at the first
// read.
type explained struct{ *tls.Conn }

// Read reads what the server has sent.
func (e explained) Read(b []byte) (int, error) {
	n, err := e.Conn.Read(b)
	if err != nil {
		if text := cure(err); text != "" {
			err = fmt.Errorf("%w%s", err, text)
		}
	}
	return n, err //nolint:wrapcheck // io.EOF and timeouts are for the caller
}

// versions returns the configuration of TLS with the versions of the settings.
func (s *Security) versions() *tls.Config {
	config := s.tls.Clone()
	config.MinVersion, config.MaxVersion = tls.VersionTLS12, tls.VersionTLS13
	if !s.settings.Security.TLS12 {
		config.MinVersion = tls.VersionTLS13
	}
	if !s.settings.Security.TLS13 {
		config.MaxVersion = tls.VersionTLS12
	}
	return config
}

// Facts describes how connections are authenticated and encrypted; it is empty for plain ones. It has no names and no keys of the agent.
func (s *Security) Facts() map[string]string {
	facts := make(map[string]string)
	if agreed := s.agreed.Load(); agreed != nil {
		facts["hbase.tls"] = *agreed
	}
	if protection := s.protection.Load(); protection != nil {
		maps.Copy(facts, hbasespec.AuthenticationFacts(*protection))
	}
	return facts
}

// ZooKeeper returns what makes connections to ZooKeeper secure, or nil.
func (s *Security) ZooKeeper() func(ctx context.Context, conn net.Conn, host string) (net.Conn, error) {
	if !s.settings.Security.ZooKeeperTLS {
		return nil
	}
	return func(ctx context.Context, conn net.Conn, host string) (net.Conn, error) {
		return handshake(ctx, conn, host, s.tls, true)
	}
}

// Web returns a client of the servers' pages. A timeout of 0 leaves the limit of time to contexts.
func (s *Security) Web(dial *outbound.Dialer, timeout time.Duration) *http.Client {
	var config *tls.Config
	if s.settings.Security.HTTPS {
		config = s.tls.Clone()
	}
	client := outbound.TLSClient(dial, timeout, config)
	if s.settings.Security.SPNEGO {
		client.Transport = s.tickets.Transport(client.Transport)
	}
	return client
}

// Scheme returns the scheme of the servers' pages.
func (s *Security) Scheme() string {
	if s.settings.Security.HTTPS {
		return "https"
	}
	return "http"
}

// handshake begins TLS on a connection to a host. Without verify a certificate of any name is accepted, if an authority has issued it.
func handshake(ctx context.Context, conn net.Conn, host string, config *tls.Config, verify bool) (*tls.Conn, error) {
	config = config.Clone()
	config.DynamicRecordSizingDisabled = true // the first requests are not more urgent than others
	config.ServerName = host
	if !verify {
		credential.AnyName(config)
	}
	sealed := tls.Client(conn, config)
	if err := sealed.HandshakeContext(ctx); err != nil {
		return nil, fmt.Errorf("TLS with %s: %w%s", host, err, cure(err))
	}
	return sealed, nil
}

// cure returns what to do about an error of a handshake, with a separator.
func cure(err error) string {
	remote, _ := errors.AsType[*net.OpError](err)
	_, plain := errors.AsType[tls.RecordHeaderError](err)
	_, name := errors.AsType[x509.HostnameError](err)
	_, authority := errors.AsType[x509.UnknownAuthorityError](err)
	switch {
	case plain:
		return "; the server has no TLS on this port: leave the property of TLS out, or correct the port"
	case name:
		return "; the certificate is for another name: correct it, or the address"
	case authority:
		return "; give the authority that issued the certificate to the agent, with --target-tls-ca"
	case remote != nil && remote.Op == "remote error":
		return "; the server refuses the agent's certificate, or wants one: give the agent one that it accepts, with --target-tls-cert and --target-tls-key"
	}
	return ""
}
