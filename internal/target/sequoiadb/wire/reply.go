package wire

import (
	"encoding/binary"
)

// Reply is the answer to a message. Its documents are valid until the connection's next call.
type Reply struct {
	Context   int64 // of further documents, or NoContext
	Flag      int32
	documents []byte
	left      int32 // documents that Next has not returned
}

// Next returns the next document. It is false at the end.
func (r *Reply) Next() (d Document, ok bool, err error) {
	if r.left <= 0 {
		return nil, false, nil
	}
	d, err = documentOf(r.documents)
	if err != nil {
		r.left = 0
		return nil, false, malformed("a reply lacks a document that it counts")
	}
	r.left--
	r.documents = r.documents[min((len(d)+3)&^3, len(r.documents)):]
	return d, true, nil
}

// parse reads a reply to a message of an operation.
func (r *Reply) parse(b []byte, op uint32) error {
	if len(b) < headerSize+replySize {
		return malformed("a reply of %d bytes", len(b))
	}
	if got := binary.LittleEndian.Uint32(b[4:]); got != op|replyBit {
		return malformed("a reply of operation %d to operation %d", got&^replyBit, op)
	}
	body := b[headerSize:]
	r.Context = int64(binary.LittleEndian.Uint64(body))
	r.Flag = int32(binary.LittleEndian.Uint32(body[8:]))
	r.left = int32(binary.LittleEndian.Uint32(body[16:]))
	r.documents = body[replySize:]
	if r.Flag != 0 && r.left <= 0 && len(r.documents) > 0 {
		r.left = 1 // an error counts no documents and has one
	}
	return nil
}
