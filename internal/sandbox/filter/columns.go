package filter

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

// family passes families whose name matches.
type family struct {
	pass
	condition
}

func (f *family) FilterCell(c *protocol.Cell) Verdict {
	if len(c.Family) > 0 && !f.holds(c.Family) {
		return NextRow // the row of this family
	}
	return Include
}

// qualifier passes columns whose name matches.
type qualifier struct {
	pass
	condition
}

func (f *qualifier) FilterCell(c *protocol.Cell) Verdict {
	if f.holds(c.Qualifier) {
		return Include
	}
	return Skip
}

// columnPrefix passes columns that begin with one of the prefixes, which are sorted.
type columnPrefix struct {
	pass
	prefixes [][]byte
	next     []byte
}

func newColumnPrefix(prefixes ...[]byte) *columnPrefix {
	prefixes = slices.Clone(prefixes)
	slices.SortFunc(prefixes, bytes.Compare)
	return &columnPrefix{prefixes: prefixes}
}

func (f *columnPrefix) FilterCell(c *protocol.Cell) Verdict {
	for _, p := range f.prefixes {
		switch {
		case bytes.HasPrefix(c.Qualifier, p):
			return Include
		case bytes.Compare(c.Qualifier, p) < 0:
			f.next = p
			return SeekHint
		}
	}
	return NextRow
}

func (f *columnPrefix) Hint(c *protocol.Cell) (protocol.Cell, bool) { return columnHint(c, f.next) }

// columnRange passes columns between two names; nil means open.
type columnRange struct {
	pass
	low, high     []byte
	lowIn, highIn bool
}

func (f *columnRange) FilterCell(c *protocol.Cell) Verdict {
	if f.low != nil {
		switch order := bytes.Compare(c.Qualifier, f.low); {
		case order < 0:
			return SeekHint
		case order == 0 && !f.lowIn:
			return NextColumn
		}
	}
	if f.high != nil {
		if order := bytes.Compare(c.Qualifier, f.high); order > 0 || order == 0 && !f.highIn {
			return NextRow
		}
	}
	return Include
}

func (f *columnRange) Hint(c *protocol.Cell) (protocol.Cell, bool) { return columnHint(c, f.low) }

// columnCount ends a Get after a number of columns.
type columnCount struct {
	pass
	limit, count int
}

func (f *columnCount) Reset()             { f.count = 0 }
func (f *columnCount) AllRemaining() bool { return f.count > f.limit }
func (f *columnCount) FilterCell(*protocol.Cell) Verdict {
	f.count++
	if f.count > f.limit {
		return NextColumn
	}
	return IncludeNextColumn
}

// columnPage passes a number of columns of each row, from an offset or from a column on.
type columnPage struct {
	pass
	limit, offset int
	from          []byte
	count         int
}

func (f *columnPage) Reset() { f.count = 0 }
func (f *columnPage) FilterCell(c *protocol.Cell) Verdict {
	if f.from != nil {
		switch {
		case f.count >= f.limit:
			return NextRow
		case f.count == 0 && bytes.Compare(c.Qualifier, f.from) < 0:
			return SeekHint
		}
		f.count++
		return IncludeNextColumn
	}
	if f.count >= f.offset+f.limit {
		return NextRow
	}
	f.count++
	if f.count <= f.offset {
		return NextColumn
	}
	return IncludeNextColumn
}

func (f *columnPage) Hint(c *protocol.Cell) (protocol.Cell, bool) { return columnHint(c, f.from) }

// firstKey passes each row's first cell, or the cells up to the first of the named columns.
type firstKey struct {
	pass
	named [][]byte
	found bool
}

func (f *firstKey) Reset() { f.found = false }
func (f *firstKey) FilterCell(c *protocol.Cell) Verdict {
	if f.found {
		return NextRow
	}
	f.found = f.named == nil || slices.ContainsFunc(f.named, func(q []byte) bool { return bytes.Equal(q, c.Qualifier) })
	return Include
}

// keyOnly removes the values, or replaces them by their lengths.
type keyOnly struct {
	pass
	length bool
}

func (f *keyOnly) Transform(c *protocol.Cell) {
	if f.length {
		c.Value = binary.BigEndian.AppendUint32(nil, uint32(len(c.Value)))
		return
	}
	c.Value = nil
}
