package wire

import (
	"encoding/binary"
	"errors"
)

// Message is a request under construction. Its memory serves the next request, too. The zero value is ready for use.
type Message struct {
	b    []byte
	open [mostNested]int // where the unfinished documents begin
	n    int
}

// mostNested is how deep documents of a request are nested.
const mostNested = 8

// ErrTooLong is the error of a request that exceeds the limit of servers.
var ErrTooLong = errors.New("the request exceeds 512 MiB, the limit of SequoiaDB")

// keptMemory is how much memory a connection keeps after a large request or reply.
const keptMemory = 1 << 20

// begin starts a message with room for its header.
func (m *Message) begin(op uint32) {
	if cap(m.b) > keptMemory {
		m.b = nil
	}
	var header [headerSize]byte
	m.b = append(m.b[:0], header[:]...)
	binary.LittleEndian.PutUint32(m.b[4:], op)
	m.n = 0
}

// body appends the fields with which the bodies of inserts, updates, deletes and queries begin.
func (m *Message) body(op, flags uint32, name int) {
	m.begin(op)
	m.b = binary.LittleEndian.AppendUint32(m.b, 1) // version
	m.b = binary.LittleEndian.AppendUint32(m.b, 0) // w and padding
	m.b = binary.LittleEndian.AppendUint32(m.b, flags)
	m.b = binary.LittleEndian.AppendUint32(m.b, uint32(name))
}

// name appends a name with its NUL.
func (m *Message) name(name string) {
	m.b = append(append(m.b, name...), 0)
	m.pad()
}

// pad fills the message with zeros to a multiple of four bytes.
func (m *Message) pad() {
	for len(m.b)%4 != 0 {
		m.b = append(m.b, 0)
	}
}

// Insert begins an insert into a collection. The documents follow.
func (m *Message) Insert(collection string, flags uint32) {
	m.body(opInsert, flags, len(collection))
	m.name(collection)
}

// Update begins an update. Three documents follow: matcher, modifier, hint.
func (m *Message) Update(collection string, flags uint32) {
	m.body(opUpdate, flags, len(collection))
	m.name(collection)
}

// Delete begins a delete. Two documents follow: matcher, hint.
func (m *Message) Delete(collection string, flags uint32) {
	m.body(opDelete, flags, len(collection))
	m.name(collection)
}

// Query begins a query of a collection, or a command, whose name begins with $. Four documents follow: matcher, selector, order,
// hint. A limit of -1 is none.
func (m *Message) Query(name string, flags uint32, skip, limit int64) {
	m.body(opQuery, flags, len(name))
	m.b = binary.LittleEndian.AppendUint64(m.b, uint64(skip))
	m.b = binary.LittleEndian.AppendUint64(m.b, uint64(limit))
	m.name(name)
}

// GetMore asks for the next documents of a context; -1 is as many as the server likes.
func (m *Message) GetMore(context int64, documents int32) {
	m.begin(opGetMore)
	m.b = binary.LittleEndian.AppendUint64(m.b, uint64(context))
	m.b = binary.LittleEndian.AppendUint32(m.b, uint32(documents))
}

// Kill closes a context.
func (m *Message) Kill(context int64) {
	m.begin(opKill)
	m.b = binary.LittleEndian.AppendUint32(m.b, 0)
	m.b = binary.LittleEndian.AppendUint32(m.b, 1)
	m.b = binary.LittleEndian.AppendUint64(m.b, uint64(context))
}

// finish completes the header.
func (m *Message) finish(request uint64) error {
	if len(m.b) > mostRequest {
		return ErrTooLong
	}
	binary.LittleEndian.PutUint32(m.b, uint32(len(m.b)))
	binary.LittleEndian.PutUint64(m.b[headerSize-8:], request)
	return nil
}

// op returns the message's operation.
func (m *Message) op() uint32 { return binary.LittleEndian.Uint32(m.b[4:]) }

// Len returns the length of the message so far.
func (m *Message) Len() int { return len(m.b) }

// Begin opens a document.
func (m *Message) Begin() {
	m.open[m.n] = len(m.b)
	m.n++
	m.b = append(m.b, 0, 0, 0, 0)
}

// BeginDocument opens a document within a document.
func (m *Message) BeginDocument(name string) {
	m.element(kindDocument, name)
	m.Begin()
}

// BeginArray opens an array within a document. The names of its elements are their numbers.
func (m *Message) BeginArray(name string) {
	m.element(kindArray, name)
	m.Begin()
}

// End closes the document or array that was opened last.
func (m *Message) End() {
	m.n--
	at := m.open[m.n]
	m.b = append(m.b, 0)
	binary.LittleEndian.PutUint32(m.b[at:], uint32(len(m.b)-at))
	if m.n == 0 {
		m.pad()
	}
}

// Empty appends an empty document.
func (m *Message) Empty() {
	m.Begin()
	m.End()
}

// element appends the kind and the name of an element.
func (m *Message) element(kind byte, name string) {
	m.b = append(append(append(m.b, kind), name...), 0)
}

// Text appends a string.
func (m *Message) Text(name, value string) {
	m.element(kindString, name)
	m.b = binary.LittleEndian.AppendUint32(m.b, uint32(len(value)+1))
	m.b = append(append(m.b, value...), 0)
}

// Key appends a string that the caller has as bytes.
func (m *Message) Key(name string, value []byte) {
	m.element(kindString, name)
	m.b = binary.LittleEndian.AppendUint32(m.b, uint32(len(value)+1))
	m.b = append(append(m.b, value...), 0)
}

// Item appends a string to an array at an index.
func (m *Message) Item(index int, value []byte) {
	m.b = append(m.b, kindString)
	m.b = append(appendIndex(m.b, index), 0)
	m.b = binary.LittleEndian.AppendUint32(m.b, uint32(len(value)+1))
	m.b = append(append(m.b, value...), 0)
}

// appendIndex appends a number in decimal.
func appendIndex(b []byte, n int) []byte {
	if n >= 10 {
		b = appendIndex(b, n/10)
	}
	return append(b, byte('0'+n%10))
}

// Binary appends bytes under a name that the caller has as bytes, too.
func (m *Message) Binary(name, value []byte) {
	m.b = append(append(append(m.b, kindBinary), name...), 0)
	m.b = binary.LittleEndian.AppendUint32(m.b, uint32(len(value)))
	m.b = append(append(m.b, 0), value...) // the generic subtype
}

// Int32 appends a number.
func (m *Message) Int32(name string, value int32) {
	m.element(kindInt32, name)
	m.b = binary.LittleEndian.AppendUint32(m.b, uint32(value))
}

// Int64 appends a number under a name that the caller has as bytes.
func (m *Message) Int64(name []byte, value int64) {
	m.b = append(append(append(m.b, kindInt64), name...), 0)
	m.b = binary.LittleEndian.AppendUint64(m.b, uint64(value))
}

// Bool appends a boolean.
func (m *Message) Bool(name string, value bool) {
	m.element(kindBool, name)
	b := byte(0)
	if value {
		b = 1
	}
	m.b = append(m.b, b)
}

// Field appends a name with an empty string: the form of a selector for one field, or of a hint.
func (m *Message) Field(name []byte) {
	m.b = append(append(append(m.b, kindString), name...), 0)
	m.b = append(m.b, 1, 0, 0, 0, 0)
}

// Exists appends the condition that a document has a field.
func (m *Message) Exists(name []byte) {
	m.b = append(append(append(m.b, kindDocument), name...), 0)
	m.Begin()
	m.Int32("$exists", 1)
	m.End()
}
