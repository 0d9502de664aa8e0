package filter

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Op is a comparison. The numbers are those of HBase's protocol.
type Op uint8

// The comparisons.
const (
	Less Op = iota
	LessOrEqual
	Equal
	NotEqual
	GreaterOrEqual
	Greater
	NoOp
)

// Holds applies the comparison to an order as bytes.Compare gives it.
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

// Comparator compares what it was made with to a cell's part.
type Comparator interface {
	// Compare is negative when the comparator's value comes before b, as Java's compareTo.
	Compare(b []byte) int
	// Value is what the comparator was made with; empty for those that have none.
	Value() []byte
}

// condition is a comparison in the words of a filter: "b is less than the value", not the other way round.
type condition struct {
	op Op
	by Comparator
}

func (c *condition) holds(b []byte) bool { return c.op.Holds(-c.by.Compare(b)) }

// Binary compares bytes.
type Binary []byte

// Compare compares all bytes.
func (v Binary) Compare(b []byte) int { return bytes.Compare(v, b) }

// Value is the bytes.
func (v Binary) Value() []byte { return v }

// binaryPrefix compares as many bytes as it has.
type binaryPrefix []byte

func (v binaryPrefix) Compare(b []byte) int { return bytes.Compare(v, b[:min(len(b), len(v))]) }
func (v binaryPrefix) Value() []byte        { return v }

// long compares numbers of eight bytes; what is shorter equals none.
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

// null equals what is not there, so no cell.
type null struct{}

func (null) Compare([]byte) int { return 1 }
func (null) Value() []byte      { return nil }

// bit is equal when combining its bits with others, of the same length, leaves any.
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

// substring is equal when the value has it, in any case of letters.
type substring string

func (v substring) Value() []byte { return []byte(v) }
func (v substring) Compare(b []byte) int {
	if strings.Contains(strings.ToLower(string(b)), string(v)) {
		return 0
	}
	return 1
}

// pattern is equal when the expression is found in the value.
type pattern struct {
	text   string
	expr   *regexp.Regexp
	latin1 bool // each byte is a character
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
