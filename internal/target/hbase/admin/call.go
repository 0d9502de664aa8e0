package admin

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/region"
	"google.golang.org/protobuf/proto"
)

// call is one request of any service, as the library sends it.
type call struct {
	ctx      context.Context //nolint:containedctx // the library's interface wants it
	method   string
	request  proto.Message
	response proto.Message
	region   hrpc.RegionInfo
	result   chan hrpc.RPCResult
}

func (*call) Table() []byte                      { return nil }
func (c *call) Name() string                     { return c.method }
func (*call) Key() []byte                        { return nil }
func (c *call) Region() hrpc.RegionInfo          { return c.region }
func (c *call) SetRegion(region hrpc.RegionInfo) { c.region = region }
func (c *call) ToProto() proto.Message           { return c.request }
func (c *call) NewResponse() proto.Message       { return c.response }
func (c *call) ResultChan() chan hrpc.RPCResult  { return c.result }
func (c *call) Description() string              { return c.method }
func (c *call) Context() context.Context         { return c.ctx }

// silence is after how long without any answer the library closes a connection. Contexts end calls long before.
const silence = 30 * time.Minute

// dial gives the connection to a service, and makes it if need be.
func (c *Client) dial(ctx context.Context, to endpoint) (hrpc.RegionClient, error) {
	c.mu.Lock()
	conn, closed := c.conns[to], c.closed
	c.mu.Unlock()
	switch {
	case closed:
		return nil, errors.New("the connection to HBase was closed")
	case conn != nil:
		return conn, nil
	}
	ctx, cancel := context.WithTimeout(ctx, c.config.ConnectTimeout)
	defer cancel()
	what := "HBase region server"
	if to.service == masterService {
		what = "HBase master"
	}
	// The library hides why it cannot connect, so this is found out beforehand.
	var d net.Dialer
	trial, err := d.DialContext(ctx, "tcp", to.address)
	if err != nil {
		return nil, notReached(what, to.address+", as ZooKeeper and hbase:meta name it", err)
	}
	_ = trial.Close()
	conn = region.NewClient(to.address, region.ClientType(to.service), 1, 0, c.config.User, silence, nil)
	if err := conn.Dial(ctx); err != nil {
		return nil, notReached(what, to.address, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		conn.Close()
		return nil, errors.New("the connection to HBase was closed")
	}
	if other := c.conns[to]; other != nil { // somebody was quicker
		conn.Close()
		return other, nil
	}
	c.conns[to] = conn
	return conn, nil
}

// hangUp forgets a connection that is of no use any more.
func (c *Client) hangUp(to endpoint, conn hrpc.RegionClient) {
	conn.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conns[to] == conn {
		delete(c.conns, to)
	}
}

// send makes a call of one service and waits for its end. An answer that is an exception is a *protocol.Exception.
func (c *Client) send(ctx context.Context, to endpoint, rpc hrpc.Call) (proto.Message, error) {
	conn, err := c.dial(ctx, to)
	if err != nil {
		return nil, err
	}
	conn.QueueRPC(rpc)
	select {
	case res := <-rpc.ResultChan():
		switch {
		case res.Error == nil:
			return res.Msg, nil
		case broken(res.Error):
			c.hangUp(to, conn)
			return nil, fmt.Errorf("%s of %s: %w", rpc.Name(), to.address, res.Error)
		default:
			return nil, fmt.Errorf("%s of %s: %w", rpc.Name(), to.address, exception(res.Error))
		}
	case <-ctx.Done():
		cause := context.Cause(ctx)
		if errors.Is(cause, errSilent) {
			c.hangUp(to, conn) // its server may be gone without a word
		}
		return nil, fmt.Errorf("%s of %s: %w", rpc.Name(), to.address, cause)
	}
}

// errSilent is the cause of the end of an attempt: the server has not answered.
var errSilent = fmt.Errorf("no answer: %w", context.DeadlineExceeded)

// attempt bounds one try of a call that ought to be answered at once, and is made again elsewhere.
func attempt(ctx context.Context, within time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, within, fmt.Errorf("%w after %v", errSilent, within))
}

// ask makes a call whose request and response are messages.
func (c *Client) ask(ctx context.Context, to endpoint, method string, request, response proto.Message) error {
	_, err := c.send(ctx, to, &call{
		ctx: ctx, method: method, request: request, response: response, result: make(chan hrpc.RPCResult, 1),
	})
	return err
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
