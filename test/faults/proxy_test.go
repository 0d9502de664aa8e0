//go:build faults

package faults

import (
	"context"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// ills are the faults that a proxy adds to its connections.
type ills struct {
	delay, jitter time.Duration // of each piece, each way: delay ± jitter, in order
	rate          int           // bytes a second each way; 0 is no bound
	lives         time.Duration // average time until a connection is reset; 0 is never
}

// proxy forwards connections to an address, with ills.
type proxy struct {
	listener net.Listener
	to       string
	ills     ills
	resets   int

	mu    sync.Mutex
	conns map[net.Conn]bool
	work  sync.WaitGroup
}

// newProxy listens at the test's own address on the network.
func newProxy(t *testing.T, listen, to string, what ills) *proxy {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", listen+":0")
	require.NoError(t, err)
	p := &proxy{listener: l, to: to, ills: what, conns: map[net.Conn]bool{}}
	p.work.Go(p.accept)
	t.Cleanup(func() {
		_ = l.Close()
		p.mu.Lock()
		for c := range p.conns {
			_ = c.Close()
		}
		p.mu.Unlock()
		p.work.Wait()
	})
	return p
}

func (p *proxy) address() string { return p.listener.Addr().String() }

func (p *proxy) accept() {
	for {
		in, err := p.listener.Accept()
		if err != nil {
			return
		}
		out, err := p.dial()
		if err != nil {
			_ = in.Close()
			continue
		}
		p.mu.Lock()
		p.conns[in], p.conns[out] = true, true
		p.mu.Unlock()
		var ends sync.Once
		end := func() { ends.Do(func() { p.drop(in); p.drop(out) }) }
		if p.ills.lives > 0 {
			life := p.ills.lives/2 + rand.N(p.ills.lives)
			time.AfterFunc(life, func() {
				p.mu.Lock()
				p.resets++
				p.mu.Unlock()
				_ = in.(*net.TCPConn).SetLinger(0) // data in flight is lost, and the peer gets a reset
				_ = out.(*net.TCPConn).SetLinger(0)
				end()
			})
		}
		p.work.Go(func() { p.pass(in, out); end() })
		p.work.Go(func() { p.pass(out, in); end() })
	}
}

func (p *proxy) dial() (net.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return new(net.Dialer).DialContext(ctx, "tcp", p.to)
}

func (p *proxy) drop(c net.Conn) {
	_ = c.Close()
	p.mu.Lock()
	delete(p.conns, c)
	p.mu.Unlock()
}

// piece is data that was read, with the earliest time of its write.
type piece struct {
	data []byte
	at   time.Time
}

// pass copies from one to the other until either ends.
func (p *proxy) pass(from io.Reader, to io.Writer) {
	pieces := make(chan piece, 1024)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for next := range pieces {
			<-time.After(time.Until(next.at))
			if _, err := to.Write(next.data); err != nil {
				for range pieces { // data that was read is lost
				}
				return
			}
		}
	}()
	last := time.Now()
	for {
		buffer := make([]byte, 4096)
		n, err := from.Read(buffer)
		if n > 0 {
			at := time.Now().Add(p.ills.delay)
			if p.ills.jitter > 0 {
				at = at.Add(rand.N(2*p.ills.jitter) - p.ills.jitter)
			}
			if at.Before(last) {
				at = last // a connection keeps its order
			}
			if p.ills.rate > 0 {
				at = at.Add(time.Duration(n) * time.Second / time.Duration(p.ills.rate))
			}
			last = at
			pieces <- piece{buffer[:n], at}
		}
		if err != nil {
			break
		}
	}
	close(pieces)
	<-done
}
