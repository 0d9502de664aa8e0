package protocol

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"math"
)

// CellType is the type of a cell. The numbers are those of HBase's protocol.
type CellType uint8

// A cell is a value, or a marker that hides older values. A marker sorts before a value of the same column and time, and hides
// it.
const (
	TypePut                 CellType = 4
	TypeDelete              CellType = 8  // hides the value of exactly its time
	TypeDeleteFamilyVersion CellType = 10 // hides the values of a family of exactly its time
	TypeDeleteColumn        CellType = 12 // hides the values of a column up to its time
	TypeDeleteFamily        CellType = 14 // hides the values of a family up to its time
)

// Valid reports whether t is one of the types that can be stored.
func (t CellType) Valid() bool {
	switch t {
	case TypePut, TypeDelete, TypeDeleteFamilyVersion, TypeDeleteColumn, TypeDeleteFamily:
		return true
	default:
		return false
	}
}

// IsDelete reports whether t is a marker.
func (t CellType) IsDelete() bool { return t != TypePut }

// LatestTimestamp in a mutation means "now, by the server's clock".
const LatestTimestamp = math.MaxInt64

// Cell is one value or marker. Its slices belong to the code that made it; a reader must not change them.
type Cell struct {
	Row, Family, Qualifier []byte
	Timestamp              int64 // milliseconds since 1970
	Type                   CellType
	Value                  []byte
}

// A cell in a block is HBase's KeyValue with its length before it:
//
//	length(4) keyLength(4) valueLength(4) rowLength(2) row familyLength(1) family qualifier time(8) type(1) value
const (
	// Prefix is the length of the length before a cell.
	Prefix = 4

	lengthOverhead = 4 + 4         // the lengths of key and value
	keyOverhead    = 2 + 1 + 8 + 1 // of a key beside row, family and qualifier
	keyTail        = 8 + 1         // time and type
)

// Size returns the length of the cell in HBase's encoding, without the length prefix.
func (c *Cell) Size() int {
	return lengthOverhead + keyOverhead + len(c.Row) + len(c.Family) + len(c.Qualifier) + len(c.Value)
}

// CompareCells orders cells as HBase stores them: by ascending row, family and qualifier, then by descending time and type.
func CompareCells(a, b *Cell) int {
	return cmp.Or(
		bytes.Compare(a.Row, b.Row),
		bytes.Compare(a.Family, b.Family),
		bytes.Compare(a.Qualifier, b.Qualifier),
		cmp.Compare(b.Timestamp, a.Timestamp),
		cmp.Compare(b.Type, a.Type),
	)
}

// TimeRange is [Min, Max). A Max of zero means no upper bound, so the zero value is all time.
type TimeRange struct{ Min, Max int64 }

// Before reports whether t is earlier than the range.
func (r TimeRange) Before(t int64) bool { return t < r.Min }

// After reports whether t is later than the range.
func (r TimeRange) After(t int64) bool { return r.Max != 0 && r.Max != math.MaxInt64 && t >= r.Max }

// AppendCell appends a cell as HBase's KeyValueCodec writes it.
func AppendCell(block []byte, c *Cell) []byte {
	key := keyOverhead + len(c.Row) + len(c.Family) + len(c.Qualifier)
	block = binary.BigEndian.AppendUint32(block, uint32(lengthOverhead+key+len(c.Value)))
	block = binary.BigEndian.AppendUint32(block, uint32(key))
	block = binary.BigEndian.AppendUint32(block, uint32(len(c.Value)))
	block = binary.BigEndian.AppendUint16(block, uint16(len(c.Row)))
	block = append(block, c.Row...)
	block = append(block, byte(len(c.Family)))
	block = append(block, c.Family...)
	block = append(block, c.Qualifier...)
	block = binary.BigEndian.AppendUint64(block, uint64(c.Timestamp))
	block = append(block, byte(c.Type))
	return append(block, c.Value...)
}

// ErrCell is the error of a block whose next cell is truncated.
var ErrCell = errors.New("truncated cell in the answer")

// NextCell reads the first cell of a block into c, and returns the rest of the block. The cell's slices are slices of the block.
// Tags, which may follow the value, are skipped: the block then shrinks by more than c.Size and the length prefix.
func NextCell(block []byte, c *Cell) (rest []byte, err error) {
	if len(block) < 4 {
		return nil, ErrCell
	}
	size := uint64(binary.BigEndian.Uint32(block))
	block = block[4:]
	if size < lengthOverhead || size > uint64(len(block)) {
		return nil, ErrCell
	}
	body, rest := block[:size], block[size:]
	keySize, valueSize := uint64(binary.BigEndian.Uint32(body)), uint64(binary.BigEndian.Uint32(body[4:]))
	body = body[lengthOverhead:]
	if keySize < keyOverhead || keySize > uint64(len(body)) || valueSize > uint64(len(body))-keySize {
		return nil, ErrCell
	}
	key := body[:keySize]
	row := int(binary.BigEndian.Uint16(key))
	if row > len(key)-keyOverhead {
		return nil, ErrCell
	}
	family := int(key[2+row])
	if family > len(key)-keyOverhead-row {
		return nil, ErrCell
	}
	qualifier, tail := 3+row+family, len(key)-keyTail
	c.Row, c.Family, c.Qualifier = key[2:2+row], key[3+row:qualifier], key[qualifier:tail]
	c.Timestamp = int64(binary.BigEndian.Uint64(key[tail:]))
	c.Type = CellType(key[len(key)-1])
	c.Value = body[keySize : keySize+valueSize]
	return rest, nil
}
