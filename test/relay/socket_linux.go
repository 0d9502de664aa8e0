package relay

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"google.golang.org/protobuf/encoding/protowire"
)

// socket is a TCP connection of frames, for which the kernel notes when data is received.
type socket struct {
	raw      syscall.RawConn
	conn     net.Conn
	buf      []byte
	from     int       // the bytes before it have been taken
	received time.Time // of the last bytes in buf; zero if it is not known
	control  [64]byte
}

func newSocket(conn net.Conn) (*socket, error) {
	c, ok := conn.(syscall.Conn)
	if !ok {
		return nil, fmt.Errorf("a connection of type %T has no descriptor", conn)
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return nil, err
	}
	var set error
	err = raw.Control(func(fd uintptr) { set = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_TIMESTAMPNS_NEW, 1) })
	return &socket{raw: raw, conn: conn}, errors.Join(err, set)
}

// longest is the longest frame that is forwarded.
const longest = 64 << 20

// frame returns the next frame with its length. It is valid until the next call.
func (s *socket) frame() ([]byte, error) {
	const prefix = 4
	b, err := s.peek(prefix)
	if err != nil {
		return nil, err
	}
	n := int(binary.BigEndian.Uint32(b))
	if n > longest {
		return nil, fmt.Errorf("a frame of %d bytes is too long", n)
	}
	if _, err := s.peek(prefix + n); err != nil {
		return nil, err
	}
	return s.take(prefix + n), nil
}

// peek waits for n bytes.
func (s *socket) peek(n int) ([]byte, error) {
	for len(s.buf)-s.from < n {
		if err := s.fill(); err != nil {
			return nil, err
		}
	}
	return s.buf[s.from : s.from+n], nil
}

func (s *socket) take(n int) []byte {
	s.from += n
	return s.buf[s.from-n : s.from]
}

// fill reads what there is.
func (s *socket) fill() error {
	const least = 64 << 10
	if s.from == len(s.buf) {
		s.buf, s.from = s.buf[:0], 0
	}
	if cap(s.buf)-len(s.buf) < least {
		s.buf = append(make([]byte, 0, 2*(len(s.buf)-s.from+least)), s.buf[s.from:]...)
		s.from = 0
	}
	var n, control int
	var err error
	waited := s.raw.Read(func(fd uintptr) bool {
		n, control, _, _, err = unix.Recvmsg(int(fd), s.buf[len(s.buf):cap(s.buf)], s.control[:], 0)
		return !errors.Is(err, unix.EAGAIN) && !errors.Is(err, unix.EINTR)
	})
	if err := errors.Join(waited, err); err != nil {
		return err
	}
	if n == 0 {
		return io.EOF
	}
	s.buf = s.buf[:len(s.buf)+n]
	s.received = stamp(s.control[:control])
	return nil
}

// write sends data.
func (s *socket) write(b []byte) error {
	_, err := s.conn.Write(b)
	return err
}

// stamp returns the time in the kernel's messages. Data that came before the socket asked for times has none.
func stamp(control []byte) time.Time {
	messages, err := unix.ParseSocketControlMessage(control)
	if err != nil {
		return time.Time{}
	}
	for _, m := range messages {
		if m.Header.Level == unix.SOL_SOCKET && m.Header.Type == unix.SO_TIMESTAMPNS_NEW && len(m.Data) >= 16 {
			return time.Unix(int64(binary.NativeEndian.Uint64(m.Data)), int64(binary.NativeEndian.Uint64(m.Data[8:])))
		}
	}
	return time.Time{}
}

// header returns the id and the method of a call, or the id of an answer.
func header(frame []byte) (id uint64, method string) {
	h, n := protowire.ConsumeBytes(frame[4:])
	for n > 0 && len(h) > 0 {
		var field protowire.Number
		var kind protowire.Type
		if field, kind, n = protowire.ConsumeTag(h); n < 0 {
			break
		}
		h = h[n:]
		switch {
		case field == 1 && kind == protowire.VarintType:
			id, n = protowire.ConsumeVarint(h)
		case field == 3 && kind == protowire.BytesType:
			var b []byte
			b, n = protowire.ConsumeBytes(h)
			method = string(b)
		default:
			n = protowire.ConsumeFieldValue(field, kind, h)
		}
		if n > 0 {
			h = h[n:]
		}
	}
	return id, method
}
