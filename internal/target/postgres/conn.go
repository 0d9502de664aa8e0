package postgres

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// conn is a connection that speaks the extended query protocol: one statement at a time, whose messages are sent together.
type conn struct {
	net   net.Conn
	front *pgproto3.Frontend // reads; the answers that it returns are valid until the next one
	out   []byte             // the messages of the next request

	prepared int // statements so far

	affected int64 // rows, by the last command
	failure  error // the first error of the last request
}

// errBroken is the kind of errors after which a connection cannot be used.
var errBroken = errors.New("the connection to the server is lost")

// largest is the size of a buffer that a connection keeps between operations.
const largest = 1 << 20

// take takes over a connection of pgx, which must be idle.
func take(ctx context.Context, from *pgconn.PgConn) (*conn, error) {
	if err := from.SyncConn(ctx); err != nil {
		return nil, fmt.Errorf("prepare connection: %w", err)
	}
	hijacked, err := from.Hijack()
	if err != nil {
		return nil, fmt.Errorf("prepare connection: %w", err)
	}
	return &conn{
		net: hijacked.Conn, front: pgproto3.NewFrontend(hijacked.Conn, hijacked.Conn), out: make([]byte, 0, 4096),
	}, nil
}

// close says goodbye, and closes the connection.
func (c *conn) close() {
	_ = c.net.SetDeadline(time.Now().Add(time.Second))
	if out, err := (&pgproto3.Terminate{}).Encode(nil); err == nil {
		_, _ = c.net.Write(out) // the server notices the end of the connection, too
	}
	_ = c.net.Close()
}

// prepare has the server parse a statement.
func (c *conn) prepare(name, sql string) (*pgproto3.RowDescription, error) {
	c.begin()
	if err := c.add(&pgproto3.Parse{Name: name, Query: sql}); err != nil {
		return nil, err
	}
	if err := c.add(&pgproto3.Describe{ObjectType: 'S', Name: name}); err != nil {
		return nil, err
	}
	if err := c.send(); err != nil {
		return nil, err
	}
	var described *pgproto3.RowDescription
	for {
		msg, err := c.receive()
		if err != nil {
			return nil, err
		}
		switch msg := msg.(type) {
		case *pgproto3.RowDescription:
			described = &pgproto3.RowDescription{Fields: make([]pgproto3.FieldDescription, len(msg.Fields))}
			for i, f := range msg.Fields {
				f.Name = append([]byte(nil), f.Name...)
				described.Fields[i] = f
			}
		case *pgproto3.ReadyForQuery:
			return described, c.failure
		}
	}
}

// begin begins a request.
func (c *conn) begin() {
	if cap(c.out) > largest {
		c.out = make([]byte, 0, 4096)
	}
	c.out, c.affected, c.failure = c.out[:0], 0, nil
}

// add appends a message to the request.
func (c *conn) add(msg interface {
	Encode(dst []byte) ([]byte, error)
},
) error {
	out, err := msg.Encode(c.out)
	if err != nil {
		return fmt.Errorf("encode request: %w", err)
	}
	c.out = out
	return nil
}

// execute sends a prepared statement with its parameters.
func (c *conn) execute(s *statement, params [][]byte) error {
	c.begin()
	out := c.out
	out = append(out, 'B', 0, 0, 0, 0, 0) // Bind, its length, the unnamed portal
	out = append(out, s.name...)
	out = append(out, 0)
	out = appendUint16(out, len(s.formats))
	for _, f := range s.formats {
		out = appendUint16(out, int(f))
	}
	out = appendUint16(out, len(params))
	for _, p := range params {
		out = appendUint32(out, len(p))
		out = append(out, p...)
	}
	out = append(out, 0, 0) // results as texts
	length := len(out) - 1
	if length > math.MaxInt32 {
		return fmt.Errorf("the request has %d bytes, more than PostgreSQL accepts: write fewer or smaller rows at once", length)
	}
	putUint32(out[1:], length)
	out = append(out, 'E', 0, 0, 0, 9, 0, 0, 0, 0, 0) // Execute, the unnamed portal, all rows
	c.out = out
	return c.send()
}

// send sends the request with a Sync.
func (c *conn) send() error {
	c.out = append(c.out, 'S', 0, 0, 0, 4)
	if _, err := c.net.Write(c.out); err != nil {
		return fmt.Errorf("%w: %w", errBroken, err)
	}
	return nil
}

// row returns the next row of the answer, or nil at its end. The values are valid until the next call.
func (c *conn) row() ([][]byte, error) {
	for {
		msg, err := c.receive()
		if err != nil {
			return nil, err
		}
		switch msg := msg.(type) {
		case *pgproto3.DataRow:
			if c.failure == nil {
				return msg.Values, nil
			}
		case *pgproto3.CommandComplete:
			c.affected = affected(msg.CommandTag)
		case *pgproto3.ReadyForQuery:
			return nil, c.failure
		}
	}
}

// end reads the answer to a request that returns no rows, and returns the number of rows that it has changed.
func (c *conn) end() (int64, error) {
	for {
		values, err := c.row()
		if err != nil || values == nil {
			return c.affected, err
		}
	}
}

// receive returns the next message. It keeps the first error that the server reports.
func (c *conn) receive() (pgproto3.BackendMessage, error) {
	msg, err := c.front.Receive()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errBroken, err)
	}
	if e, ok := msg.(*pgproto3.ErrorResponse); ok && c.failure == nil {
		c.failure = pgconn.ErrorResponseToPgError(e)
		if e.Severity == "FATAL" || e.SeverityUnlocalized == "FATAL" || e.SeverityUnlocalized == "PANIC" { // the server closes the connection
			return nil, fmt.Errorf("%w: %w", errBroken, c.failure)
		}
	}
	return msg, nil
}

// affected returns the number at the end of a command's tag, such as "UPDATE 1".
func affected(tag []byte) int64 {
	var n int64
	for _, b := range tag {
		if '0' <= b && b <= '9' {
			n = n*10 + int64(b-'0')
		} else {
			n = 0
		}
	}
	return n
}

func appendUint16(dst []byte, n int) []byte { return append(dst, byte(n>>8), byte(n)) }

func appendUint32(dst []byte, n int) []byte {
	return append(dst, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
}

func putUint32(dst []byte, n int) {
	dst[0], dst[1], dst[2], dst[3] = byte(n>>24), byte(n>>16), byte(n>>8), byte(n)
}
