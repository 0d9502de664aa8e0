package route

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/peer"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/wire"
)

// findWithin bounds the search for the leader before a stream.
const findWithin = 15 * time.Second

// Dial returns a connection to an address, which opens it when it is first used. Its error is that of an address that may not be used.
type Dial func(address string) (*grpc.ClientConn, error)

// Conn makes calls to the one of several coordinators that leads.
type Conn struct {
	addresses []string
	dial      Dial

	mu      sync.Mutex
	current string // where the next call begins
	leads   bool   // current has answered as the leader since the last failure
	conns   map[string]*grpc.ClientConn
}

// NewConn returns a connection to the coordinators at some addresses.
func NewConn(addresses []string, dial Dial) *Conn {
	return &Conn{addresses: addresses, dial: dial, current: addresses[0], conns: make(map[string]*grpc.ClientConn)}
}

// Address returns the address of the leader, as far as it is known.
func (c *Conn) Address() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.current
}

// Close closes all connections.
func (c *Conn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var err error
	for _, conn := range c.conns {
		err = errors.Join(err, conn.Close())
	}
	return err
}

// Open returns the connection to an address, which may not be open yet.
func (c *Conn) Open(address string) (*grpc.ClientConn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if conn := c.conns[address]; conn != nil {
		return conn, nil
	}
	conn, err := c.dial(address)
	if err == nil {
		c.conns[address] = conn
	}
	return conn, err
}

// begin returns the route of a call.
func (c *Conn) begin() *Route {
	c.mu.Lock()
	defer c.mu.Unlock()
	return New(c.addresses).From(c.current)
}

// arrived notes that an address has answered as the leader.
func (c *Conn) arrived(address string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.current, c.leads = address, true
}

// failed notes that an address does not lead or does not answer. The next call begins behind it.
func (c *Conn) failed(address string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current == address {
		r := New(c.addresses).From(address)
		r.Next(err)
		c.current, c.leads = r.Address(), false
	}
}

// Invoke makes a call. It goes to the next address if a standby refuses it, or if it could not be sent.
func (c *Conn) Invoke(ctx context.Context, method string, args, reply any, opts ...grpc.CallOption) error {
	r := c.begin()
	var failures failures
	for {
		address := r.Address()
		elsewhere, err := c.invoke(ctx, address, method, args, reply, opts)
		kind := wire.FromStatus(err)
		switch {
		case !elsewhere && !errors.Is(kind, wire.ErrUnreachable) && !errors.Is(kind, context.DeadlineExceeded):
			c.arrived(address)
			return err
		case !elsewhere || ctx.Err() != nil:
			c.failed(address, kind)
			return err
		}
		failures = append(failures, failure{address, kind})
		if r.Next(kind) {
			c.failed(address, kind)
			return failures.join(err)
		}
	}
}

// invoke makes a call at an address. It reports whether the call can be made elsewhere: no leader has received it.
func (c *Conn) invoke(ctx context.Context, address, method string, args, reply any, opts []grpc.CallOption) (elsewhere bool, err error) {
	conn, err := c.Open(address)
	if err != nil {
		return true, err
	}
	var at peer.Peer // set when the call has got a connection
	err = conn.Invoke(ctx, method, args, reply, append(slices.Clip(opts), grpc.Peer(&at))...)
	kind := wire.FromStatus(err)
	return errors.Is(kind, wire.ErrStandby) || errors.Is(kind, wire.ErrUnreachable) && at.Addr == nil, err
}

// NewStream opens a stream to the leader. A stream that fails after its first message is not opened again: its user knows what it has got.
func (c *Conn) NewStream(ctx context.Context, desc *grpc.StreamDesc, method string, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	if desc.ClientStreams {
		// It cannot be repeated, unlike one request: a call comes first that each coordinator answers. A refusal is an answer, too.
		if err := c.find(ctx); err != nil {
			return nil, err
		}
	}
	s := &stream{ctx: ctx, conn: c, route: c.begin(), open: func(conn *grpc.ClientConn) (grpc.ClientStream, error) {
		return conn.NewStream(ctx, desc, method, opts...)
	}}
	if err := s.start(); err != nil {
		return nil, err
	}
	return s, nil
}

// find looks for the leader, unless it is known.
func (c *Conn) find(ctx context.Context) error {
	c.mu.Lock()
	leads := c.leads
	c.mu.Unlock()
	if leads {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, findWithin)
	defer cancel()
	err := c.Invoke(ctx, benchdv1.RunService_About_FullMethodName, &benchdv1.AboutRequest{}, &benchdv1.AboutResponse{})
	if kind := wire.FromStatus(err); errors.Is(kind, wire.ErrUnreachable) || ctx.Err() != nil {
		return err
	}
	return nil
}

// stream is a stream that goes to the next address if a standby refuses it.
type stream struct {
	grpc.ClientStream

	ctx      context.Context //nolint:containedctx // of the stream
	conn     *Conn
	open     func(*grpc.ClientConn) (grpc.ClientStream, error)
	route    *Route
	failures failures
	sent     []any // requests, until the first answer; at most one
	closed   bool
	answered bool
}

// start opens the stream at the first address of the route that can be reached.
func (s *stream) start() error {
	for {
		address := s.route.Address()
		conn, err := s.conn.Open(address)
		if err == nil {
			s.ClientStream, err = s.open(conn)
		}
		if err == nil {
			return nil
		}
		if s.ctx.Err() != nil {
			return err
		}
		if over := s.next(wire.FromStatus(err)); over {
			return s.failures.join(err)
		}
	}
}

// next moves on from an address that has failed.
func (s *stream) next(kind error) (over bool) {
	address := s.route.Address()
	s.failures = append(s.failures, failure{address, kind})
	over = s.route.Next(kind)
	if over {
		s.conn.failed(address, kind)
	}
	return over
}

// SendMsg keeps the request for the next address.
func (s *stream) SendMsg(m any) error {
	if !s.answered && len(s.sent) == 0 {
		s.sent = append(s.sent, m)
	}
	return s.ClientStream.SendMsg(m) //nolint:wrapcheck // the status is for the caller
}

// CloseSend ends the requests.
func (s *stream) CloseSend() error {
	s.closed = true
	return s.ClientStream.CloseSend() //nolint:wrapcheck // see above
}

// RecvMsg returns the first answer of the leader, and all that follow.
func (s *stream) RecvMsg(m any) error {
	for {
		err := s.ClientStream.RecvMsg(m)
		kind := wire.FromStatus(err)
		switch {
		case err == nil || !errors.Is(kind, wire.ErrUnreachable):
			if !s.answered {
				s.answered, s.sent = true, nil
				s.conn.arrived(s.route.Address())
			}
			return err //nolint:wrapcheck // see above
		case s.answered || !s.closed || !errors.Is(kind, wire.ErrStandby):
			s.conn.failed(s.route.Address(), kind)
			return err //nolint:wrapcheck // see above
		}
		if s.next(kind) {
			return s.failures.join(err)
		}
		if err := s.repeat(); err != nil {
			return err
		}
	}
}

// repeat opens the stream at the next address, with the same request.
func (s *stream) repeat() error {
	if err := s.start(); err != nil {
		return err
	}
	for _, m := range s.sent {
		if err := s.ClientStream.SendMsg(m); err != nil && !errors.Is(err, io.EOF) { // then receiving has the reason
			return err //nolint:wrapcheck // see above
		}
	}
	return s.ClientStream.CloseSend() //nolint:wrapcheck // see above
}

// failures are the errors of the addresses that a call has tried.
type failures []failure

type failure struct {
	address string
	err     error
}

// join returns one error that names all addresses, of kind ErrStandby if one of them is a standby; last is that of the last one.
func (f failures) join(last error) error {
	if len(f) == 1 {
		return last
	}
	texts, kind := make([]string, len(f)), wire.ErrUnreachable
	for i, one := range f {
		if errors.Is(one.err, wire.ErrStandby) {
			kind = wire.ErrStandby
		}
		texts[i] = one.address + ": " + wire.Reason(one.err)
	}
	return wire.Errorf(kind, "%s", strings.Join(texts, "; "))
}
