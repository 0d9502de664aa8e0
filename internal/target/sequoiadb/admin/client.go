package admin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/benchd/benchd/internal/target/sequoiadb/wire"
)

// commandWithin bounds a command whose context has no earlier deadline.
const commandWithin = 10 * time.Minute

// Limits of the answer to a command: documents come from a server.
const (
	mostDocuments = 100_000
	mostBytes     = 64 << 20
)

// Client sends commands over a connection. It is used by one goroutine.
type Client struct{ conn *wire.Conn }

// NewClient returns a client that owns a connection.
func NewClient(conn *wire.Conn) *Client { return &Client{conn} }

// Open connects to a coordinator.
func (a *Access) Open(ctx context.Context) (*Client, error) {
	conn, err := a.Connect(ctx, 0)
	if err != nil {
		return nil, err
	}
	return NewClient(conn), nil
}

// Close closes the connection.
func (c *Client) Close() error { return c.conn.Close() } //nolint:wrapcheck // it names the address

// Addr returns the coordinator's HOST:PORT.
func (c *Client) Addr() string { return c.conn.Addr() }

// Info returns what the coordinator reported about itself.
func (c *Client) Info() wire.Info { return c.conn.Info }

// Err returns why the connection is broken, or nil.
func (c *Client) Err() error { return c.conn.Err() }

// document appends a document to a message.
type document func(*wire.Message)

func empty(m *wire.Message) { m.Empty() }

// named returns the document {field: value}.
func named(field, value string) document {
	return func(m *wire.Message) {
		m.Begin()
		m.Text(field, value)
		m.End()
	}
}

// run sends a command with its matcher and hint, and returns copies of all documents of the answer.
func (c *Client) run(ctx context.Context, command string, matcher, hint document) ([]wire.Document, error) {
	stop := context.AfterFunc(ctx, c.conn.Interrupt)
	defer stop()
	limit := commandWithin
	if deadline, has := ctx.Deadline(); has {
		limit = min(limit, time.Until(deadline))
	}
	c.conn.Within(time.Now(), limit)
	m := &c.conn.Message
	m.Query(command, wire.QueryReturnData, 0, -1)
	matcher(m)
	empty(m)
	empty(m)
	hint(m)
	all, err := c.collect()
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = errors.Join(cause, err)
		}
		return nil, fmt.Errorf("%s: %w", command[1:], err)
	}
	return all, nil
}

// collect sends the message and reads all pages of the answer.
func (c *Client) collect() ([]wire.Document, error) {
	var all []wire.Document
	bytes := 0
	for {
		r, err := c.conn.Call()
		if err != nil {
			return nil, err //nolint:wrapcheck // run names the command
		}
		for {
			d, ok, err := r.Next()
			if err != nil {
				return nil, err //nolint:wrapcheck // run names the command
			}
			if !ok {
				break
			}
			if bytes += len(d); len(all) == mostDocuments || bytes > mostBytes {
				return nil, fmt.Errorf("the answer exceeds %d documents or %d MiB", mostDocuments, mostBytes>>20)
			}
			all = append(all, slices.Clone(d))
		}
		if r.Context == wire.NoContext {
			return all, nil
		}
		c.conn.Message.GetMore(r.Context, -1)
	}
}

// Code returns the code of an error that the server reported, or 0.
func Code(err error) int32 {
	if e, is := errors.AsType[*wire.Error](err); is {
		return e.Code
	}
	return 0
}
