package rpc

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/target/hbase/memory"
)

// Secure makes a connection to a service of a host secure, before anything else is sent. It also sends the six bytes with which
// each connection begins, because they name the method of authentication. The connection that it returns uses the given one for
// all its bytes. The context bounds it.
type Secure func(ctx context.Context, conn net.Conn, host, service string) (net.Conn, error)

// Ciphered is a connection, made by Secure, that changes its keys after the connection header.
type Ciphered interface {
	net.Conn
	// Transformation names the cipher that the header asks for; empty for none.
	Transformation() string
	// Agree takes the keys in the server's answer to the header. They encrypt all that follows.
	Agree(keys *hbasepb.CryptoCipherMeta) error
}

// Named is a connection, made by Secure, of which the server does not know the user: the header names one.
type Named interface {
	net.Conn
	User() string
}

// Simple begins a connection without authentication.
const Simple = "HBas\x00\x50" // the protocol, its version and the method

// secured returns the secure connection of a new one. It is nil if what follows is neither sealed nor encrypted.
func secured(ctx context.Context, raw wire, host string, cfg *Config) (*sealed, error) {
	low := &lower{wire: raw, memory: cfg.Memory}
	top, err := cfg.Secure(ctx, low, host, cfg.Service)
	if err != nil || top == net.Conn(low) {
		return nil, err
	}
	return &sealed{Conn: top, lower: low}, nil
}

// errNoCipher is how a server without the AES option looks: it never answers.
var errNoCipher = errors.New("no answer with keys; set hbase.rpc.crypto.encryption.aes.enabled=false if the servers do not have it")

// sealed is a wire of a secure connection. What is written to the secure connection is sealed into the buffer of lower: nothing
// waits for the network in the middle of a message.
type sealed struct {
	net.Conn // the secure connection

	lower *lower
}

// atOnce is how many bytes are sealed before they are written: sealed bytes take memory, too.
const atOnce = 64 << 10

// Write writes all of b, and all that waited before.
func (s *sealed) Write(b []byte) (n int, err error) {
	for {
		part, err := s.seal(b[n:])
		if n += part; err != nil {
			return n, err
		}
		if err := s.lower.flush(); err != nil || n == len(b) {
			return n, err
		}
	}
}

// seal seals the beginning of b.
func (s *sealed) seal(b []byte) (n int, err error) {
	if len(b) == 0 {
		return 0, nil
	}
	return s.Conn.Write(b[:min(len(b), atOnce)]) //nolint:wrapcheck // the caller of Write wraps it
}

// WriteSome seals the beginning of b and writes what the network accepts at once, unless older bytes still wait.
func (s *sealed) WriteSome(b []byte) (n int, err error) {
	if err := s.lower.flushSome(); err != nil || s.lower.unsent() {
		return 0, err
	}
	if n, err = s.seal(b); err != nil {
		return n, err
	}
	return n, s.lower.flushSome()
}

// cipher returns the connection if it will change its keys, otherwise nil.
func (s *sealed) cipher() Ciphered {
	if c, ok := s.Conn.(Ciphered); ok && c.Transformation() != "" {
		return c
	}
	return nil
}

// agree reads the keys with which the server answers a header that asks for a cipher.
func (s *sealed) agree() error {
	c := s.cipher()
	if c == nil {
		return nil
	}
	const longest = 1 << 16
	var size [4]byte
	if _, err := io.ReadFull(s, size[:]); err != nil {
		return Final(fmt.Errorf("%w (%w)", errNoCipher, err))
	}
	if binary.BigEndian.Uint32(size[:]) > longest {
		return errNonsense
	}
	message := make([]byte, binary.BigEndian.Uint32(size[:]))
	if _, err := io.ReadFull(s, message); err != nil {
		return fmt.Errorf("read the keys of %s: %w", c.Transformation(), err)
	}
	var answer hbasepb.ConnectionHeaderResponse
	if err := proto.Unmarshal(message, &answer); err != nil {
		return fmt.Errorf("%w (%w)", errNonsense, err)
	}
	return c.Agree(answer.GetCryptoCipherMeta()) //nolint:wrapcheck // the caller wraps it
}

// lower is the connection beneath a secure one. Its reads are those of the wire. Its writes are, too, until begin; then they are
// kept until they are flushed. One goroutine at a time flushes; any may write.
type lower struct {
	wire

	memory *memory.Pool

	mu    sync.Mutex
	keeps bool
	kept  []byte // in order
	done  int    // bytes of kept that are written
	spare []byte
}

// begin makes the connection keep what is written.
func (l *lower) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keeps = true
}

// Write writes or keeps b.
func (l *lower) Write(b []byte) (int, error) {
	l.mu.Lock()
	if l.keeps {
		l.kept = append(l.memory.Grow(l.kept, len(b)), b...)
		l.mu.Unlock()
		return len(b), nil
	}
	l.mu.Unlock()
	return l.wire.Write(b) //nolint:wrapcheck // as the wire has it
}

// flushSome writes what the network accepts at once.
func (l *lower) flushSome() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.done == len(l.kept) {
		return nil
	}
	n, err := l.WriteSome(l.kept[l.done:])
	l.done += n
	l.settle()
	return err //nolint:wrapcheck // the caller wraps it
}

// flush writes all bytes that are kept. It waits for the network without the lock: a reader of the secure connection may write, and
// the network may wait for that reader.
func (l *lower) flush() error {
	l.mu.Lock()
	batch, rest := l.kept, l.kept[l.done:]
	l.kept, l.done, l.spare = l.spare[:0], 0, nil
	l.mu.Unlock()
	if len(rest) == 0 {
		l.keep(batch)
		return nil
	}
	_, err := l.wire.Write(rest)
	l.keep(batch)
	return err //nolint:wrapcheck // the caller wraps it
}

// keep keeps the memory of written bytes.
func (l *lower) keep(batch []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if batch = l.memory.Release(batch); l.spare == nil {
		l.spare = batch
	}
}

// settle begins the buffer again when all of it is written. The caller holds mu.
func (l *lower) settle() {
	if l.done < len(l.kept) {
		return
	}
	l.kept, l.done = l.memory.Release(l.kept), 0
}

// unsent reports whether bytes wait to be written.
func (l *lower) unsent() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.done < len(l.kept)
}

// within makes all reads and writes of a new connection end with the context. End reverts that; it fails if the context has ended.
func within(ctx context.Context, conn net.Conn) (end func() error) {
	deadline, _ := ctx.Deadline()
	_ = conn.SetDeadline(deadline) // reads and writes return any error
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	return func() error {
		if !stop() {
			return context.Cause(ctx)
		}
		_ = conn.SetDeadline(time.Time{})
		return nil
	}
}
