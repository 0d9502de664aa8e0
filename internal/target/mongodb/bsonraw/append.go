// Package bsonraw encodes commands of MongoDB and reads their answers as bytes, without an allocation for each element.
package bsonraw

import (
	"encoding/binary"
	"strconv"
)

// The types of elements that are written or read.
const (
	TypeDouble   = 0x01
	TypeString   = 0x02
	TypeDocument = 0x03
	TypeArray    = 0x04
	TypeBinary   = 0x05
	TypeBool     = 0x08
	TypeInt32    = 0x10
	TypeInt64    = 0x12
)

// Text is the name of a field, or a string.
type Text interface{ ~string | ~[]byte }

// key appends the type and the name of an element.
func key[T Text](b []byte, kind byte, name T) []byte {
	b = append(b, kind)
	b = append(b, name...)
	return append(b, 0)
}

// Begin begins a document that is not an element, and returns where it begins, for End.
func Begin(b []byte) ([]byte, int) {
	return append(b, 0, 0, 0, 0), len(b)
}

// Document begins an element that is a document.
func Document[T Text](b []byte, name T) ([]byte, int) {
	return Begin(key(b, TypeDocument, name))
}

// Array begins an element that is an array.
func Array[T Text](b []byte, name T) ([]byte, int) {
	return Begin(key(b, TypeArray, name))
}

// at appends the type and the name of an element of an array, which is its index.
func at(b []byte, kind byte, index int) []byte {
	return append(strconv.AppendInt(append(b, kind), int64(index), 10), 0)
}

// DocumentAt begins an element of an array that is a document.
func DocumentAt(b []byte, index int) ([]byte, int) {
	return Begin(at(b, TypeDocument, index))
}

// StringAt appends an element of an array that is a string.
func StringAt[T Text](b []byte, index int, value T) []byte {
	return text(at(b, TypeString, index), value)
}

// End ends the document or array that began there.
func End(b []byte, begin int) []byte {
	b = append(b, 0)
	binary.LittleEndian.PutUint32(b[begin:], uint32(len(b)-begin))
	return b
}

// String appends an element that is a string.
func String[N, V Text](b []byte, name N, value V) []byte {
	return text(key(b, TypeString, name), value)
}

func text[T Text](b []byte, value T) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(value)+1))
	b = append(b, value...)
	return append(b, 0)
}

// Binary appends an element that is binary, of the generic subtype.
func Binary[T Text](b []byte, name T, value []byte) []byte {
	b = binary.LittleEndian.AppendUint32(key(b, TypeBinary, name), uint32(len(value)))
	b = append(b, 0)
	return append(b, value...)
}

// Int32 appends a number.
func Int32[T Text](b []byte, name T, value int32) []byte {
	return binary.LittleEndian.AppendUint32(key(b, TypeInt32, name), uint32(value))
}

// Int64 appends a number.
func Int64[T Text](b []byte, name T, value int64) []byte {
	return binary.LittleEndian.AppendUint64(key(b, TypeInt64, name), uint64(value))
}

// Bool appends a truth.
func Bool[T Text](b []byte, name T, value bool) []byte {
	b = key(b, TypeBool, name)
	if value {
		return append(b, 1)
	}
	return append(b, 0)
}

// Raw appends an element that is an encoded document.
func Raw[T Text](b []byte, name T, document []byte) []byte {
	return append(key(b, TypeDocument, name), document...)
}
