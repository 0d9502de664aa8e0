package admin

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/benchd/benchd/internal/outbound"
	"github.com/benchd/benchd/internal/target/hbase/rpc"
)

// maxFrame is the longest answer of ZooKeeper that is accepted; its own limit for the content of a znode is 1 MiB.
const maxFrame = 4 << 20

// zkGuard connects to ZooKeeper's servers for the library, which allocates any length that a server announces, and panics on some
// malformed answers.
type zkGuard struct {
	dial   *outbound.Dialer
	secure func(ctx context.Context, conn net.Conn, host string) (net.Conn, error) // nil for none
	failed chan error                                                              // receives the first error after which trying again is of no use
}

// connect is the library's zk.Dialer.
func (g *zkGuard) connect(network, address string, timeout time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	conn, err := g.dial.DialContext(ctx, network, address)
	if err == nil && g.secure != nil {
		conn, err = g.seal(ctx, conn, address)
	}
	if isRefused(err) || rpc.IsFinal(err) {
		g.fail(err)
	}
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the address
	}
	return &guarded{Conn: conn, guard: g, address: address, kinds: make(map[int32]int32)}, nil
}

// seal makes a connection secure.
func (g *zkGuard) seal(ctx context.Context, conn net.Conn, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	sealed, err := g.secure(ctx, conn, host)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("connect to ZooKeeper at %s: %w", address, err), conn.Close())
	}
	return sealed, nil
}

func (g *zkGuard) fail(err error) {
	select {
	case g.failed <- err:
	default: // the first one counts
	}
}

// guarded is a connection that passes on only whole and well-formed answers. One goroutine reads it.
type guarded struct {
	net.Conn
	guard   *zkGuard
	address string
	frame   []byte // with its length
	left    []byte // of it, not passed on yet
	greeted bool   // the answer to the connection request has come

	mu    sync.Mutex
	asked bool            // the connection request was sent
	kinds map[int32]int32 // of requests under way, by number
}

// Write sends a request, which the library writes at once, and remembers its kind.
func (g *guarded) Write(request []byte) (int, error) {
	g.mu.Lock()
	switch {
	case !g.asked:
		g.asked = true
	case len(request) >= 12:
		g.kinds[int32(binary.BigEndian.Uint32(request[4:]))] = int32(binary.BigEndian.Uint32(request[8:]))
	}
	g.mu.Unlock()
	return g.Conn.Write(request)
}

// Read returns bytes of checked answers.
func (g *guarded) Read(b []byte) (int, error) {
	if len(g.left) == 0 {
		if err := g.receive(); err != nil {
			return 0, err
		}
	}
	n := copy(b, g.left)
	g.left = g.left[n:]
	return n, nil
}

// receive reads and checks the next answer.
func (g *guarded) receive() error {
	var head [4]byte
	if _, err := io.ReadFull(g.Conn, head[:]); err != nil {
		return err //nolint:wrapcheck // io.EOF and timeouts are for the library
	}
	size := binary.BigEndian.Uint32(head[:])
	if size > maxFrame {
		return g.refuse(fmt.Sprintf("announces an answer of %d bytes; at most %d are accepted", size, maxFrame))
	}
	// The buffer grows with what arrives.
	const step = 64 << 10
	g.frame = append(g.frame[:0], head[:]...)
	for rest := int(size); rest > 0; {
		n := min(rest, step)
		before := len(g.frame)
		g.frame = append(g.frame, make([]byte, n)...)
		if _, err := io.ReadFull(g.Conn, g.frame[before:]); err != nil {
			return err //nolint:wrapcheck // see above
		}
		rest -= n
	}
	if problem := g.check(g.frame[4:]); problem != "" {
		return g.refuse(problem)
	}
	g.left = g.frame
	return nil
}

func (g *guarded) refuse(problem string) error {
	err := fmt.Errorf("%w: the server at %s %s; is it a ZooKeeper?", errNoZooKeeper, g.address, problem)
	g.guard.fail(err)
	return err
}

// errNoZooKeeper is the error of an answer that no ZooKeeper sends.
var errNoZooKeeper = errors.New("malformed answer of ZooKeeper")

// ZooKeeper's numbers of the answers that need checks.
const (
	zkEvent    = -1 // number of an answer
	zkGetData  = 4  // kinds of requests
	zkChildren = 8
	zkList     = 12 // children with the znode's facts
)

// check returns what is wrong with an answer, or "".
func (g *guarded) check(body []byte) string {
	const short = "sends a truncated answer"
	if !g.greeted {
		g.greeted = true
		const before = 4 + 4 + 8 // version, timeout, session
		if len(body) < before+4 || !fits(body[before:], 1) {
			return short
		}
		return ""
	}
	const header = 4 + 8 + 4 // number, transaction, error
	if len(body) < header {
		return short
	}
	number, failed := int32(binary.BigEndian.Uint32(body)), binary.BigEndian.Uint32(body[12:]) != 0
	g.mu.Lock()
	kind, known := g.kinds[number]
	delete(g.kinds, number)
	g.mu.Unlock()
	rest := body[header:]
	switch {
	case number == zkEvent && len(rest) < 12, known && !failed && fixed(kind) > len(rest):
		return short
	case known && !failed && kind == zkGetData && !fits(rest, 1), known && !failed && (kind == zkChildren || kind == zkList) && !fits(rest, 4):
		return "announces more than it sends"
	}
	return ""
}

// fixed returns the smallest size of the answer to a kind of request.
func fixed(kind int32) int {
	if kind == zkGetData || kind == zkChildren || kind == zkList {
		return 4
	}
	return 0
}

// fits reports whether a list that begins with its length fits into b, if each item has at least size bytes. The length of bytes
// may be -1, for none.
func fits(b []byte, size int64) bool {
	n := int64(int32(binary.BigEndian.Uint32(b)))
	return (n >= 0 || n == -1 && size == 1) && n*size <= int64(len(b)-4)
}

// hostList is the library's zk.HostProvider of servers whose names are resolved when they are dialled, so that the dialer checks the
// addresses.
type hostList struct {
	mu      sync.Mutex
	servers []string
	next    int
	last    int // the server of the last connection, or -1
}

// Init takes the servers.
func (h *hostList) Init(servers []string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.servers, h.next, h.last = slices.Clone(servers), -1, -1
	rand.Shuffle(len(h.servers), func(i, j int) { h.servers[i], h.servers[j] = h.servers[j], h.servers[i] }) // agents spread over them
	return nil
}

// Len returns the number of servers.
func (h *hostList) Len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.servers)
}

// Next returns the next server, and whether all have been tried since the last connection.
func (h *hostList) Next() (server string, again bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.next = (h.next + 1) % len(h.servers)
	again = h.next == h.last
	if h.last < 0 {
		h.last = 0
	}
	return h.servers[h.next], again
}

// Connected notes a connection to the current server.
func (h *hostList) Connected() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last = h.next
}
