package filter

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Op is a comparison operator. The numbers are those of HBase's protocol.
type Op uint8

// The operators.
const (
	Less Op = iota
	LessOrEqual
	Equal
	NotEqual
	GreaterOrEqual
	Greater
	NoOp
)

// Holds applies the operator to a result of bytes.Compare.
func (o Op) Holds(order int) bool {
	switch o {
	case Less:
		return order < 0
	case LessOrEqual:
		return order <= 0
	case Equal:
		return order == 0
	case NotEqual:
		return order != 0
	case GreaterOrEqual:
		return order >= 0
	case Greater:
		return order > 0
	case NoOp:
		return false
	default:
		return false
	}
}

// Comparator compares its own value to part of a cell.
type Comparator interface {
	// Compare is negative if the comparator's value comes before b, as Java's compareTo.
	Compare(b []byte) int
	// Value is the comparator's value; empty if it has none.
	Value() []byte
}

// condition is a comparison from the filter's point of view: "b is less than the value", not the reverse.
type condition struct {
	op Op
	by Comparator
}

func (c *condition) holds(b []byte) bool { return c.op.Holds(-c.by.Compare(b)) }

// Binary compares all bytes.
type Binary []byte

// Compare compares all bytes.
func (v Binary) Compare(b []byte) int { return bytes.Compare(v, b) }

// Value returns the bytes.
func (v Binary) Value() []byte { return v }

// binaryPrefix compares only as many bytes as it has.
type binaryPrefix []byte

func (v binaryPrefix) Compare(b []byte) int { return bytes.Compare(v, b[:min(len(b), len(v))]) }
func (v binaryPrefix) Value() []byte        { return v }

// long compares numbers of eight bytes; a shorter value equals none.
type long struct {
	number int64
	value  []byte
}

func (v long) Value() []byte { return v.value }
func (v long) Compare(b []byte) int {
	if len(b) < 8 {
		return 1
	}
	return cmp.Compare(v.number, int64(binary.BigEndian.Uint64(b)))
}

// null equals a missing value, so no cell.
type null struct{}

func (null) Compare([]byte) int { return 1 }
func (null) Value() []byte      { return nil }

// bit is equal if combining its bits with a value of the same length leaves any bit set.
type bit struct {
	value   []byte
	combine func(a, b byte) byte
}

func (v bit) Value() []byte { return v.value }
func (v bit) Compare(b []byte) int {
	if len(b) != len(v.value) {
		return 1
	}
	for i := range b {
		if v.combine(v.value[i], b[i]) != 0 {
			return 0
		}
	}
	return 1
}

// substring is equal if the value contains it, ignoring case.
type substring string

func (v substring) Value() []byte { return []byte(v) }
func (v substring) Compare(b []byte) int {
	if strings.Contains(strings.ToLower(string(b)), string(v)) {
		return 0
	}
	return 1
}

// pattern is equal if the expression matches in the value.
type pattern struct {
	text   string
	expr   *regexp.Regexp
	latin1 bool // a byte is a character
}

func (v *pattern) Value() []byte { return []byte(v.text) }
func (v *pattern) Compare(b []byte) int {
	if v.latin1 {
		wide := make([]byte, 0, len(b)+8)
		for _, x := range b {
			wide = utf8.AppendRune(wide, rune(x))
		}
		b = wide
	}
	if v.expr.Match(b) {
		return 0
	}
	return 1
}
