package gohbase

import (
	"bytes"
	"context"
	"sync"

	"github.com/tsuna/gohbase/hrpc"
)

// connection is gohbase's connection to a region server, dialled only where the operator allows it.
type connection struct {
	client *Client
	addr   string
	make   func(addr string) hrpc.RegionClient

	once  sync.Once
	inner hrpc.RegionClient // nil before Dial
	err   error             // why there is none
}

// Dial implements hrpc.RegionClient. gohbase gives up a region whose Dial returns context.Canceled: that ends the goroutines which
// would look for it forever.
func (c *connection) Dial(ctx context.Context) error {
	ctx, done, err := c.client.dialling(ctx)
	if err != nil {
		return err
	}
	defer done()
	c.once.Do(func() {
		var addr string
		if addr, c.err = c.client.config.Dial.Resolve(ctx, c.addr); c.err == nil {
			c.client.unreached.Store(nil)
			c.inner = c.make(addr)
			c.client.keep(c.inner)
		}
	})
	if c.err != nil {
		c.client.unreached.Store(&c.err)
		return c.err
	}
	c.client.dials.Add(1)
	return c.inner.Dial(ctx) //nolint:wrapcheck // gohbase compares it
}

// Close implements hrpc.RegionClient.
func (c *connection) Close() {
	c.once.Do(func() { c.err = context.Canceled })
	if c.inner != nil {
		c.inner.Close()
	}
}

// Addr implements hrpc.RegionClient. The cache of connections is by the address that hbase:meta has.
func (c *connection) Addr() string { return c.addr }

// String implements hrpc.RegionClient.
func (c *connection) String() string { return "connection to " + c.addr }

// QueueRPC implements hrpc.RegionClient, and counts look-ups and what is sent again.
func (c *connection) QueueRPC(call hrpc.Call) {
	if op, ok := call.Context().(*operation); ok {
		if op.sent == call {
			c.client.resent.Add(1)
		}
		op.sent = call
	} else if call.Name() == "Scan" && bytes.Equal(call.Table(), meta) {
		c.client.lookups.Add(1)
	}
	c.inner.QueueRPC(call)
}

var meta = []byte("hbase:meta") //nolint:gochecknoglobals // never changed

// operation is the context of an operation. Its calls have it as their context, as long as gohbase keeps them.
type operation struct {
	context.Context //nolint:containedctx // it is one

	sent hrpc.Call // the last call that was sent, by the worker
}
