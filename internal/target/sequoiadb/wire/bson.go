package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
)

// Kinds of elements.
const (
	kindDouble    = 0x01
	kindString    = 0x02
	kindDocument  = 0x03
	kindArray     = 0x04
	kindBinary    = 0x05
	kindUndefined = 0x06
	kindObjectID  = 0x07
	kindBool      = 0x08
	kindDate      = 0x09
	kindNull      = 0x0A
	kindRegex     = 0x0B
	kindPointer   = 0x0C
	kindCode      = 0x0D
	kindSymbol    = 0x0E
	kindScope     = 0x0F
	kindInt32     = 0x10
	kindTimestamp = 0x11
	kindInt64     = 0x12
	kindDecimal   = 0x64 // SequoiaDB's own
	kindMaxKey    = 0x7F
	kindMinKey    = 0xFF
)

// ErrMalformed is the kind of errors of messages that break the protocol.
var ErrMalformed = errors.New("malformed answer")

// Document is a document of BSON. Its length has been checked, its elements are checked as they are read.
type Document []byte

// documentOf returns the document with which b begins.
func documentOf(b []byte) (Document, error) {
	if len(b) < 5 {
		return nil, ErrMalformed
	}
	n := binary.LittleEndian.Uint32(b)
	if n < 5 || uint64(n) > uint64(len(b)) || b[n-1] != 0 {
		return nil, ErrMalformed
	}
	return Document(b[:n]), nil
}

// Element is an element of a document. Its slices belong to the document.
type Element struct {
	Name  []byte
	kind  byte
	value []byte
}

// Elements reads the elements of a document one after another.
type Elements struct {
	rest []byte
	err  error
}

// Elements returns the elements.
func (d Document) Elements() Elements {
	if len(d) < 5 {
		return Elements{}
	}
	return Elements{rest: d[4 : len(d)-1]}
}

// Next reads the next element. It is false at the end, and after an error.
func (e *Elements) Next(into *Element) bool {
	if len(e.rest) == 0 || e.err != nil {
		return false
	}
	kind := e.rest[0]
	end := bytes.IndexByte(e.rest[1:], 0)
	if end < 0 {
		e.err = ErrMalformed
		return false
	}
	value := e.rest[end+2:]
	n := sizeOf(kind, value)
	if n < 0 || n > len(value) {
		e.err = ErrMalformed
		return false
	}
	into.Name, into.kind, into.value = e.rest[1:end+1], kind, value[:n]
	e.rest = value[n:]
	return true
}

// Err returns the error that ended Next.
func (e *Elements) Err() error { return e.err }

// sizeOf returns how many bytes of b a value of a kind has; negative if it is invalid.
func sizeOf(kind byte, b []byte) int {
	switch kind {
	case kindDouble, kindDate, kindTimestamp, kindInt64:
		return 8
	case kindInt32:
		return 4
	case kindBool:
		return 1
	case kindObjectID:
		return 12
	case kindNull, kindUndefined, kindMaxKey, kindMinKey:
		return 0
	case kindString, kindCode, kindSymbol:
		return sizeOfString(b)
	case kindPointer:
		if n := sizeOfString(b); n >= 0 {
			return n + 12
		}
		return -1
	case kindDocument, kindArray:
		return sizeOfDocument(b)
	case kindBinary:
		return prefixed(b, 5, math.MaxInt32-5, 0)
	case kindScope, kindDecimal: // the length counts itself
		return prefixed(b, 0, math.MaxInt32, 12)
	case kindRegex:
		return sizeOfRegex(b)
	default:
		return -1
	}
}

// prefixed returns the number in front of b plus more, if it is from least to most.
func prefixed(b []byte, more, most, least uint32) int {
	if len(b) < 4 {
		return -1
	}
	n := binary.LittleEndian.Uint32(b)
	if n < least || n > most {
		return -1
	}
	return int(n) + int(more)
}

func sizeOfString(b []byte) int {
	n := prefixed(b, 4, math.MaxInt32-4, 1)
	if n < 0 || n > len(b) || b[n-1] != 0 {
		return -1
	}
	return n
}

func sizeOfDocument(b []byte) int {
	n := prefixed(b, 0, math.MaxInt32, 5)
	if n < 0 || n > len(b) || b[n-1] != 0 {
		return -1
	}
	return n
}

func sizeOfRegex(b []byte) int {
	first := bytes.IndexByte(b, 0)
	if first < 0 {
		return -1
	}
	second := bytes.IndexByte(b[first+1:], 0)
	if second < 0 {
		return -1
	}
	return first + second + 2
}

// Bytes returns the bytes of a string or of binary data. It is false for other kinds.
func (e *Element) Bytes() ([]byte, bool) {
	switch e.kind {
	case kindString, kindCode, kindSymbol:
		return e.value[4 : len(e.value)-1], true
	case kindBinary:
		const subtypeOld = 2 // has its length a second time
		if b := e.value[5:]; e.value[4] != subtypeOld || len(b) < 4 {
			return b, true
		}
		return e.value[9:], true
	default:
		return nil, false
	}
}

// Number returns the value of a number. It is false for other kinds.
func (e *Element) Number() (float64, bool) {
	switch e.kind {
	case kindDouble:
		return math.Float64frombits(binary.LittleEndian.Uint64(e.value)), true
	case kindInt32:
		return float64(int32(binary.LittleEndian.Uint32(e.value))), true
	case kindInt64:
		return float64(int64(binary.LittleEndian.Uint64(e.value))), true
	default:
		return 0, false
	}
}

// Int returns the value of an integer. It is false for other kinds.
func (e *Element) Int() (int64, bool) {
	switch e.kind {
	case kindInt32:
		return int64(int32(binary.LittleEndian.Uint32(e.value))), true
	case kindInt64:
		return int64(binary.LittleEndian.Uint64(e.value)), true
	case kindDouble:
		f, _ := e.Number()
		return int64(f), f >= math.MinInt64 && f < math.MaxInt64
	default:
		return 0, false
	}
}

// Bool returns the value of a boolean. It is false for other kinds.
func (e *Element) Bool() (value, is bool) {
	if e.kind != kindBool {
		return false, false
	}
	return e.value[0] != 0, true
}

// Document returns a document or an array. It is false for other kinds.
func (e *Element) Document() (Document, bool) {
	if e.kind != kindDocument && e.kind != kindArray {
		return nil, false
	}
	return Document(e.value), true
}

// IsArray reports whether the element is an array.
func (e *Element) IsArray() bool { return e.kind == kindArray }

// Lookup finds an element by its path.
func (d Document) Lookup(path ...string) (Element, bool) {
	var e Element
	for i, name := range path {
		if i > 0 {
			inner, is := e.Document()
			if !is {
				return Element{}, false
			}
			d = inner
		}
		if !d.find(name, &e) {
			return Element{}, false
		}
	}
	return e, len(path) > 0
}

func (d Document) find(name string, into *Element) bool {
	all := d.Elements()
	for all.Next(into) {
		if string(into.Name) == name {
			return true
		}
	}
	return false
}

// Number returns the number at a path. It is false if there is none.
func (d Document) Number(path ...string) (float64, bool) {
	e, ok := d.Lookup(path...)
	if !ok {
		return 0, false
	}
	return e.Number()
}

// Int returns the integer at a path. It is false if there is none.
func (d Document) Int(path ...string) (int64, bool) {
	e, ok := d.Lookup(path...)
	if !ok {
		return 0, false
	}
	return e.Int()
}

// Text returns the string at a path, or "".
func (d Document) Text(path ...string) string {
	e, ok := d.Lookup(path...)
	if !ok || e.kind != kindString {
		return ""
	}
	b, _ := e.Bytes()
	return string(b)
}

// Bool returns the boolean at a path. It is false if there is none.
func (d Document) Bool(path ...string) (value, is bool) {
	e, ok := d.Lookup(path...)
	if !ok {
		return false, false
	}
	return e.Bool()
}
