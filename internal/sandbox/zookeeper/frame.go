package zookeeper

import (
	"encoding/binary"
	"errors"
	"strings"
)

// Bounds of client input: longer frames, lists and paths end the connection.
const (
	maxFrame   = 1 << 20
	maxConnect = 1 << 10
	maxWatches = 10_000 // per connection
)

// errMalformed ends a connection whose frame violates the protocol.
var errMalformed = errors.New("malformed frame")

// reader parses a frame. After an error it returns zero values and keeps err.
type reader struct {
	b   []byte
	err error
}

func (r *reader) take(n int) []byte {
	if r.err != nil || n < 0 || n > len(r.b) {
		r.err = errMalformed
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) int32() int32 {
	if b := r.take(4); b != nil {
		return int32(binary.BigEndian.Uint32(b))
	}
	return 0
}

func (r *reader) int64() int64 {
	if b := r.take(8); b != nil {
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

func (r *reader) bool() bool {
	b := r.take(1)
	return len(b) == 1 && b[0] != 0
}

// bytes reads a byte string; a length of −1 means none.
func (r *reader) bytes() []byte {
	n := r.int32()
	if n == -1 {
		return nil
	}
	return r.take(int(n))
}

func (r *reader) string() string { return string(r.bytes()) }

func (r *reader) strings() []string {
	n := r.int32()
	if n == -1 {
		return nil
	}
	if n < 0 || int(n) > len(r.b)/4 || n > maxWatches { // each takes at least the bytes of its length
		r.err = errMalformed
		return nil
	}
	all := make([]string, 0, n)
	for range n {
		all = append(all, r.string())
	}
	return all
}

// path reads a path and reports whether it is valid.
func (r *reader) path() (string, bool) {
	p := r.string()
	if p == "/" {
		return p, true
	}
	ok := strings.HasPrefix(p, "/") && !strings.HasSuffix(p, "/") && !strings.Contains(p, "//") && !strings.ContainsRune(p, 0)
	return p, ok
}

// The functions below build frames. The first four bytes are reserved for the length.

func appendBytes(b, data []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(data)))
	return append(b, data...)
}

func appendStat(b []byte, s stat) []byte {
	for _, v := range []int64{s.createdIn, s.changedIn, s.createdAt, s.changedAt} {
		b = binary.BigEndian.AppendUint64(b, uint64(v))
	}
	for _, v := range []int32{s.version, s.childrenVersion, 0} {
		b = binary.BigEndian.AppendUint32(b, uint32(v))
	}
	b = binary.BigEndian.AppendUint64(b, uint64(s.owner))
	b = binary.BigEndian.AppendUint32(b, uint32(s.length))
	b = binary.BigEndian.AppendUint32(b, uint32(s.children))
	return binary.BigEndian.AppendUint64(b, uint64(s.childrenIn))
}

func appendReply(b []byte, xid int32, zxid int64, code int32) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(xid))
	b = binary.BigEndian.AppendUint64(b, uint64(zxid))
	return binary.BigEndian.AppendUint32(b, uint32(code))
}

// sealed writes the length of the rest into a frame's first four bytes.
func sealed(frame []byte) []byte {
	binary.BigEndian.PutUint32(frame, uint32(len(frame)-4))
	return frame
}
