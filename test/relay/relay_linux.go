package relay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"
)

// Config configures a Relay.
type Config struct {
	// Host is the address at which the relay listens, at the ports of the servers.
	Host string
	// Ports are those of the servers on 127.0.0.1: ZooKeeper, masters and region servers.
	Ports []int
	// Name is how the servers call their host. It is as long as Host, which replaces it in answers.
	Name string
	// Hold delays answers after their time has been noted, so that the client's latency is too long by it. Only tests of the
	// relay use it.
	Hold time.Duration
}

// An Exchange is a call and its answer.
type Exchange struct {
	Call string
	Took time.Duration // from the request to the answer
}

// Relay forwards connections. It does not support TLS or Kerberos.
type Relay struct {
	config    Config
	listeners []net.Listener
	work      sync.WaitGroup

	mu        sync.Mutex
	conns     map[net.Conn]bool // nil after Close
	exchanges []Exchange
	untimed   int // exchanges without the kernel's time
}

// Start starts a Relay.
func Start(ctx context.Context, config Config) (*Relay, error) {
	if len(config.Name) != len(config.Host) {
		return nil, fmt.Errorf("replace host %s by %s: they differ in length", config.Name, config.Host)
	}
	r := &Relay{config: config, conns: map[net.Conn]bool{}}
	for _, port := range config.Ports {
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(config.Host, strconv.Itoa(port)))
		if err != nil {
			return nil, errors.Join(fmt.Errorf("listen for port %d: %w", port, err), r.Close())
		}
		r.listeners = append(r.listeners, l)
		r.work.Go(func() { r.accept(l, net.JoinHostPort("127.0.0.1", strconv.Itoa(port))) })
	}
	return r, nil
}

// Close ends all connections.
func (r *Relay) Close() error {
	var all []error
	for _, l := range r.listeners {
		all = append(all, l.Close())
	}
	r.mu.Lock()
	for c := range r.conns {
		_ = c.Close()
	}
	r.conns = nil
	r.mu.Unlock()
	r.work.Wait()
	return errors.Join(all...)
}

// Take returns the exchanges since the last Take, and how many had no time.
func (r *Relay) Take() (exchanges []Exchange, untimed int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	exchanges, untimed = r.exchanges, r.untimed
	r.exchanges, r.untimed = nil, 0
	return exchanges, untimed
}

func (r *Relay) note(e Exchange, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !ok {
		r.untimed++
		return
	}
	r.exchanges = append(r.exchanges, e)
}

func (r *Relay) accept(l net.Listener, to string) {
	for {
		client, err := l.Accept()
		if err != nil {
			return
		}
		server, err := (&net.Dialer{Timeout: 5 * time.Second}).Dial("tcp", to)
		if err != nil {
			_ = client.Close()
			continue
		}
		if !r.keep(client, server) {
			return
		}
		in, err := newSocket(client)
		out, err2 := newSocket(server)
		if err != nil || err2 != nil {
			r.drop(client, server)
			continue
		}
		c := &connection{relay: r, client: in, server: out, pending: map[uint64]call{}}
		r.work.Go(func() { _ = c.requests(); r.drop(client, server) })
		r.work.Go(func() { _ = c.answers(); r.drop(client, server) })
	}
}

// keep remembers connections, or closes them if the relay is closed.
func (r *Relay) keep(conns ...net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range conns {
		if r.conns == nil {
			_ = c.Close()
		} else {
			r.conns[c] = true
		}
	}
	return r.conns != nil
}

func (r *Relay) drop(conns ...net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range conns {
		_ = c.Close()
		delete(r.conns, c)
	}
}

// replace writes a name over another one of the same length.
func replace(b []byte, name, by string) {
	for i := bytes.Index(b, []byte(name)); i >= 0; i = bytes.Index(b, []byte(name)) {
		b = b[i+copy(b[i:], by):]
	}
}
