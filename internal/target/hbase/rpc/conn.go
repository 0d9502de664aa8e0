package rpc

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"runtime"
	"sync"

	"github.com/tsuna/gohbase/compression"
	"google.golang.org/protobuf/proto"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/outbound"
	"github.com/benchd/benchd/internal/target/hbase/memory"
)

// ErrTooLong is the error of a request that exceeds the limit of servers.
var ErrTooLong = fmt.Errorf("the request exceeds %d bytes", most)

// ErrClosed is the error of calls on a connection that was closed on purpose.
var ErrClosed = errors.New("the connection is closed")

const (
	readBuffer = 64 << 10
	// apart is the length of cells that are written from the call's own buffer: a copy would cost more than a write of their own.
	apart = 256 << 10
)

// Config configures a connection.
type Config struct {
	User    string // that the server sees; empty if the server learns it by Secure
	Service string // such as "ClientService"
	Codec   compression.Codec
	Dial    *outbound.Dialer // the default reaches private networks and loopback
	KnownIO bool             // make ordinary system calls; see package rawio
	Memory  *memory.Pool     // of large requests and answers; nil for none
	Secure  Secure           // authenticates and encrypts; nil for neither
	// KeepReading keeps the connection's goroutine reading while no call waits, so that Err reports its end at once. Then workers
	// never read for themselves, which makes Do slower.
	KeepReading bool
	// Priority is that of all calls; 0 leaves the choice to the server.
	Priority uint32
}

// Conn is a connection to a server. Its methods may be called from several goroutines.
type Conn struct {
	addr     string
	named    bool // the server has the user's name from the header, without proof
	conn     wire
	codec    *codec
	sealed   *sealed // conn, if it is secure
	memory   *memory.Pool
	priority uint32 // of all calls
	work     sync.WaitGroup
	more     chan struct{} // wakes the connection's writer
	ended    chan struct{} // closed when the connection has failed
	in       inbox

	mu       sync.Mutex
	err      error  // why it has failed
	slots    []slot // of waiting calls
	free     []uint32
	full     [][]byte // requests to be written, before those of out
	out      []byte   // requests to be written
	batch    []byte   // requests that are being written
	left     []byte   // the unwritten rest of batch
	spare    []byte   // written
	writing  bool
	waiting  int    // calls
	answered uint64 // since it was dialled
}

// A call's id is the index of its slot in the low slotBits, and the slot's term above them. When a call is abandoned, its slot
// begins a new term, so that a late answer has an id of no other call.
const (
	slotBits = 20
	lastTerm = 1<<(31-slotBits) - 1 // HBase's ids are positive 32-bit numbers
)

// slot is the place of one call.
type slot struct {
	call *Call // nil when free
	term uint32
}

// Dial connects to a server, makes the connection secure and sends its header.
func Dial(ctx context.Context, addr string, cfg Config) (*Conn, error) {
	nc, err := cfg.Dial.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the address
	}
	c := &Conn{
		addr: addr, named: cfg.User != "", conn: rawSocket(nc, cfg.KnownIO), memory: cfg.Memory, priority: cfg.Priority, more: make(chan struct{}, 1), ended: make(chan struct{}),
	}
	c.in.wake, c.in.always = make(chan struct{}, 1), cfg.KeepReading
	if cfg.Codec != nil {
		c.codec = &codec{cfg.Codec, cfg.Memory}
	}
	end := within(ctx, nc)
	err = c.greet(ctx, &cfg)
	if late := end(); err == nil {
		err = late
	}
	if err != nil {
		return nil, errors.Join(err, nc.Close())
	}
	c.work.Go(c.readOn)
	c.work.Go(c.standBy)
	if cfg.KeepReading {
		c.Guard()
	}
	return c, nil
}

// greet makes the connection secure and sends its header.
func (c *Conn) greet(ctx context.Context, cfg *Config) error {
	first := []byte(Simple)
	if cfg.Secure != nil {
		host, _, err := net.SplitHostPort(c.addr)
		if err != nil {
			return fmt.Errorf("authenticate at %s: %w", c.addr, err)
		}
		if c.sealed, err = secured(ctx, c.conn, host, cfg); err != nil {
			return err //nolint:wrapcheck // it names the server
		}
		first = first[:0]
	}
	hello := greeting(cfg)
	if c.sealed != nil {
		c.conn = c.sealed
		if named, ok := c.sealed.Conn.(Named); ok {
			hello.UserInfo = &hbasepb.UserInformation{EffectiveUser: new(named.User())}
		}
		if cipher := c.sealed.cipher(); cipher != nil {
			hello.RpcCryptoCipherTransformation = new(cipher.Transformation())
		}
	}
	header, err := proto.Marshal(hello)
	if err == nil {
		_, err = c.conn.Write(append(binary.BigEndian.AppendUint32(first, uint32(len(header))), header...))
	}
	if err != nil {
		return fmt.Errorf("send connection header to %s: %w", c.addr, err)
	}
	if c.sealed == nil {
		return nil
	}
	if err := c.sealed.agree(); err != nil {
		return fmt.Errorf("agree with %s on a cipher: %w", c.addr, err)
	}
	c.sealed.lower.begin()
	return nil
}

// greeting returns the header of a connection.
func greeting(cfg *Config) *hbasepb.ConnectionHeader {
	h := &hbasepb.ConnectionHeader{
		ServiceName: &cfg.Service, CellBlockCodecClass: new("org.apache.hadoop.hbase.codec.KeyValueCodec"),
	}
	if cfg.User != "" {
		h.UserInfo = &hbasepb.UserInformation{EffectiveUser: &cfg.User}
	}
	if cfg.Service == clientService {
		h.VersionInfo = version()
	}
	if cfg.Codec != nil {
		h.CellBlockCompressorClass = new(cfg.Codec.CellBlockCompressorClass())
	}
	return h
}

// clientService is the service of reads and writes.
const clientService = "ClientService"

// version returns the version of the client. Without one, HBase sends the cells of a Get inside the message, which costs both
// sides more. The master does not get it: to a client of version 2 it answers before it has checked the table's state, and the
// exception comes from the procedure instead.
func version() *hbasepb.VersionInfo {
	return &hbasepb.VersionInfo{
		Version: new("2.6.4"), Url: new("benchd"), Revision: new(""), User: new(""),
		Date: new(""), SrcChecksum: new(""), VersionMajor: proto.Uint32(2), VersionMinor: proto.Uint32(6),
	}
}

// Addr returns the server's host:port.
func (c *Conn) Addr() string { return c.addr }

// Err returns why the connection has failed, or nil.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// wire is a network connection. WriteSome writes what can be written without waiting.
type wire interface {
	net.Conn
	WriteSome(b []byte) (int, error)
}

// slow is a wire that leaves all writing to the connection's own goroutine.
type slow struct{ net.Conn }

// WriteSome writes nothing.
func (slow) WriteSome([]byte) (int, error) { return 0, nil }

// Send sends a call; Done signals its end. It does not wait: the connection's own goroutine writes what the network does not
// accept at once.
func (c *Conn) Send(call *Call) { c.send(call, false) }

// send sends a call. With offers, the caller offers to read the connection; leads reports whether it must do so.
func (c *Conn) send(call *Call, offers bool) (leads bool) {
	cells := call.Cells
	if c.codec != nil && len(cells) > 0 {
		call.spare = c.codec.compress(call.spare[:0], cells)
		cells = call.spare
	}
	if len(call.Request)+len(cells) > most {
		call.finish(ErrTooLong)
		return false
	}
	c.mu.Lock()
	if c.err != nil {
		err := c.err
		c.mu.Unlock()
		call.finish(err)
		return false
	}
	c.place(call)
	c.enqueue(call, cells)
	leads = c.appoint(offers)
	if c.writing {
		c.mu.Unlock()
		return leads
	}
	c.writing = true
	several := c.waiting > 1
	c.mu.Unlock()
	if several {
		// Other workers that were woken at the same time have requests, too: let them append theirs.
		runtime.Gosched()
	}
	more, stuck := c.write(c.conn.WriteSome)
	if more && !stuck && len(cells) >= apart {
		more, _ = c.write(c.conn.WriteSome) // the cells
	}
	if more {
		c.more <- struct{}{} // this worker waits neither for others' requests nor for a slow network
	}
	return leads
}

// enqueue appends a request to those to be written. It takes over the buffer of many cells. The caller holds mu.
func (c *Conn) enqueue(call *Call, cells []byte) {
	if len(cells) < apart || cap(cells) <= memory.Keep {
		c.out = append(appendRequest(c.memory.Grow(c.out, overhead+len(call.Method)+len(call.Request)+len(cells)), call.id, call, len(cells), c.priority), cells...)
		return
	}
	head := appendRequest(c.memory.Grow(c.out, overhead+len(call.Method)+len(call.Request)), call.id, call, len(cells), c.priority)
	c.full = append(c.full, head, cells)
	c.out, c.spare = c.spare, nil
	if c.codec != nil {
		call.spare = nil
	} else {
		call.Cells = nil
	}
}

// place assigns a slot and an id to a call.
func (c *Conn) place(call *Call) {
	c.waiting++
	at := uint32(len(c.slots))
	if n := len(c.free); n > 0 {
		at = c.free[n-1]
		c.free = c.free[:n-1]
		c.slots[at].call = call
	} else {
		c.slots = append(c.slots, slot{call: call})
	}
	call.id = c.slots[at].term<<slotBits | at
	call.answered = c.answered
}

// write calls put with the pending bytes. More reports that bytes are left or new, stuck that the network does not accept them now;
// without more nobody is writing any more.
func (c *Conn) write(put func([]byte) (int, error)) (more, stuck bool) {
	c.mu.Lock()
	if len(c.left) == 0 {
		c.begin()
	}
	left := c.left
	c.mu.Unlock()
	n, err := put(left)
	if err != nil {
		c.fail(fmt.Errorf("write to %s: %w", c.addr, err))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left = left[n:]; len(c.left) == 0 {
		written := c.memory.Release(c.batch)
		if c.batch, c.left = nil, nil; cap(written) > cap(c.spare) {
			c.spare = written
		}
	}
	more = (len(c.left)+len(c.full)+len(c.out) > 0 || c.sealed != nil && c.sealed.lower.unsent()) && c.err == nil
	c.writing = more
	return more, len(c.left) > 0
}

// begin chooses the bytes that are written next. The caller holds mu.
func (c *Conn) begin() {
	if len(c.full) > 0 {
		c.batch, c.full[0] = c.full[0], nil
		if c.full = c.full[1:]; len(c.full) == 0 {
			c.full = nil
		}
	} else {
		c.batch = c.out
		c.out, c.spare = c.spare, nil
	}
	c.left = c.batch
}

// standBy writes what a worker has left over, and requests that came meanwhile.
func (c *Conn) standBy() {
	for {
		select {
		case <-c.more:
			for {
				if more, _ := c.write(c.conn.Write); !more {
					break
				}
			}
		case <-c.ended:
			return
		}
	}
}

// fail ends the connection and all calls that wait on it. The first reason counts.
func (c *Conn) fail(err error) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err = err
	slots := c.slots
	c.slots, c.free, c.waiting, c.out, c.full, c.spare = nil, nil, 0, nil, nil, nil
	close(c.ended)
	c.mu.Unlock()
	_ = c.conn.Close() // the connection is no longer used, even after an error
	for _, s := range slots {
		if s.call != nil {
			s.call.finish(err)
		}
	}
}

// unplace removes and returns the call of an id. It is nil if the call was abandoned; known is false for an id that was never
// used.
func (c *Conn) unplace(id uint32) (call *Call, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, term := id&(1<<slotBits-1), id>>slotBits
	if int(at) >= len(c.slots) {
		return nil, false
	}
	s := &c.slots[at]
	if term < s.term {
		c.answered++
		return nil, true
	}
	if s.call == nil || term != s.term {
		return nil, false
	}
	call, s.call = s.call, nil
	c.free = append(c.free, at)
	if c.in.alone++; c.waiting > 1 {
		c.in.alone = 0
	}
	c.waiting--
	c.answered++
	c.in.idle = c.waiting == 0 && c.in.alone >= often && !c.in.always
	return call, true
}

// Abandon ends the wait for a call's answer; a late answer is dropped. Freed reports whether the call can be reused, which is
// false while its answer is arriving. Silent reports whether the server has answered nothing on this connection since the call
// was sent.
func (c *Conn) Abandon(call *Call) (freed, silent bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := call.id & (1<<slotBits - 1)
	if int(at) >= len(c.slots) || c.slots[at].call != call {
		return false, false
	}
	s := &c.slots[at]
	s.call = nil
	if s.term++; s.term <= lastTerm { // otherwise this slot has no ids left
		c.free = append(c.free, at)
	}
	c.waiting--
	return true, c.answered == call.answered
}

// Answered returns how many calls the server has answered on this connection, withdrawn ones included.
func (c *Conn) Answered() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.answered
}

// Fail ends the connection and its calls with an error. It returns at once.
func (c *Conn) Fail(err error) { c.fail(err) }

// Close ends the connection and waits for its goroutines.
func (c *Conn) Close() {
	c.fail(ErrClosed)
	c.work.Wait()
}
