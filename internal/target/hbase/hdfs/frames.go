package hdfs

import (
	"encoding/binary"
	"fmt"
)

// longest is the longest message of a server that is accepted. The client takes memory for all of it as soon as it has the length.
const longest = 1 << 20

// prefix reads the length before a message. Whole is false if the length has more bytes.
type prefix func(head []byte) (length uint64, whole bool)

// ofNamenode reads a length of four bytes.
func ofNamenode(head []byte) (uint64, bool) {
	if len(head) < 4 {
		return 0, false
	}
	return uint64(binary.BigEndian.Uint32(head)), true
}

// ofDatanode reads a length as protobuf has it.
func ofDatanode(head []byte) (uint64, bool) {
	length, n := binary.Uvarint(head)
	return length, n > 0
}

// frames finds the messages in what is received.
type frames struct {
	length prefix
	head   [5]byte
	have   int    // bytes of head
	left   uint64 // bytes of the message
}

// add takes received bytes. It returns an error at the length of a message that is too long.
func (f *frames) add(b []byte) error {
	for len(b) > 0 {
		if f.left > 0 {
			n := min(f.left, uint64(len(b)))
			b, f.left = b[n:], f.left-n
			continue
		}
		f.head[f.have] = b[0]
		b, f.have = b[1:], f.have+1
		length, whole := f.length(f.head[:f.have])
		if !whole && f.have < len(f.head) {
			continue
		}
		if !whole || length > longest {
			return fmt.Errorf("the server announces a message of more than %d bytes; is it one of HDFS?", longest)
		}
		f.have, f.left = 0, length
	}
	return nil
}
