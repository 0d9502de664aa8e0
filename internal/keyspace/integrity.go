package keyspace

import (
	"bytes"
	"strconv"
)

// AppendIntegrity appends the value that YCSB's dataintegrity writes into a field of a row: it follows from key and
// field alone, so that a read can be verified. The value is key, colon, field, and then, until it is length bytes
// long, a colon and the decimal Java hash of all that stands before.
func AppendIntegrity(dst, key, field []byte, length int) []byte {
	start := len(dst)
	dst = append(dst, key...)
	dst = append(dst, ':')
	dst = append(dst, field...)
	var hash int32
	hashed := start
	for len(dst)-start < length {
		dst = append(dst, ':')
		for _, c := range dst[hashed:] {
			hash = 31*hash + int32(c)
		}
		hashed = len(dst)
		dst = strconv.AppendInt(dst, int64(hash), 10)
	}
	return dst[:start+length]
}

// Integrity verifies values against AppendIntegrity. It serves one goroutine.
type Integrity struct {
	length  int
	scratch []byte
}

// NewIntegrity returns a verifier of values of that length.
func NewIntegrity(length int) *Integrity { return &Integrity{length: length} }

// Holds reports whether value is what belongs into field of the row of key.
func (i *Integrity) Holds(key, field, value []byte) bool {
	if len(value) != i.length {
		return false
	}
	i.scratch = AppendIntegrity(i.scratch[:0], key, field, i.length)
	return bytes.Equal(i.scratch, value)
}
