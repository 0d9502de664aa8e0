package gohbase

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	tsuna "github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/compression"
	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/region"
	"github.com/tsuna/gohbase/zk"

	"github.com/benchd/benchd/internal/outbound"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
	"github.com/benchd/benchd/internal/workload"
)

// Config configures a Client.
type Config struct {
	Settings hbasespec.Settings
	// Meta finds the server of hbase:meta, HOST:PORT.
	Meta func(ctx context.Context) (string, error)
	// Dial has the operator's rules.
	Dial *outbound.Dialer
	// CodeOf returns the code of an exception that ends an operation.
	CodeOf func(error) workload.Code
}

// Client is a number of clients of gohbase, each with one connection to each region server, as gohbase has it.
type Client struct {
	config  Config
	clients []tsuna.Client
	ctx     context.Context //nolint:containedctx // ends when the client is closed
	quit    context.CancelFunc

	mu     sync.Mutex
	closed bool
	dialed []hrpc.RegionClient
	dial   sync.WaitGroup

	dials, lookups, resent atomic.Int64
	unreached              atomic.Pointer[error] // the last error of an address that was not dialled
}

// New makes a Client. gohbase connects with the first operation.
func New(config Config) (*Client, error) {
	process.install()
	c := &Client{config: config}
	c.ctx, c.quit = context.WithCancel(context.Background())
	for range config.Settings.Connections {
		client := tsuna.NewClient("", options(config.Settings)...)
		if err := hook(client, c.connect, locator{c}); err != nil {
			c.quit()
			return nil, fmt.Errorf("prepare the client of gohbase: %w", err)
		}
		c.clients = append(c.clients, client)
	}
	return c, nil
}

// options returns gohbase's options. A region server that does not answer within RegionReadTimeout loses its connection.
func options(s hbasespec.Settings) []tsuna.Option {
	all := []tsuna.Option{
		tsuna.RpcQueueSize(s.Gohbase.QueueSize), tsuna.FlushInterval(s.Gohbase.FlushInterval), tsuna.EffectiveUser(s.User),
		tsuna.RegionReadTimeout(s.RPCTimeout), tsuna.RegionLookupTimeout(s.RPCTimeout),
	}
	if s.Snappy {
		all = append(all, tsuna.CompressionCodec("snappy"))
	}
	return all
}

// connect makes the connection to a region server.
func (c *Client) connect(addr string, kind region.ClientType, queue int, flush time.Duration, user string, read time.Duration,
	codec compression.Codec,
) hrpc.RegionClient {
	return &connection{client: c, addr: addr, make: func(to string) hrpc.RegionClient {
		return region.NewClient(to, kind, queue, flush, user, read, codec)
	}}
}

// dialling returns the context of a dial, which ends when the client is closed. Done must be called after it.
func (c *Client) dialling(ctx context.Context) (_ context.Context, done func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, nil, context.Canceled
	}
	c.dial.Add(1)
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(c.ctx, cancel)
	return ctx, func() {
		stop()
		cancel()
		c.dial.Done()
	}, nil
}

// keep remembers a connection, which gohbase forgets when it fails while it is opened.
func (c *Client) keep(conn hrpc.RegionClient) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dialed = append(c.dialed, conn)
}

// Counts returns how often the client has sent a call again, connected and looked up a region.
func (c *Client) Counts() (retries, dials, lookups int64) {
	return c.resent.Load(), c.dials.Load(), c.lookups.Load()
}

// Close ends all connections. A goroutine of gohbase that pauses before its next look-up ends after the pause.
func (c *Client) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.quit()
	c.dial.Wait()
	for _, client := range c.clients {
		client.Close()
	}
	for _, conn := range c.dialed {
		conn.Close()
	}
}

// locator finds hbase:meta for gohbase.
type locator struct{ client *Client }

var _ zk.Client = locator{}

// LocateResource implements zk.Client. gohbase tries forever to find hbase:meta, so after Close it gets an address, to which the
// connection then ends the try.
func (l locator) LocateResource(zk.ResourceName) (string, error) {
	if l.client.ctx.Err() != nil {
		return "closed:1", nil
	}
	ctx, cancel := context.WithTimeout(l.client.ctx, l.client.config.Settings.RPCTimeout)
	defer cancel()
	return l.client.config.Meta(ctx)
}
