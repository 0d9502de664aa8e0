package hbase

import (
	"encoding/binary"
	"errors"
	"math"
)

// What a cell does, as KeyValue's types are numbered.
const (
	typePut          = 4
	cellOverhead     = 4 + 4 + 4 + 2 + 1 + 8 + 1
	latest           = math.MaxInt64 // lets the server set the time
	mostQualifier    = 1<<31 - 1
	keyOverhead      = 2 + 1 + 8 + 1
	longestKey       = 1<<15 - 1
	longestCellBytes = 256 << 20
)

var errCell = errors.New("a cell of the answer is cut short")

// appendCell appends a cell as KeyValueCodec has them.
func appendCell(out, row, family, qualifier, value []byte) []byte {
	key := keyOverhead + len(row) + len(family) + len(qualifier)
	out = binary.BigEndian.AppendUint32(out, uint32(8+key+len(value)))
	out = binary.BigEndian.AppendUint32(out, uint32(key))
	out = binary.BigEndian.AppendUint32(out, uint32(len(value)))
	out = binary.BigEndian.AppendUint16(out, uint16(len(row)))
	out = append(out, row...)
	out = append(out, byte(len(family)))
	out = append(out, family...)
	out = append(out, qualifier...)
	out = binary.BigEndian.AppendUint64(out, latest)
	out = append(out, typePut)
	return append(out, value...)
}

// cell is one that was read. Its slices are the answer's.
type cell struct {
	row, family, qualifier, value []byte
}

// nextCell reads the cell that b begins with.
func nextCell(b []byte, c *cell) (rest []byte, err error) {
	if len(b) < 4 {
		return nil, errCell
	}
	whole := int(binary.BigEndian.Uint32(b))
	b = b[4:]
	if whole > len(b) || whole < 8 {
		return nil, errCell
	}
	body, rest := b[:whole], b[whole:]
	key, value := int(binary.BigEndian.Uint32(body)), int(binary.BigEndian.Uint32(body[4:]))
	body = body[8:]
	// What stands behind the value are tags, which nobody here reads.
	if key < keyOverhead || key > len(body) || value > len(body)-key {
		return nil, errCell
	}
	k := body[:key]
	c.value = body[key : key+value]
	row := int(binary.BigEndian.Uint16(k))
	if row > key-keyOverhead {
		return nil, errCell
	}
	c.row, k = k[2:2+row], k[2+row:]
	family := int(k[0])
	if family > len(k)-10 {
		return nil, errCell
	}
	c.family, c.qualifier = k[1:1+family], k[1+family:len(k)-9]
	return rest, nil
}
