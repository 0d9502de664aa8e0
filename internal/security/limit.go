package security

import (
	"container/list"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/benchd/benchd/internal/identity"
)

// Limits bound the connections of a listener. A stranger is a connection whose peer is not verified, while none of its requests is in
// progress.
type Limits struct {
	// Connections is the maximum of all. One third of the process's open files bounds it, too.
	Connections int
	// Strangers is their maximum. One eighth of the process's open files bounds it, too.
	Strangers int
	// OfPeer is the maximum of one verified peer.
	OfPeer int
	// Admission is the time within which the first request of a connection must be admitted.
	Admission time.Duration
	Logger    *slog.Logger
}

// within returns the limits for a process that may open a number of files; 0 stands for any number.
func (l Limits) within(files int) Limits {
	if files > 0 {
		l.Connections = min(l.Connections, max(files/3, 1))
		l.Strangers = min(l.Strangers, max(files/8, 1))
	}
	return l
}

// Limit bounds the connections that l accepts. It accepts each new connection at once, and closes another one if there are too many: the
// one of the source with most connections that has been idle for the longest time. So strangers that fill the limits lose their own
// connections, and do not lock out others, whose first request is admitted soon after they connect. Connections with a request in
// progress are not closed.
func Limit(l net.Listener, limits Limits) net.Listener {
	return &limiter{
		Listener: l, limits: limits.within(openFiles()), idle: make(map[string]*list.List), peers: make(map[string]int),
	}
}

// TooManyError reports that a peer has too many connections.
type TooManyError struct {
	Who  string
	Most int
}

// Error names the peer and the cure.
func (e *TooManyError) Error() string {
	return fmt.Sprintf("%s has %d connections, the maximum of one peer: close some", e.Who, e.Most)
}

// Admit counts an admitted request as in progress on the connection with a remote address, until done is called. It returns a *TooManyError
// if the peer is verified and has too many connections. Connections of other listeners than those of Limit are not counted.
func Admit(remote net.Addr, who identity.Identity) (done func(), err error) {
	r, is := remote.(remoteAddr)
	if !is {
		return func() {}, nil
	}
	return r.conn.admit(who)
}

// limiter is a listener with limits.
type limiter struct {
	net.Listener
	limits Limits

	mu        sync.Mutex
	open      int
	strangers int
	idle      map[string]*list.List // of *limited without a request in progress, by source, idle for the longest time first
	peers     map[string]int        // open connections of verified peers
	closed    int                   // since the last message in the log
	logged    time.Time
}

// Accept returns the next connection.
func (l *limiter) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err //nolint:wrapcheck // servers compare it
	}
	c := &limited{Conn: conn, limiter: l, source: source(conn.RemoteAddr())}
	l.mu.Lock()
	l.open++
	c.rest()
	c.admission = time.AfterFunc(l.limits.Admission, func() { _ = c.Close() })
	surplus := l.surplus()
	l.mu.Unlock()
	for _, s := range surplus {
		_ = s.Close()
	}
	return c, nil
}

// surplus returns the connections to close, and forgets them. l.mu must be held.
func (l *limiter) surplus() []*limited {
	var all []*limited
	for {
		var c *limited
		switch {
		case l.strangers > l.limits.Strangers:
			c = l.victim(true)
		case l.open > l.limits.Connections:
			c = l.victim(false)
		}
		if c == nil {
			return all
		}
		c.forget()
		all = append(all, c)
		l.report(c.source)
	}
}

// victim returns the connection that has been idle for the longest time of the source with most idle connections, or of the source with
// most strangers. l.mu must be held.
func (l *limiter) victim(strangers bool) *limited {
	var found *limited
	most := 0
	for _, all := range l.idle {
		c := first(all)
		if strangers && c.peer != "" || all.Len() < most || all.Len() == most && !c.since.Before(found.since) {
			continue
		}
		found, most = c, all.Len()
	}
	return found
}

// report logs at most once a minute that connections are closed. l.mu must be held.
func (l *limiter) report(source string) {
	const every = time.Minute
	l.closed++
	if l.limits.Logger == nil || time.Since(l.logged) < every {
		return
	}
	l.limits.Logger.Warn("close idle connections: there are too many", "listener", l.Addr().String(), "source", source, "closed", l.closed,
		"connections", l.open, "strangers", l.strangers, "max_connections", l.limits.Connections, "max_strangers", l.limits.Strangers)
	l.closed, l.logged = 0, time.Now()
}

// limited is a connection of a limiter, which guards its fields.
type limited struct {
	net.Conn
	limiter *limiter
	source  string // the key of idle
	peer    string // the name of a verified peer

	admission *time.Timer
	uses      int       // requests in progress
	since     time.Time // when the last one ended
	place     *list.Element
	forgotten bool
}

// remoteAddr is the remote address of a connection, by which Admit finds it.
type remoteAddr struct {
	net.Addr
	conn *limited
}

// RemoteAddr returns the address of the peer, for Admit.
func (c *limited) RemoteAddr() net.Addr { return remoteAddr{Addr: c.Conn.RemoteAddr(), conn: c} }

// NetConn returns the connection itself.
func (c *limited) NetConn() net.Conn { return c.Conn }

// Close closes the connection.
func (c *limited) Close() error {
	c.limiter.mu.Lock()
	c.forget()
	c.limiter.mu.Unlock()
	return c.Conn.Close() //nolint:wrapcheck // servers compare it
}

// admit begins a request.
func (c *limited) admit(who identity.Identity) (done func(), err error) {
	l := c.limiter
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.forgotten {
		return func() {}, nil // the request fails when it reads or writes
	}
	if err := c.identify(who); err != nil {
		return nil, err
	}
	c.admission.Stop()
	c.work()
	c.uses++
	return sync.OnceFunc(c.done), nil
}

// identify notes the verified peer of a connection. The limiter is locked.
func (c *limited) identify(who identity.Identity) error {
	if !who.Verified() || c.peer == who.String() {
		return nil
	}
	name, peers := who.String(), c.limiter.peers
	if most := c.limiter.limits.OfPeer; peers[name] >= most {
		return &TooManyError{Who: name, Most: most}
	}
	c.work() // it is not a stranger from now on
	c.unname()
	c.peer, c.source = name, name
	peers[name]++
	return nil
}

// unname takes the connection from those of its verified peer. The limiter is locked.
func (c *limited) unname() {
	peers := c.limiter.peers
	if c.peer == "" {
		return
	}
	if peers[c.peer]--; peers[c.peer] == 0 {
		delete(peers, c.peer)
	}
	c.peer = ""
}

// done ends a request.
func (c *limited) done() {
	c.limiter.mu.Lock()
	defer c.limiter.mu.Unlock()
	if c.uses--; c.uses == 0 && !c.forgotten {
		c.rest()
	}
}

// rest adds the connection to the idle ones. The limiter is locked.
func (c *limited) rest() {
	l := c.limiter
	if l.idle[c.source] == nil {
		l.idle[c.source] = list.New()
	}
	c.place, c.since = l.idle[c.source].PushBack(c), time.Now()
	if c.peer == "" {
		l.strangers++
	}
}

// work removes the connection from the idle ones, if it is one of them. The limiter is locked.
func (c *limited) work() {
	if c.place == nil {
		return
	}
	l := c.limiter
	all := l.idle[c.source]
	all.Remove(c.place)
	if all.Len() == 0 {
		delete(l.idle, c.source)
	}
	if c.peer == "" {
		l.strangers--
	}
	c.place = nil
}

// forget removes the connection from all counts. The limiter is locked.
func (c *limited) forget() {
	if c.forgotten {
		return
	}
	c.forgotten = true
	c.admission.Stop()
	c.work()
	c.unname()
	c.limiter.open--
}

// first returns the first of some connections.
func first(all *list.List) *limited {
	c, _ := all.Front().Value.(*limited)
	return c
}

// source returns what strangers from one machine have in common: its address, or the network of an IPv6 address, of which one machine may
// have as many as it likes.
func source(remote net.Addr) string {
	at, err := netip.ParseAddrPort(remote.String())
	if err != nil {
		return remote.Network() // a unix socket
	}
	ip := at.Addr().Unmap()
	if ip.Is4() {
		return ip.String()
	}
	const network = 64
	prefix, err := ip.WithZone("").Prefix(network)
	if err != nil {
		return ip.String()
	}
	return prefix.String()
}
