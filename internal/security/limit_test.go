package security

import (
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/identity"
)

// arrivals is a listener whose connections a test makes.
type arrivals chan net.Conn

func (a arrivals) Accept() (net.Conn, error) { return <-a, nil }
func (arrivals) Close() error                { return nil }
func (arrivals) Addr() net.Addr              { return address("127.0.0.1:7070") }

type address string

func (address) Network() string  { return "tcp" }
func (a address) String() string { return string(a) }

type from struct {
	net.Conn
	address
}

func (f from) RemoteAddr() net.Addr { return f.address }

// house is a limiter with its visitors.
type house struct {
	t *testing.T
	l *limiter
	a arrivals
}

func newHouse(t *testing.T, limits Limits) *house {
	t.Helper()
	if limits.Admission == 0 {
		limits.Admission = time.Hour
	}
	a := make(arrivals, 1)
	l, is := Limit(a, limits).(*limiter)
	require.True(t, is)
	return &house{t: t, l: l, a: a}
}

// visitor is a connection, and its other end.
type visitor struct {
	t      *testing.T
	conn   net.Conn
	closed chan struct{}
}

// visit connects from an address.
func (h *house) visit(at string) *visitor {
	h.t.Helper()
	here, there := net.Pipe()
	h.a <- from{Conn: here, address: address(at)}
	conn, err := h.l.Accept()
	require.NoError(h.t, err)
	v := &visitor{t: h.t, conn: conn, closed: make(chan struct{})}
	go func() {
		defer close(v.closed)
		_, _ = there.Read(make([]byte, 1))
		_ = there.Close()
	}()
	h.t.Cleanup(func() { _ = conn.Close(); <-v.closed })
	return v
}

// leaves waits until the connection is closed.
func (v *visitor) leaves() {
	v.t.Helper()
	<-v.closed
}

// stays requires that the connection is open.
func (v *visitor) stays() {
	v.t.Helper()
	require.NoError(v.t, v.conn.SetReadDeadline(time.Unix(1, 0)))
	_, err := v.conn.Read(make([]byte, 1))
	require.NotErrorIs(v.t, err, io.ErrClosedPipe)
}

func (v *visitor) asks(who identity.Identity) (done func()) {
	v.t.Helper()
	done, err := Admit(v.conn.RemoteAddr(), who)
	require.NoError(v.t, err)
	return done
}

func nobody() identity.Identity { return identity.Identity{Role: identity.Anonymous} }

func anna() identity.Identity { return identity.Identity{Role: identity.Operator, Name: "anna"} }

func TestStrangersLoseTheirOwnConnections(t *testing.T) {
	h := newHouse(t, Limits{Connections: 100, Strangers: 3, OfPeer: 10})
	honest := h.visit("10.0.0.1:1")
	flood := []*visitor{h.visit("10.0.0.2:1"), h.visit("10.0.0.2:2"), h.visit("10.0.0.2:3"), h.visit("10.0.0.2:4")}
	flood[0].leaves()
	flood[1].leaves()
	flood[2].stays()
	flood[3].stays()
	honest.stays()
	same := h.visit("10.0.0.2:5") // an honest peer behind the same address is the newest
	flood[2].leaves()
	same.stays()
}

func TestTheOldestOfManySourcesLeaves(t *testing.T) {
	h := newHouse(t, Limits{Connections: 100, Strangers: 2, OfPeer: 10})
	a, b, c := h.visit("10.0.0.1:1"), h.visit("10.0.0.2:1"), h.visit("10.0.0.3:1")
	a.leaves()
	b.stays()
	c.stays()
}

func TestVerifiedPeersAndRequestsInProgressAreNoStrangers(t *testing.T) {
	h := newHouse(t, Limits{Connections: 100, Strangers: 1, OfPeer: 10})
	verified := h.visit("10.0.0.1:1")
	verified.asks(anna())()
	busy := h.visit("10.0.0.1:2")
	done := busy.asks(nobody())
	next := h.visit("10.0.0.1:3")
	verified.stays()
	busy.stays()
	next.stays()
	done()
	done() // has no effect
	last := h.visit("10.0.0.1:4")
	next.leaves()
	busy.leaves()
	verified.stays()
	last.stays()
}

func TestAtTheLimitOfConnectionsTheNewestIsRefusedOnlyIfAllWork(t *testing.T) {
	h := newHouse(t, Limits{Connections: 2, Strangers: 100, OfPeer: 10})
	idle, busy := h.visit("10.0.0.1:1"), h.visit("10.0.0.1:2")
	idle.asks(anna())()
	busy.asks(nobody())
	third := h.visit("10.0.0.2:1")
	idle.leaves()
	busy.stays()
	third.stays()
	third.asks(nobody())
	h.visit("10.0.0.3:1").leaves()
	third.stays()
}

func TestOnePeerHasALimitOfConnections(t *testing.T) {
	h := newHouse(t, Limits{Connections: 100, Strangers: 100, OfPeer: 2})
	first, second, third := h.visit("10.0.0.1:1"), h.visit("10.0.0.1:2"), h.visit("10.0.0.1:3")
	first.asks(anna())()
	second.asks(anna())()
	second.asks(anna())()
	_, err := Admit(third.conn.RemoteAddr(), anna())
	_, is := errors.AsType[*TooManyError](err)
	require.True(t, is)
	require.EqualError(t, err, "anna (operator) has 2 connections, the maximum of one peer: close some")
	third.asks(identity.Identity{Role: identity.Agent, Name: "anna"})()
	require.NoError(t, first.conn.Close())
	h.visit("10.0.0.1:4").asks(anna())()
}

func TestAConnectionWithoutAnAdmittedRequestEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, Limits{Connections: 100, Strangers: 100, OfPeer: 10, Admission: time.Minute})
		silent, asking := h.visit("10.0.0.1:1"), h.visit("10.0.0.1:2")
		asking.asks(nobody())()
		began := time.Now()
		silent.leaves()
		require.Equal(t, time.Minute, time.Since(began))
		asking.stays()
	})
}

func TestAllCountsReturnToNothing(t *testing.T) {
	h := newHouse(t, Limits{Connections: 4, Strangers: 3, OfPeer: 2})
	var all []*visitor
	for i, at := range []string{"10.0.0.1:1", "10.0.0.1:2", "[2001:db8::1]:1", "[2001:db8::2]:1", "10.0.0.2:1"} {
		v := h.visit(at)
		if i%2 == 0 {
			v.asks(nobody())
			v.asks(identity.Identity{Role: identity.Agent, Name: at[:4]})()
		}
		all = append(all, v)
	}
	require.LessOrEqual(t, h.l.open, 4)
	require.NotEmpty(t, h.l.peers)
	for _, v := range all {
		require.NoError(t, v.conn.Close())
		v.asks(nobody())()
		require.NoError(t, v.conn.Close())
	}
	require.Zero(t, h.l.open)
	require.Zero(t, h.l.strangers)
	require.Empty(t, h.l.idle)
	require.Empty(t, h.l.peers)
}

func TestSourcesAreMachines(t *testing.T) {
	for at, want := range map[string]string{
		"10.0.0.1:1":            "10.0.0.1",
		"[::ffff:10.0.0.1]:1":   "10.0.0.1",
		"[2001:db8:1:2:3::4]:1": "2001:db8:1:2::/64",
		"[fe80::1%eth0]:1":      "fe80::/64",
		"@":                     "tcp",
	} {
		require.Equal(t, want, source(address(at)), at)
	}
}

func TestOpenFilesBoundTheLimits(t *testing.T) {
	for files, want := range map[int][2]int{0: {8192, 1024}, 1024: {341, 128}, 65536: {8192, 1024}, 1: {1, 1}} {
		got := Limits{Connections: 8192, Strangers: 1024}.within(files)
		require.Equal(t, want, [2]int{got.Connections, got.Strangers}, files)
	}
}

func TestOtherListenersAreNotLimited(t *testing.T) {
	done, err := Admit(nil, anna())
	require.NoError(t, err)
	done()
}
