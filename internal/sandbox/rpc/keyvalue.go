package rpc

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/benchd/benchd/internal/sandbox/cell"
)

var errCells = errors.New("malformed block of cells")

// A cell in a block is HBase's KeyValue with its length before it:
//
//	length(4) keyLength(4) valueLength(4) rowLength(2) row familyLength(1) family qualifier time(8) type(1) value
const (
	keyOverhead   = 2 + 1 + 8 + 1
	valueOverhead = 4 + 4 + 4 + keyOverhead
)

// AppendCell appends a cell as blocks of cells hold it.
func AppendCell(b []byte, c *cell.Cell) []byte {
	key := keyOverhead + len(c.Row) + len(c.Family) + len(c.Qualifier)
	b = binary.BigEndian.AppendUint32(b, uint32(8+key+len(c.Value)))
	b = binary.BigEndian.AppendUint32(b, uint32(key))
	b = binary.BigEndian.AppendUint32(b, uint32(len(c.Value)))
	b = binary.BigEndian.AppendUint16(b, uint16(len(c.Row)))
	b = append(b, c.Row...)
	b = append(b, byte(len(c.Family)))
	b = append(b, c.Family...)
	b = append(b, c.Qualifier...)
	b = binary.BigEndian.AppendUint64(b, uint64(c.Timestamp))
	b = append(b, byte(c.Type))
	return append(b, c.Value...)
}

// NextCell reads the cell that a block begins with, and gives the rest of the block. The cell's slices are the block's.
func NextCell(block []byte) (c cell.Cell, rest []byte, err error) {
	if len(block) < 4 {
		return c, nil, errCells
	}
	length := uint64(binary.BigEndian.Uint32(block))
	if length < valueOverhead-4 || length > uint64(len(block)-4) {
		return c, nil, errCells
	}
	kv := block[4 : 4+length]
	key, value := uint64(binary.BigEndian.Uint32(kv)), uint64(binary.BigEndian.Uint32(kv[4:]))
	// Tags would follow the value, with a length of their own; clients send none in this encoding.
	if key < keyOverhead || 8+key+value != length {
		return c, nil, errCells
	}
	k := kv[8 : 8+key]
	row := int(binary.BigEndian.Uint16(k))
	if row+keyOverhead > len(k) {
		return c, nil, errCells
	}
	family := int(k[2+row])
	if row+family+keyOverhead > len(k) {
		return c, nil, errCells
	}
	c.Row = k[2 : 2+row]
	c.Family = k[3+row : 3+row+family]
	c.Qualifier = k[3+row+family : len(k)-9]
	time := binary.BigEndian.Uint64(k[len(k)-9:])
	if time > math.MaxInt64 {
		return c, nil, errCells
	}
	c.Timestamp = int64(time)
	c.Type = cell.Type(k[len(k)-1])
	c.Value = kv[8+key:]
	return c, block[4+length:], nil
}
