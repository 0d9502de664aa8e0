package wire

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"time"

	"github.com/benchd/benchd/internal/outbound"
	"github.com/benchd/benchd/internal/secret"
)

// readBuffer is the memory for replies with which a connection begins.
const readBuffer = 16 << 10

// Config configures a connection.
type Config struct {
	Dial     *outbound.Dialer // the default reaches private networks and loopback
	User     string           // empty for none
	Password secret.Value
	Keys     *Keys       // what other connections of the same user have derived; nil for none
	TLS      *tls.Config // nil for none; the server's name is filled in
}

// Conn is a connection to a node. It is used by one goroutine at a time, except for Interrupt.
type Conn struct {
	// Message is the request under construction, which Call sends.
	Message Message
	// Info is what the server reported about itself.
	Info Info

	addr    string
	conn    net.Conn
	in      []byte
	reply   Reply
	request uint64
	until   time.Time // the network's deadline
	err     error     // why the connection cannot be used any more

	interrupted atomic.Bool
}

// Dial connects to HOST:PORT and authenticates.
func Dial(ctx context.Context, addr string, cfg Config) (*Conn, error) {
	nc, err := cfg.Dial.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the address
	}
	if cfg.TLS != nil {
		nc = tls.Client(nc, withName(cfg.TLS, addr))
	}
	c := &Conn{addr: addr, conn: nc, in: make([]byte, readBuffer)}
	if deadline, has := ctx.Deadline(); has {
		err = nc.SetDeadline(deadline)
	}
	stop := context.AfterFunc(ctx, c.Interrupt)
	if err == nil {
		err = c.greet(ctx, &cfg)
	}
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = nc.SetDeadline(time.Time{})
	}
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// withName returns a configuration that checks the certificate for the host of an address.
func withName(cfg *tls.Config, addr string) *tls.Config {
	named := cfg.Clone()
	if host, _, err := net.SplitHostPort(addr); err == nil && named.ServerName == "" {
		named.ServerName = host
	}
	return named
}

// greet makes the connection secure, exchanges system information, and authenticates.
func (c *Conn) greet(ctx context.Context, cfg *Config) error {
	if secure, is := c.conn.(*tls.Conn); is {
		if err := secure.HandshakeContext(ctx); err != nil {
			return fmt.Errorf("negotiate TLS with %s: %w", c.addr, err)
		}
	}
	if err := c.exchange(); err != nil {
		return err
	}
	if err := c.authenticate(cfg); err != nil {
		return fmt.Errorf("authenticate at %s: %w", c.addr, err)
	}
	return nil
}

// Addr returns the server's HOST:PORT.
func (c *Conn) Addr() string { return c.addr }

// Within bounds the calls that begin now. It lets them take up to a sixteenth longer, and sets the network's deadline only when
// the last one is too early: that costs more than reading the clock.
func (c *Conn) Within(now time.Time, limit time.Duration) {
	if c.until.Sub(now) >= limit {
		return
	}
	c.until = now.Add(limit + limit/16)
	if err := c.conn.SetDeadline(c.until); err != nil && c.err == nil {
		c.err = fmt.Errorf("set deadline of %s: %w", c.addr, err)
	}
	if c.interrupted.Load() {
		c.Interrupt()
	}
}

// Interrupt ends the call under way and all later ones. Any goroutine may call it.
func (c *Conn) Interrupt() {
	c.interrupted.Store(true)
	_ = c.conn.SetDeadline(time.Unix(1, 0)) // the connection is closed if it fails
}

// Call sends the message and returns the reply, which is valid until the next call. The error of a request that the server has
// refused is an *Error; with it the reply is valid, too. After other errors, except for ErrTooLong, the connection is broken.
func (c *Conn) Call() (*Reply, error) {
	if c.err != nil {
		return nil, c.err
	}
	c.request++
	if err := c.Message.finish(c.request); err != nil {
		return nil, err
	}
	if _, err := c.conn.Write(c.Message.b); err != nil {
		return nil, c.broken("write to", err)
	}
	b, err := c.receive()
	if err == nil {
		err = c.reply.parse(b, c.Message.op())
	}
	if err != nil {
		return nil, c.broken("read from", err)
	}
	if c.reply.Flag != 0 {
		if c.reply.Flag == CodeEnd {
			c.reply.Context, c.reply.left = NoContext, 0 // its document is that of the error
			return &c.reply, nil
		}
		return &c.reply, c.reply.failure()
	}
	return &c.reply, nil
}

// broken makes an error the reason why the connection cannot be used any more.
func (c *Conn) broken(what string, err error) error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded) && c.interrupted.Load():
		c.err = fmt.Errorf("%s %s: %w", what, c.addr, context.Canceled)
	case errors.Is(err, os.ErrDeadlineExceeded):
		c.err = fmt.Errorf("no answer from %s in time: %w", c.addr, context.DeadlineExceeded)
	default:
		c.err = fmt.Errorf("%s %s: %w", what, c.addr, err)
	}
	return c.err
}

// Err returns why the connection is broken, or nil.
func (c *Conn) Err() error { return c.err }

// receive reads one reply. Its memory grows as its bytes arrive: the length is the server's claim.
func (c *Conn) receive() ([]byte, error) {
	if len(c.in) > keptMemory {
		c.in = make([]byte, readBuffer)
	}
	n := 0
	for n < 4 {
		k, err := c.conn.Read(c.in[n:])
		if n += k; err != nil && n < 4 {
			return nil, err //nolint:wrapcheck // broken names the address
		}
	}
	length := int(binary.LittleEndian.Uint32(c.in))
	if length < headerSize+replySize || length > MostReply {
		return nil, malformed("a reply of %d bytes", length)
	}
	for n < length {
		if n == len(c.in) {
			grown := make([]byte, min(length, 2*len(c.in)))
			copy(grown, c.in)
			c.in = grown
		}
		k, err := c.conn.Read(c.in[n:])
		if n += k; err != nil && n < length {
			return nil, err //nolint:wrapcheck // broken names the address
		}
	}
	if n > length {
		return nil, malformed("%d bytes after a reply", n-length)
	}
	return c.in[:length], nil
}

// Close sends the server the end of the connection, and closes it.
func (c *Conn) Close() error {
	if c.err == nil {
		c.Message.begin(opDisconnect)
		c.request++
		_ = c.Message.finish(c.request)
		_ = c.conn.SetWriteDeadline(time.Now().Add(time.Second)) // the server also notices the end of the connection
		_, _ = c.conn.Write(c.Message.b)
	}
	return c.close()
}

func (c *Conn) close() error {
	if c.err == nil {
		c.err = net.ErrClosed
	}
	if err := c.conn.Close(); err != nil {
		return fmt.Errorf("close connection to %s: %w", c.addr, err)
	}
	return nil
}
