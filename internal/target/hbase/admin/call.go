package admin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/benchd/benchd/internal/target/hbase/rpc"
)

var errClientClosed = errors.New("the connection to HBase was closed")

// dial returns the connection to a service, and makes one if there is none that works.
func (c *Client) dial(ctx context.Context, to endpoint) (*rpc.Conn, error) {
	c.mu.Lock()
	conn, closed := c.conns[to], c.closed
	c.mu.Unlock()
	switch {
	case closed:
		return nil, errClientClosed
	case conn != nil && conn.Err() == nil:
		return conn, nil
	case conn != nil:
		c.hangUp(to, conn) // it has ended since the last call
	}
	ctx, cancel := context.WithTimeout(ctx, c.config.ConnectTimeout)
	defer cancel()
	what, named := c.describe(to)
	// Ordinary system calls will do: there are few. The connection's end is seen at once, so that no change is sent on a
	// connection that has ended.
	conn, err := rpc.Dial(ctx, to.address, rpc.Config{
		User: c.config.User, Service: to.service, Secure: c.config.Secure, KnownIO: true, KeepReading: true, Dial: c.config.Dial.Named(named),
	})
	if err != nil {
		if to.service == metaService {
			return nil, notReached(what, to.address, err)
		}
		return nil, notReached(what, to.address+", as "+c.registry.name()+" and hbase:meta name it", err)
	}
	return c.keep(to, conn)
}

// describe returns what an endpoint is, and what has named its address.
func (c *Client) describe(to endpoint) (what, named string) {
	switch to.service {
	case masterService:
		return "HBase master", c.registry.name() + " or hbase:meta"
	case metaService:
		return "HBase server", c.config.Bootstrap.Property
	}
	return "HBase region server", c.registry.name() + " or hbase:meta"
}

// keep stores a new connection to a service, unless another call has stored one first.
func (c *Client) keep(to endpoint, conn *rpc.Conn) (*rpc.Conn, error) {
	c.mu.Lock()
	other, closed := c.conns[to], c.closed
	if !closed && other == nil {
		c.conns[to] = conn
	}
	c.mu.Unlock()
	switch {
	case closed:
		conn.Close()
		return nil, errClientClosed
	case other != nil:
		conn.Close()
		return other, nil
	}
	return conn, nil
}

// hangUp closes and forgets a connection that is no longer of use.
func (c *Client) hangUp(to endpoint, conn *rpc.Conn) {
	c.mu.Lock()
	if c.conns[to] == conn {
		delete(c.conns, to)
	}
	c.mu.Unlock()
	conn.Close()
}

// send makes a call of one service and waits for its answer, which is a message and the cells behind it. The error of an answer
// that is an exception is a *protocol.Exception.
func (c *Client) send(ctx context.Context, to endpoint, method string, request proto.Message) (response, cells []byte, err error) {
	call := rpc.NewCall()
	call.Method = method
	if call.Request, err = proto.Marshal(request); err != nil {
		return nil, nil, fmt.Errorf("encode %s: %w", method, err)
	}
	conn, err := c.dial(ctx, to)
	if err != nil {
		return nil, nil, err
	}
	conn.Send(call)
	select {
	case <-call.Done():
		response, cells, err = call.Answer()
		if err != nil && conn.Err() != nil {
			c.hangUp(to, conn)
		}
	case <-ctx.Done():
		conn.Abandon(call)
		if err = context.Cause(ctx); errors.Is(err, errSilent) {
			c.hangUp(to, conn) // its server may have gone without closing it
		}
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s of %s: %w", method, to.address, err)
	}
	return response, cells, nil
}

// errSilent is why an attempt ended: the server has not answered.
var errSilent = fmt.Errorf("no answer: %w", context.DeadlineExceeded)

// attempt limits the time of one try of a call that should be answered at once and can be retried elsewhere.
func attempt(ctx context.Context, within time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, within, fmt.Errorf("%w after %v", errSilent, within))
}

// ask makes a call whose answer is only a message.
func (c *Client) ask(ctx context.Context, to endpoint, method string, request, response proto.Message) error {
	message, _, err := c.send(ctx, to, method, request)
	if err != nil {
		return err
	}
	return decode(to, method, message, response)
}

// decode reads the message of an answer.
func decode(to endpoint, method string, message []byte, response proto.Message) error {
	if err := proto.Unmarshal(message, response); err != nil {
		return fmt.Errorf("decode the answer to %s of %s: %w", method, to.address, err)
	}
	return nil
}

// wait pauses before the next try.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}
