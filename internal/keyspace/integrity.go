package keyspace

import (
	"bytes"
	"strconv"
)

// FillIntegrity fills dst with the value that YCSB's dataintegrity writes into a field of a row: it follows from key
// and field alone, so that a read can be verified. The value is key, colon, field, and then, until dst is full, a
// colon and the decimal Java hash of everything before it. Keys and fields are ASCII: Java hashes characters.
func FillIntegrity(dst, key, field []byte) {
	n := copy(dst, key)
	if n < len(dst) {
		dst[n] = ':'
		n++
	}
	n += copy(dst[n:], field)
	var (
		hash   int32
		hashed int
		digits [len("-2147483648")]byte
	)
	for n < len(dst) {
		dst[n] = ':'
		n++
		for _, c := range dst[hashed:n] {
			hash = 31*hash + int32(c)
		}
		hashed = n
		n += copy(dst[n:], strconv.AppendInt(digits[:0], int64(hash), 10))
	}
}

// Integrity verifies values against FillIntegrity. It serves one goroutine.
type Integrity struct {
	want []byte
}

// NewIntegrity returns a verifier of values of the given length.
func NewIntegrity(length int) *Integrity { return &Integrity{want: make([]byte, length)} }

// Holds reports whether value is the value that FillIntegrity writes for key and field.
func (i *Integrity) Holds(key, field, value []byte) bool {
	FillIntegrity(i.want, key, field)
	return bytes.Equal(i.want, value)
}
