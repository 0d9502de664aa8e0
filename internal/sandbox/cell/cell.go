// Package cell is what a table of the sandbox holds: one value at a row, a family, a qualifier and a time, in the order in which HBase
// keeps them.
package cell

import (
	"bytes"
	"cmp"
	"math"
)

// Type says what a cell is. The numbers are those of HBase's protocol.
type Type uint8

// A cell is a value, or a marker that hides older ones. Among cells of one column and one time a marker comes before a value, so
// that it hides it.
const (
	Put                 Type = 4
	Delete              Type = 8  // hides the value of exactly its time
	DeleteFamilyVersion Type = 10 // hides the values of a family of exactly its time
	DeleteColumn        Type = 12 // hides the values of a column up to its time
	DeleteFamily        Type = 14 // hides the values of a family up to its time
)

// Valid tells whether t is one of the types that can be stored.
func (t Type) Valid() bool {
	switch t {
	case Put, Delete, DeleteFamilyVersion, DeleteColumn, DeleteFamily:
		return true
	default:
		return false
	}
}

// IsDelete tells whether t is a marker.
func (t Type) IsDelete() bool { return t != Put }

// Latest in place of a time means "now, by the server's clock" in a mutation.
const Latest = math.MaxInt64

// Cell is one value or marker. Its slices belong to whoever made it; a reader must not change them.
type Cell struct {
	Row, Family, Qualifier []byte
	Timestamp              int64 // milliseconds since 1970
	Type                   Type
	Value                  []byte
}

// overhead is what HBase's own encoding adds to the bytes of a cell: lengths, time and type.
const overhead = 4 + 4 + 2 + 1 + 8 + 1

// Size is how many bytes the cell has in HBase's encoding.
func (c *Cell) Size() int {
	return overhead + len(c.Row) + len(c.Family) + len(c.Qualifier) + len(c.Value)
}

// Compare gives the order in which cells are kept: row, family and qualifier upwards, then time and type downwards.
func Compare(a, b *Cell) int {
	return cmp.Or(
		bytes.Compare(a.Row, b.Row),
		bytes.Compare(a.Family, b.Family),
		bytes.Compare(a.Qualifier, b.Qualifier),
		cmp.Compare(b.Timestamp, a.Timestamp),
		cmp.Compare(b.Type, a.Type),
	)
}

// TimeRange is [Min, Max). With Max zero it has no upper end, so the zero value is all time.
type TimeRange struct{ Min, Max int64 }

// Before tells whether t is earlier than the range.
func (r TimeRange) Before(t int64) bool { return t < r.Min }

// After tells whether t is later than the range.
func (r TimeRange) After(t int64) bool { return r.Max != 0 && r.Max != math.MaxInt64 && t >= r.Max }
