package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	gocql "github.com/apache/cassandra-gocql-driver/v2"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/outbound"
	"github.com/benchd/benchd/internal/secret"
	"github.com/benchd/benchd/internal/target/cassandra/cassandraspec"
)

const (
	// connectWithin bounds Connect.
	connectWithin = 8 * time.Second
	// reconnectEvery is the pause between two attempts to reach a node that is down.
	reconnectEvery = time.Second
	// agreeWithin bounds the wait for all nodes to have a changed schema.
	agreeWithin = 30 * time.Second
)

// Config configures a Cluster.
type Config struct {
	Settings cassandraspec.Settings
	Password secret.Value
	TLS      *tls.Config // nil without TLS
	Dial     *outbound.Dialer
	Logger   *slog.Logger
}

// Cluster is a connection to a cluster. Its methods may be called from several goroutines.
type Cluster struct {
	Session *gocql.Session

	config Config
	ctx    context.Context //nolint:containedctx // ends when the cluster is closed
	quit   context.CancelFunc
	names  map[string]string // of the hosts of the settings, by their addresses
	log    *log

	dials  atomic.Uint64
	agreed atomic.Pointer[string] // of TLS

	mu     sync.Mutex
	reason error // of the last failed connection
}

// NewConfig reads what a cluster needs from the settings of a run or an action.
func NewConfig(settings cassandraspec.Settings, s load.Settings) (Config, error) {
	c := Config{Settings: settings, Dial: s.Dial, Logger: s.Logger}
	var err error
	if c.Password, err = s.Secret(cassandraspec.PasswordKey); err != nil {
		return Config{}, err //nolint:wrapcheck // it names the property
	}
	if settings.TLS {
		if c.TLS, err = s.Credential.TLS(); err != nil {
			return Config{}, err //nolint:wrapcheck // it names the file
		}
	}
	return c, nil
}

// Connect connects to a cluster. It fails within ten seconds.
func Connect(ctx context.Context, config Config) (*Cluster, error) {
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	c := &Cluster{config: config, names: make(map[string]string), log: newLog(config.Logger)}
	c.ctx, c.quit = context.WithCancel(context.Background())
	limited, cancel := context.WithTimeout(ctx, connectWithin)
	defer cancel()
	hosts, err := c.resolve(limited)
	if err != nil {
		c.quit()
		return nil, err
	}
	stop := context.AfterFunc(limited, c.quit) // dials end, and so does the driver's attempt
	c.Session, err = gocql.NewSession(*c.driver(hosts))
	if !stop() && err == nil {
		c.Session.Close()
		err = context.Cause(limited)
	}
	if err != nil {
		c.quit()
		return nil, c.explain(err)
	}
	return c, nil
}

// Close closes all connections.
func (c *Cluster) Close() {
	c.Session.Close()
	c.quit()
}

// resolve returns the addresses of the hosts of the settings that the operator allows.
func (c *Cluster) resolve(ctx context.Context) ([]string, error) {
	var hosts []string
	var failed error
	for _, host := range c.config.Settings.Hosts {
		address, err := c.config.Dial.Named("hosts").Resolve(ctx, host)
		if err == nil {
			address, err = literal(ctx, address)
		}
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		hosts = append(hosts, address)
		c.names[address] = host
	}
	if len(hosts) == 0 {
		return nil, fmt.Errorf("connect to Cassandra: %w; check hosts", failed)
	}
	return hosts, nil
}

// literal resolves the host of an address. Without rules an outbound.Dialer leaves that to others.
func literal(ctx context.Context, address string) (string, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", err //nolint:wrapcheck // it names the address
	}
	if net.ParseIP(host) != nil {
		return address, nil
	}
	ips, err := net.DefaultResolver.LookupIP(ctx, "ip", host)
	if err != nil || len(ips) == 0 {
		return "", fmt.Errorf("resolve %s: %w", host, err)
	}
	return net.JoinHostPort(ips[0].String(), port), nil
}

// driver returns the driver's configuration.
func (c *Cluster) driver(hosts []string) *gocql.ClusterConfig {
	s := c.config.Settings
	d := gocql.NewCluster(hosts...)
	d.ProtoVersion = s.Protocol
	d.Timeout, d.WriteTimeout = s.Timeout, s.Timeout
	d.ConnectTimeout = min(s.ConnectTimeout, connectWithin)
	d.NumConns = s.Connections
	d.PageSize = s.PageSize
	d.NextPagePrefetch = 0
	d.DefaultTimestamp = false // that of the coordinating node counts: clocks of agents may differ
	d.WriteCoalesceWaitTime = s.Coalesce
	d.ReconnectInterval = reconnectEvery
	d.ReconnectionPolicy = &gocql.ConstantReconnectionPolicy{MaxRetries: 1, Interval: reconnectEvery}
	d.MaxWaitSchemaAgreement = agreeWithin
	d.Metadata.CacheMode = gocql.KeyspaceOnly
	d.Logger = c.log
	d.HostDialer, d.ConnectObserver = c, c
	if s.Username != "" {
		d.Authenticator = gocql.PasswordAuthenticator{Username: s.Username, Password: c.config.Password.Reveal()}
	}
	fallback := gocql.RoundRobinHostPolicy()
	if s.Datacenter != "" {
		fallback = gocql.DCAwareRoundRobinPolicy(s.Datacenter)
		d.HostFilter = gocql.HostFilterFunc(func(h *gocql.HostInfo) bool {
			return h.DataCenter() == "" || h.DataCenter() == s.Datacenter
		})
	}
	d.PoolConfig.HostSelectionPolicy = gocql.TokenAwareHostPolicy(fallback, gocql.ShuffleReplicas())
	return d
}

// DialHost implements gocql.HostDialer.
func (c *Cluster) DialHost(ctx context.Context, host *gocql.HostInfo) (*gocql.DialedHost, error) {
	conn, err := c.dial(ctx, host.ConnectAddressAndPort())
	if err != nil {
		c.keep(err)
		return nil, err
	}
	return &gocql.DialedHost{Conn: conn, DisableCoalesce: c.config.TLS != nil}, nil
}

func (c *Cluster) dial(ctx context.Context, address string) (net.Conn, error) {
	c.dials.Add(1)
	ctx, cancel := context.WithTimeout(ctx, min(c.config.Settings.ConnectTimeout, connectWithin))
	defer cancel()
	stop := context.AfterFunc(c.ctx, cancel)
	defer stop()
	name := c.names[address]
	dialer := c.config.Dial.Named("system.peers, the nodes of the cluster")
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if _, refused := errors.AsType[*outbound.RefusedError](err); refused && name != "" {
		conn, err = c.config.Dial.Named("hosts").DialContext(ctx, "tcp", name) // a rule may allow the host by its name
	}
	if err != nil {
		return nil, fmt.Errorf("connect to Cassandra at %s: %w", address, err)
	}
	if c.config.TLS == nil {
		return closing(c.ctx, conn), nil
	}
	if name == "" {
		name = address
	}
	sealed, err := c.encrypt(ctx, conn, name)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("TLS with Cassandra at %s: %w", address, err), conn.Close())
	}
	return closing(c.ctx, sealed), nil
}

// ObserveConnect implements gocql.ConnectObserver.
func (c *Cluster) ObserveConnect(o gocql.ObservedConnect) {
	if o.Err != nil {
		c.keep(o.Err)
	}
}

// keep remembers why a connection failed.
func (c *Cluster) keep(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reason = err
}

// Reason returns why the last failed connection failed, or nil.
func (c *Cluster) Reason() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reason
}

// Dials returns the number of connections that were tried.
func (c *Cluster) Dials() uint64 { return c.dials.Load() }

// Agreed returns the version of TLS and the cipher, or "" without TLS.
func (c *Cluster) Agreed() string {
	if agreed := c.agreed.Load(); agreed != nil {
		return *agreed
	}
	return ""
}

// closing closes a connection when its cluster is closed: the driver waits for the answers to its first requests without a context.
func closing(ctx context.Context, c net.Conn) net.Conn {
	context.AfterFunc(ctx, func() { _ = c.Close() })
	return c
}

// hostOf returns the host of an address.
func hostOf(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return strings.Trim(address, "[]")
	}
	return host
}
