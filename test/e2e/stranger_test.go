//go:build integration

package e2e

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/benchd/benchd/test/testcluster"
)

// A stranger has no certificate. It connects from another address than honest peers, does what its kind does, and stays until the server
// closes the connection; then it comes again.
type stranger struct {
	kind    string
	address string
	tls     *tls.Config // nil before TLS
	// do is called when the connection, or TLS, is established.
	do func(ctx context.Context, conn net.Conn) error

	came  atomic.Bool
	ended *atomic.Int32 // connections of the kind that the server has closed
}

// A crowd is a number of strangers.
type crowd struct {
	all   []*stranger
	ended map[string]*atomic.Int32 // by kind
	leave func()
}

// gather returns strangers that stay until the test or leave ends them.
func gather(t *testing.T, kinds map[*stranger]int) *crowd {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var tasks sync.WaitGroup
	const pace = 2 * time.Millisecond // faster ones would fill the system's queue of new connections
	c := &crowd{ended: make(map[string]*atomic.Int32), leave: func() { cancel(); tasks.Wait() }}
	t.Cleanup(c.leave)
	for kind, n := range kinds {
		ended := new(atomic.Int32)
		c.ended[kind.kind] = ended
		for range n {
			s := &stranger{kind: kind.kind, address: kind.address, tls: kind.tls, do: kind.do, ended: ended}
			c.all = append(c.all, s)
			tasks.Go(func() { s.comeAgain(ctx) })
			after(ctx, pace)
		}
	}
	return c
}

// came reports whether all have come.
func (c *crowd) came() bool {
	for _, s := range c.all {
		if !s.came.Load() {
			return false
		}
	}
	return true
}

func (s *stranger) comeAgain(ctx context.Context) {
	const pause = time.Second
	for again := true; again; again = after(ctx, pause) {
		_ = s.stay(ctx) // the server ends it
		if ctx.Err() == nil && s.came.Load() {
			s.ended.Add(1)
		}
	}
}

// stay connects once, and returns when the connection ends.
func (s *stranger) stay(ctx context.Context) error {
	raw, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}).DialContext(ctx, "tcp", s.address)
	if err != nil {
		return err
	}
	defer raw.Close()
	stop := context.AfterFunc(ctx, func() { _ = raw.Close() })
	defer stop()
	conn := raw
	if s.tls != nil {
		secured := tls.Client(raw, s.tls)
		if err := secured.HandshakeContext(ctx); err != nil {
			return err
		}
		conn = secured
	}
	var tasks sync.WaitGroup
	defer tasks.Wait()
	defer raw.Close()
	s.came.Store(true)
	return s.do(ctx, conn)
}

// after waits, and returns false if ctx ends before.
func after(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// silent waits for the end.
func silent(_ context.Context, conn net.Conn) error {
	_, err := io.Copy(io.Discard, conn)
	return err
}

// says sends something, and is silent then.
func says(text string) func(context.Context, net.Conn) error {
	return func(ctx context.Context, conn net.Conn) error {
		if _, err := io.WriteString(conn, text); err != nil {
			return err
		}
		return silent(ctx, conn)
	}
}

// drips sends something, and then a byte every so often.
func drips(text string, drop byte) func(context.Context, net.Conn) error {
	return func(ctx context.Context, conn net.Conn) error {
		go func() { _, _ = io.Copy(io.Discard, conn) }() // until the caller closes the connection
		if _, err := io.WriteString(conn, text); err != nil {
			return err
		}
		for after(ctx, drip) {
			if _, err := conn.Write([]byte{drop}); err != nil {
				return err
			}
		}
		return ctx.Err()
	}
}

const drip = 100 * time.Millisecond

// hello is the beginning of HTTP/2.
func hello() string {
	var b bytes.Buffer
	b.WriteString(http2.ClientPreface)
	_ = http2.NewFramer(&b, nil).WriteSettings() // it writes to memory
	return b.String()
}

// callsSlowly sends the headers of a call and the beginning of its message, and the message byte by byte. It answers pings, so that the
// connection is alive. Without a call it only answers.
func callsSlowly(path string) func(context.Context, net.Conn) error {
	return func(ctx context.Context, conn net.Conn) error {
		if _, err := io.WriteString(conn, hello()); err != nil {
			return err
		}
		var writing sync.Mutex
		framer := http2.NewFramer(conn, conn)
		if path != "" {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			go message(ctx, framer, &writing, path) // until the connection is closed
		}
		for {
			frame, err := framer.ReadFrame()
			if err != nil {
				return err
			}
			writing.Lock()
			switch f := frame.(type) {
			case *http2.PingFrame:
				if !f.IsAck() {
					err = framer.WritePing(true, f.Data)
				}
			case *http2.SettingsFrame:
				if !f.IsAck() {
					err = framer.WriteSettingsAck()
				}
			case *http2.GoAwayFrame:
				err = errors.New("the server says goodbye")
			}
			writing.Unlock()
			if err != nil {
				return err
			}
		}
	}
}

// message makes a call whose message never ends.
func message(ctx context.Context, framer *http2.Framer, writing *sync.Mutex, path string) {
	const announced = 1 << 16
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	for _, f := range []hpack.HeaderField{
		{Name: ":method", Value: "POST"},
		{Name: ":scheme", Value: "https"},
		{Name: ":path", Value: path},
		{Name: ":authority", Value: "c"},
		{Name: "content-type", Value: "application/grpc"},
		{Name: "te", Value: "trailers"},
	} {
		_ = encoder.WriteField(f) // it writes to memory
	}
	write := func(do func() error) error {
		writing.Lock()
		defer writing.Unlock()
		return do()
	}
	err := write(func() error {
		return framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block.Bytes(), EndHeaders: true})
	})
	next := binary.BigEndian.AppendUint32([]byte{0}, announced)
	for err == nil && after(ctx, drip) {
		err = write(func() error { return framer.WriteData(1, false, next) })
		next = []byte{0}
	}
}

// strangers are 1000 idle ones and 40 slow ones for each port.
func strangers(h *testcluster.Cluster) map[*stranger]int {
	rpc := &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}}
	web := &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}}
	const (
		begun = "\x16\x03\x01" // of a ClientHello
		get   = "GET /healthz HTTP/1.1\r\nHost: c\r\n"
		// A frame of headers of 16 KiB.
		headers = "\x00\x40\x00\x01\x04\x00\x00\x00\x01"
	)
	return map[*stranger]int{
		{kind: "gRPC, silent", address: h.Address, do: silent}:                                        250,
		{kind: "gRPC, TLS begun", address: h.Address, do: says(begun)}:                                250,
		{kind: "gRPC, TLS done", address: h.Address, tls: rpc, do: silent}:                            250,
		{kind: "gRPC, without a stream", address: h.Address, tls: rpc, do: callsSlowly("")}:           250,
		{kind: "gRPC, slow headers", address: h.Address, tls: rpc, do: drips(hello()+headers, 0)}:     20,
		{kind: "gRPC, slow body", address: h.Address, tls: rpc, do: callsSlowly(anyCall)}:             20,
		{kind: "HTTP, silent", address: h.HTTP, do: silent}:                                           250,
		{kind: "HTTP, TLS begun", address: h.HTTP, do: says(begun)}:                                   250,
		{kind: "HTTP, TLS done", address: h.HTTP, tls: web, do: silent}:                               250,
		{kind: "HTTP, after a request", address: h.HTTP, tls: web, do: says(get + "\r\n")}:            250,
		{kind: "HTTP, slow headers", address: h.HTTP, tls: web, do: drips(get+"X: ", 'x')}:            20,
		{kind: "HTTP, slow body", address: h.HTTP, tls: web, do: drips(get+slowBody+"\r\n\r\n", 'x')}: 20,
	}
}

const (
	anyCall  = "/benchd.v1.RunService/Submit"
	slowBody = "Content-Length: 100000"
)
