package hdfs

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/benchd/benchd/internal/outbound"
)

// conns are the connections of a client. It leaves some of them open after errors.
type conns struct {
	dialer  *outbound.Dialer
	timeout time.Duration

	mu     sync.Mutex
	open   map[*conn]struct{}
	closed bool
}

func newConns(d *outbound.Dialer, timeout time.Duration) *conns {
	return &conns{dialer: d, timeout: timeout, open: make(map[*conn]struct{})}
}

// dial returns a function that connects to addresses that by has named, and reads messages with this length before them.
func (c *conns) dial(by string, length prefix) func(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := c.dialer.Named(by)
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, c.timeout)
		defer cancel()
		raw, err := dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, err //nolint:wrapcheck // it names the address
		}
		one := &conn{Conn: raw, of: c, frames: frames{length: length}}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.closed {
			return nil, errors.Join(net.ErrClosed, raw.Close())
		}
		c.open[one] = struct{}{}
		return one, nil
	}
}

// close closes all connections; no further one can be made.
func (c *conns) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	var errs []error
	for one := range c.open {
		errs = append(errs, one.Conn.Close())
	}
	clear(c.open)
	return errors.Join(errs...)
}

// conn is a connection with a limit of time for each read and write.
type conn struct {
	net.Conn

	of     *conns
	frames frames
}

// Read reads within the limit of time.
func (c *conn) Read(b []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(c.of.timeout)); err != nil {
		return 0, err //nolint:wrapcheck // as the connection has it
	}
	n, err := c.Conn.Read(b)
	if long := c.frames.add(b[:n]); long != nil {
		return 0, errors.Join(long, c.Close())
	}
	return n, c.late(err)
}

// Write writes within the limit of time.
func (c *conn) Write(b []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(c.of.timeout)); err != nil {
		return 0, err //nolint:wrapcheck // as the connection has it
	}
	n, err := c.Conn.Write(b)
	return n, c.late(err)
}

// late closes a connection whose time is over: what it reads later would be the answer to an earlier request.
func (c *conn) late(err error) error {
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return errors.Join(err, c.Close())
	}
	return err
}

// SetDeadline does nothing: each read and write has its own.
func (*conn) SetDeadline(time.Time) error { return nil }

// Close closes the connection, unless that has been done.
func (c *conn) Close() error {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	if _, open := c.of.open[c]; !open {
		return nil
	}
	delete(c.of.open, c)
	return c.Conn.Close() //nolint:wrapcheck // as the connection has it
}
