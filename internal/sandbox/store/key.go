package store

import (
	"bytes"
	"encoding/binary"
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

// A cell's key:
//
//	'c' table(4) row 00 01 family 00 qualifier 00 01 ^time(8) ^type(1)
//
// In row and qualifier, 00 is written as 00 FF, so that a shorter value sorts first and no key's row is a prefix of
// another's. A family's name has no zero byte. Keys of the catalogue begin with other letters.
const (
	spaceCells   = 'c'
	tablePrefix  = 1 + 4
	escape       = 0x00
	escapedZero  = 0xff
	terminator   = 0x01
	past         = 0x02 // in place of the terminator: after all keys that have it, before all others
	keyTail      = 8 + 1
	headerPlain  = 0 // first byte of a value
	headerExpiry = 1 // eight bytes follow: the cell's TTL in milliseconds
)

func appendTable(dst []byte, table uint32) []byte {
	return binary.BigEndian.AppendUint32(append(dst, spaceCells), table)
}

func appendEscaped(dst, b []byte) []byte {
	for {
		i := bytes.IndexByte(b, escape)
		if i < 0 {
			return append(append(dst, b...), escape, terminator)
		}
		dst = append(append(dst, b[:i]...), escape, escapedZero)
		b = b[i+1:]
	}
}

// appendRow appends the common prefix of a row's keys.
func appendRow(dst []byte, table uint32, row []byte) []byte {
	return appendEscaped(appendTable(dst, table), row)
}

// appendColumn appends to a row's prefix the rest of the common prefix of a column's keys.
func appendColumn(dst, family, qualifier []byte) []byte {
	dst = append(append(dst, family...), escape)
	return appendEscaped(dst, qualifier)
}

func appendVersion(dst []byte, timestamp int64, kind protocol.CellType) []byte {
	dst = binary.BigEndian.AppendUint64(dst, ^uint64(timestamp))
	return append(dst, ^byte(kind))
}

// beyond turns a prefix that ends with a terminator into the first key after all keys with that prefix.
func beyond(prefix []byte) []byte {
	prefix[len(prefix)-1] = past
	return prefix
}

// splitKey returns the length of the part of a key that names the row, terminator included; it is pebble's Split. Keys
// of the catalogue, and bounds that are not complete keys, are all prefix.
func splitKey(key []byte) int {
	if len(key) < tablePrefix || key[0] != spaceCells {
		return len(key)
	}
	if n := terminated(key[tablePrefix:]); n > 0 {
		return tablePrefix + n
	}
	return len(key)
}

// terminated returns the length of the escaped bytes at the start of b, terminator included, or 0.
func terminated(b []byte) int {
	for at := 0; ; {
		i := bytes.IndexByte(b[at:], escape)
		if i < 0 || at+i+1 >= len(b) {
			return 0
		}
		at += i + 2
		if b[at-1] == terminator {
			return at
		}
	}
}

var errKey = errors.New("decode key: not a cell's key")

// unescape reverses appendEscaped; it writes to scratch only if a byte was escaped.
func unescape(scratch, escaped []byte) (plain, used []byte) {
	body := escaped[:len(escaped)-2]
	if bytes.IndexByte(body, escape) < 0 {
		return body, scratch
	}
	scratch = scratch[:0]
	for i := 0; i < len(body); i++ {
		scratch = append(scratch, body[i])
		if body[i] == escape {
			i++
		}
	}
	return scratch, scratch
}

// decodeColumn parses the part of the key after the row. The qualifier is valid until the key or scratch changes.
func decodeColumn(c *protocol.Cell, suffix, scratch []byte) ([]byte, error) {
	before, after, ok := bytes.Cut(suffix, []byte{escape})
	if !ok {
		return scratch, errKey
	}
	rest := after
	n := len(rest) - keyTail
	if n < 2 {
		return scratch, errKey
	}
	c.Family = before
	c.Qualifier, scratch = unescape(scratch, rest[:n])
	c.Timestamp = int64(^binary.BigEndian.Uint64(rest[n:]))
	c.Type = protocol.CellType(^rest[n+8])
	return scratch, nil
}

// comparer orders keys by their bytes and marks the part that names the row, for the bloom filters.
func comparer() *pebble.Comparer {
	c := *pebble.DefaultComparer
	c.Name = "benchd.sandbox.v1"
	c.Split = splitKey
	return &c
}
