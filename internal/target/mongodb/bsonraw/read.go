package bsonraw

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
)

// ErrMalformed means that bytes are not BSON.
var ErrMalformed = errors.New("the server's answer is not valid BSON")

// shortest is the length of an empty document.
const shortest = 5

// Element is an element of a document. Its slices are parts of the document.
type Element struct {
	Kind  byte
	Name  []byte
	Value []byte // without its length, if it has one, and without the final zero of a string
}

// Reader reads the elements of a document or an array in order.
type Reader struct{ rest []byte }

// NewReader begins to read a document.
func NewReader(document []byte) (Reader, error) {
	if len(document) < shortest {
		return Reader{}, ErrMalformed
	}
	n := binary.LittleEndian.Uint32(document)
	if uint64(n) > uint64(len(document)) || n < shortest || document[n-1] != 0 {
		return Reader{}, ErrMalformed
	}
	return Reader{document[4 : n-1]}, nil
}

// Next returns the next element. Ok is false after the last one.
func (r *Reader) Next() (e Element, ok bool, err error) {
	if len(r.rest) == 0 {
		return Element{}, false, nil
	}
	end := bytes.IndexByte(r.rest[1:], 0)
	if end < 0 {
		return Element{}, false, ErrMalformed
	}
	e.Kind, e.Name = r.rest[0], r.rest[1:1+end]
	body := r.rest[2+end:]
	skip, from, to, valid := extent(e.Kind, body)
	if !valid {
		return Element{}, false, ErrMalformed
	}
	e.Value, r.rest = body[from:to], body[skip:]
	return e, true, nil
}

// extent returns how many bytes the value of an element has, and which of them are in Element.Value.
func extent(kind byte, b []byte) (skip, from, to int, valid bool) {
	switch kind {
	case TypeDouble, TypeInt64, 0x09, 0x11: // and dates and timestamps
		return fixed(b, 8)
	case TypeInt32:
		return fixed(b, 4)
	case TypeBool:
		return fixed(b, 1)
	case 0x06, 0x0A, 0x7F, 0xFF: // undefined, null, the greatest and the least key
		return fixed(b, 0)
	case 0x07: // the id of an object
		return fixed(b, 12)
	case 0x13: // decimal
		return fixed(b, 16)
	case 0x0B: // a regular expression
		first := bytes.IndexByte(b, 0)
		if first < 0 {
			return 0, 0, 0, false
		}
		second := bytes.IndexByte(b[first+1:], 0)
		return first + second + 2, 0, first, second >= 0
	}
	return measured(kind, b)
}

func fixed(b []byte, n int) (skip, from, to int, valid bool) { return n, 0, n, len(b) >= n }

// measured returns the extent of a value that begins with its length.
func measured(kind byte, b []byte) (skip, from, to int, valid bool) {
	const word = 4
	if len(b) < word {
		return 0, 0, 0, false
	}
	n := int(min(binary.LittleEndian.Uint32(b), math.MaxInt32))
	switch kind {
	case TypeString, 0x0D, 0x0E: // and code and symbols
		end := word + n
		return end, word, end - 1, n >= 1 && end <= len(b) && b[end-1] == 0
	case TypeDocument, TypeArray:
		return n, 0, n, n >= shortest && n <= len(b) && b[n-1] == 0
	case TypeBinary:
		end := word + 1 + n
		return end, word + 1, end, end <= len(b)
	case 0x0C: // a pointer
		end := word + n + 12
		return end, 0, end, n >= 1 && end <= len(b)
	case 0x0F: // code with its scope
		return n, 0, n, n >= word && n <= len(b)
	}
	return 0, 0, 0, false
}

// Number returns a number of any type; ok is false for other values.
func (e Element) Number() (n int64, ok bool) {
	switch e.Kind {
	case TypeInt32:
		return int64(int32(binary.LittleEndian.Uint32(e.Value))), true
	case TypeInt64:
		return int64(binary.LittleEndian.Uint64(e.Value)), true
	case TypeDouble:
		return int64(math.Float64frombits(binary.LittleEndian.Uint64(e.Value))), true
	}
	return 0, false
}

// Find returns the element with a name. It is the zero Element if there is none.
func Find(document []byte, name string) (Element, error) {
	r, err := NewReader(document)
	if err != nil {
		return Element{}, err
	}
	for {
		e, ok, err := r.Next()
		if err != nil || !ok {
			return Element{}, err
		}
		if string(e.Name) == name {
			return e, nil
		}
	}
}

// Count returns the number with a name, such as n in the answer to a write; 0 if there is none.
func Count(document []byte, name string) (int64, error) {
	e, err := Find(document, name)
	n, _ := e.Number()
	return n, err
}

// FirstBatch returns the documents of the answer to find, as a reader.
func FirstBatch(answer []byte) (Reader, error) {
	cursor, err := Find(answer, "cursor")
	if err != nil || cursor.Kind != TypeDocument {
		return Reader{}, ErrMalformed
	}
	batch, err := Find(cursor.Value, "firstBatch")
	if err != nil || batch.Kind != TypeArray {
		return Reader{}, ErrMalformed
	}
	return NewReader(batch.Value)
}
