package hbase

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/benchd/benchd/internal/target/hbase/rpc"
)

// server is a region server: an address with as many connections as the settings say.
type server struct {
	addr  string
	lines []*line
}

// line is the place of one connection, which is made when it is first needed and again after it has failed.
type line struct {
	addr  string
	cfg   rpc.Config
	conn  atomic.Pointer[rpc.Conn]
	gate  chan struct{} // one dials at a time
	dials *atomic.Int64
	batch gathering
}

func newServer(addr string, connections int, cfg rpc.Config, dials *atomic.Int64) *server {
	s := &server{addr: addr, lines: make([]*line, connections)}
	for i := range s.lines {
		s.lines[i] = &line{addr: addr, cfg: cfg, gate: make(chan struct{}, 1), dials: dials}
	}
	return s
}

// open returns the connection, and makes it when there is none.
func (l *line) open(ctx context.Context) (*rpc.Conn, error) {
	select {
	case l.gate <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-l.gate }()
	if c := l.conn.Load(); c != nil {
		return c, nil
	}
	ctx, cancel := context.WithTimeout(ctx, dialWithin)
	defer cancel()
	l.dials.Add(1)
	c, err := rpc.Dial(ctx, l.addr, l.cfg)
	if err != nil {
		return nil, fmt.Errorf("connect to region server %s: %w", l.addr, plain(err))
	}
	l.conn.Store(c)
	return c, nil
}

// drop forgets a connection that has failed. Calls that still wait on it end with err.
func (l *line) drop(c *rpc.Conn, err error) {
	if l.conn.CompareAndSwap(c, nil) {
		c.Fail(err)
	}
}

var (
	errDropped = errors.New("the connection is given up")
	errNotOpen = errors.New("not open on any server")
)

// dialWithin bounds the making of a connection.
const dialWithin = 5 * time.Second

// guard has the connection see its end although nobody uses it.
func (l *line) guard() {
	if c := l.conn.Load(); c != nil {
		c.Guard()
	}
}

// close ends the connection and waits for what it has begun.
func (l *line) close() {
	if c := l.conn.Swap(nil); c != nil {
		c.Close()
	}
}
