package sasl

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/kerberos"
	"github.com/benchd/benchd/internal/target/hbase/rpc"
)

const (
	// most is the longest message that is accepted: an answer of HBase, sealed.
	most = 257 << 20
	// portion is the longest payload that is sealed at once.
	portion = 64 << 10
	// buffer is the memory that a connection keeps for received bytes, and for sealed ones.
	buffer = 128 << 10
)

// cover seals payloads and opens messages, for one writer and one reader.
type cover interface {
	// seal appends the message of a payload to dst.
	seal(dst, payload []byte) []byte
	// open returns the payload of a message, in its place.
	open(message []byte) ([]byte, error)
}

// gss is the cover by a security context.
type gss struct {
	security *kerberos.Context
	private  bool
}

func (g *gss) seal(dst, payload []byte) []byte {
	if g.private {
		return g.security.Out.Seal(dst, payload)
	}
	return g.security.Out.Sign(dst, payload)
}

func (g *gss) open(message []byte) ([]byte, error) {
	payload, sealed, err := g.security.In.Open(message)
	if err == nil && g.private && !sealed {
		err = errors.New("a message is not encrypted, although privacy was agreed on")
	}
	return payload, err //nolint:wrapcheck // Read wraps it
}

// Conn is a connection whose messages are sealed. One goroutine reads and one writes. A read that a deadline interrupts loses nothing.
type Conn struct {
	net.Conn

	cover          cover
	transformation string

	out []byte // sealed bytes

	in         []byte
	begin, end int    // of received bytes that are not opened
	plain      []byte // of the last message, not read yet
}

// Write seals b and writes it.
func (c *Conn) Write(b []byte) (int, error) {
	c.out = c.out[:0]
	for rest := b; len(rest) > 0; {
		n := min(len(rest), portion)
		at := len(c.out)
		c.out = append(c.out, 0, 0, 0, 0)
		c.out = c.cover.seal(c.out, rest[:n])
		binary.BigEndian.PutUint32(c.out[at:], uint32(len(c.out)-at-4))
		rest = rest[n:]
	}
	_, err := c.Conn.Write(c.out)
	if cap(c.out) > buffer {
		c.out = nil
	}
	if err != nil {
		return 0, err //nolint:wrapcheck // as the connection has it
	}
	return len(b), nil
}

// Read reads opened bytes.
func (c *Conn) Read(b []byte) (int, error) {
	for len(c.plain) == 0 {
		message, ok, err := c.message()
		if err != nil {
			return 0, err
		}
		if !ok {
			n, err := c.Conn.Read(c.in[c.end:])
			if c.end += n; n == 0 && err != nil {
				return 0, err //nolint:wrapcheck // io.EOF and timeouts are for the caller
			}
			continue
		}
		if c.plain, err = c.cover.open(message); err != nil {
			return 0, fmt.Errorf("open a sealed message: %w", err)
		}
	}
	n := copy(b, c.plain)
	if c.plain = c.plain[n:]; len(c.plain) == 0 && c.begin == c.end && len(c.in) > buffer {
		c.in, c.plain, c.begin, c.end = nil, nil, 0, 0
	}
	return n, nil
}

// message returns the next whole message of those received; otherwise it makes space for more.
func (c *Conn) message() (message []byte, ok bool, err error) {
	have := c.in[c.begin:c.end]
	want := buffer
	if len(have) >= 4 {
		size := int(binary.BigEndian.Uint32(have))
		if size > most {
			return nil, false, errAnswer
		}
		if size+4 <= len(have) {
			c.begin += 4 + size
			return have[4 : 4+size], true, nil
		}
		// The memory grows with what arrives: a server can announce more than it sends.
		want = max(buffer, min(size+4, 2*len(have)))
	}
	if want > len(c.in) {
		grown := make([]byte, want)
		copy(grown, have)
		c.in, c.begin, c.end = grown, 0, len(have)
	} else if c.begin > 0 {
		copy(c.in, have)
		c.begin, c.end = 0, len(have)
	}
	return nil, false, nil
}

// Transformation implements rpc.Ciphered.
func (c *Conn) Transformation() string { return c.transformation }

// errNoKeys reports a server without the AES option: to go on would be privacy at another price than the settings say.
var errNoKeys = errors.New("the server has no keys for it; set hbase.rpc.crypto.encryption.aes.enabled=false, as the server has it")

// Agree implements rpc.Ciphered.
func (c *Conn) Agree(keys *hbasepb.CryptoCipherMeta) error {
	if keys == nil {
		return rpc.Final(errNoKeys)
	}
	a, err := newAES(keys)
	if err != nil {
		return err
	}
	c.cover = a
	return nil
}
