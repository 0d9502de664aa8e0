package hbase

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/benchd/benchd/internal/target/hbase/rpc"
)

// server is a region server: an address with a number of connections (hbase.connections).
type server struct {
	t      *Table
	addr   string
	slots  []*connSlot
	failed atomic.Pointer[failedDial] // the last dial, if it failed
	silent atomic.Bool                // no answer for hbase.rpc.timeout, and no answered probe since
}

// failedDial is cached for a while, so that workers do not wait one after another for a host that is gone.
type failedDial struct {
	at  time.Time
	err error
}

// connSlot holds one connection, which is opened when it is first needed and reopened after it has failed.
type connSlot struct {
	server *server
	conn   atomic.Pointer[rpc.Conn]
	batch  gathering

	mu      sync.Mutex
	dial    *dial   // under way
	silence silence // of timeline-consistent reads
	work    sync.WaitGroup
}

// dial is an attempt to connect, which all workers of a slot share.
type dial struct {
	done chan struct{}
	conn *rpc.Conn
	err  error
}

func newServer(t *Table, addr string) *server {
	s := &server{t: t, addr: addr, slots: make([]*connSlot, t.settings.Connections)}
	for i := range s.slots {
		s.slots[i] = &connSlot{server: s}
	}
	return s
}

// open returns the connection, and dials if there is none.
func (cs *connSlot) open(ctx context.Context) (*rpc.Conn, error) {
	d, err := cs.begin()
	if err != nil {
		return nil, err
	}
	select {
	case <-d.done:
		return d.conn, d.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// begin returns the dial under way, or begins one. It fails if the last dial has just failed, or if the server is silent: a
// stopped process still accepts connections, so workers use no connection before a probe is answered.
func (cs *connSlot) begin() (*dial, error) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	silent := cs.server.silent.Load()
	if cs.dial != nil {
		if silent {
			return nil, cs.server.errSilent()
		}
		return cs.dial, nil
	}
	d := &dial{done: make(chan struct{}), conn: cs.conn.Load()}
	if d.conn != nil {
		close(d.done)
		return d, nil
	}
	if f := cs.server.failed.Load(); f != nil && time.Since(f.at) < failureLasts {
		return nil, f.err
	}
	if err := cs.server.t.ctx.Err(); err != nil {
		return nil, err
	}
	cs.dial = d
	cs.work.Go(func() { cs.connect(d) })
	if silent {
		return nil, cs.server.errSilent()
	}
	return d, nil
}

// connect carries out a dial.
func (cs *connSlot) connect(d *dial) {
	t := cs.server.t
	ctx, cancel := context.WithTimeout(t.ctx, dialWithin)
	defer cancel()
	t.dials.Add(1)
	c, err := rpc.Dial(ctx, cs.server.addr, t.greeting)
	answers := err != nil || !cs.server.silent.Load() || cs.probe(ctx, c)
	cs.mu.Lock()
	defer cs.mu.Unlock()
	switch {
	case err != nil:
		d.err = fmt.Errorf("connect to region server %s: %w", cs.server.addr, plain(err))
		cs.server.failed.Store(&failedDial{time.Now(), d.err})
	case !answers:
		d.err = cs.server.errSilent()
	default:
		d.conn = c
		cs.conn.Store(c)
		cs.server.failed.Store(nil)
		cs.server.silent.Store(false)
	}
	cs.dial = nil
	close(d.done)
}

// probe reports whether a silent server answers on a new connection, and closes the connection if not. It requests a row of a
// region that no server has: an exception is an answer, too.
func (cs *connSlot) probe(ctx context.Context, c *rpc.Conn) bool {
	within := cs.server.t.settings.RPCTimeout
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	call := rpc.NewCall()
	call.Method, call.Timeout = "Get", within
	call.Request = appendGetRequest(nil, regionField([]byte("benchd-probe,,1")), []byte("probe"), nil)
	c.Send(call)
	select {
	case <-call.Done():
		if c.Err() == nil {
			return true
		}
	case <-ctx.Done():
	}
	c.Close()
	return false
}

// errSilent returns the error of operations on a silent server.
func (s *server) errSilent() error { return fmt.Errorf("region server %s: %w", s.addr, errSilent) }

// drop forgets a failed connection. Calls that still wait on it end with err.
func (cs *connSlot) drop(c *rpc.Conn, err error) {
	if cs.conn.CompareAndSwap(c, nil) {
		c.Fail(err)
	}
}

var (
	errDropped = errors.New("the connection was dropped after an error")
	errNotOpen = errors.New("not open on any server")
	errSilent  = errors.New("no answer within hbase.rpc.timeout, although it accepts connections")
)

const (
	// dialWithin is the time limit of a dial.
	dialWithin = 5 * time.Second
	// failureLasts is how long a failed dial is cached.
	failureLasts = 2 * time.Second
)

// guard lets an idle connection notice its end.
func (cs *connSlot) guard() {
	if c := cs.conn.Load(); c != nil {
		c.Guard()
	}
}

// close waits for a dial under way and closes the connection.
func (cs *connSlot) close() {
	cs.work.Wait()
	if c := cs.conn.Swap(nil); c != nil {
		c.Close()
	}
}
