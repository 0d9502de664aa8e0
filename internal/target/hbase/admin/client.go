package admin

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"sync"

	"github.com/benchd/benchd/internal/target/hbase/rpc"
)

// Client makes calls to one cluster. Connect makes one. Its methods may be called from several goroutines.
type Client struct {
	config Config
	log    *slog.Logger
	web    *http.Client // for the servers' info pages

	registry registry
	gate     chan struct{} // held by the one call that asks the registry again

	mu     sync.Mutex
	conns  map[endpoint]*rpc.Conn
	sites  sites // as the registry last reported them
	closed bool

	version release // as the master last reported it

	located int // times that sites were renewed

	stale sync.Once // logs that a replica of hbase:meta was read
}

// endpoint is a service of a server; each has a connection of its own.
type endpoint struct{ service, address string }

// HBase's services.
const (
	masterService = "MasterService"
	adminService  = "AdminService"
	clientService = "ClientService"
	metaService   = "ClientMetaService"
)

// Connect finds the cluster and calls its master. It fails within the ConnectTimeout when the cluster is not there. It waits
// up to the RecoveryTimeout when only the server of hbase:meta is missing: the master assigns that table to another one.
func Connect(ctx context.Context, config Config) (*Client, error) {
	config = config.withDefaults()
	c, err := newClient(config)
	if err != nil {
		return nil, err
	}
	err = c.greet(ctx)
	if err == nil {
		err = c.reachMeta(ctx)
	}
	if err != nil {
		c.Close()
		return nil, fmt.Errorf("connect to HBase: %w", err)
	}
	return c, nil
}

// newClient makes a client that knows only its registry.
func newClient(config Config) (*Client, error) {
	c := &Client{
		config: config, log: config.Logger, conns: make(map[endpoint]*rpc.Conn), gate: make(chan struct{}, 1),
		web: config.Web(config.Dial.Named("the cluster's status"), pageWithin),
	}
	if len(config.Bootstrap.Servers) > 0 {
		c.registry = newRPCRegistry(config, c.ask)
		return c, nil
	}
	var err error
	c.registry, err = newZooKeeper(config)
	return c, err
}

// greet finds the servers that every client needs and checks that the master is active.
func (c *Client) greet(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, c.config.ConnectTimeout)
	defer cancel()
	if err := c.locate(ctx); err != nil {
		return err
	}
	return c.masterServes(ctx)
}

// reachMeta connects to the server of hbase:meta, which may have died a moment ago.
func (c *Client) reachMeta(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, c.config.RecoveryTimeout)
	defer cancel()
	tries := 0
	return c.Retry(ctx, "connect to the server of hbase:meta", func() error {
		if tries++; tries > 1 {
			if err := c.locate(ctx); err != nil {
				return err
			}
		}
		c.mu.Lock()
		at := c.sites.meta
		c.mu.Unlock()
		_, err := c.dial(ctx, endpoint{clientService, at})
		return err
	})
}

// Master returns the address of the active master.
func (c *Client) Master() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sites.master
}

// Close ends all connections. Calls under way end with an error.
func (c *Client) Close() {
	c.web.CloseIdleConnections()
	c.mu.Lock()
	conns := c.conns
	c.conns, c.closed = nil, true
	c.mu.Unlock()
	for _, conn := range conns {
		conn.Close()
	}
}

func itoa(n int) string { return strconv.Itoa(n) }
