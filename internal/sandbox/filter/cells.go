package filter

import (
	"bytes"
	"slices"

	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

// value lets cells through whose value compares.
type value struct {
	pass
	condition
}

func (f *value) Judge(c *protocol.Cell) Verdict {
	if f.holds(c.Value) {
		return Include
	}
	return Skip
}

// columnValue lets a column's cells through whose value compares, and no other column.
type columnValue struct {
	pass
	condition
	family, qualifier []byte
	found             bool
}

func (f *columnValue) Reset() { f.found = false }
func (f *columnValue) Judge(c *protocol.Cell) Verdict {
	if !bytes.Equal(c.Family, f.family) || !bytes.Equal(c.Qualifier, f.qualifier) {
		if f.found {
			return NextRow
		}
		return NextColumn
	}
	f.found = true
	if f.holds(c.Value) {
		return Include
	}
	return Skip
}

// singleColumn lets rows through that have a value in one column which compares.
type singleColumn struct {
	pass
	condition
	family, qualifier []byte
	ifMissing         bool // leave out rows without the column
	latestOnly        bool // look at the latest version alone
	exclude           bool // take the column itself away
	found, matched    bool
}

func (f *singleColumn) is(c *protocol.Cell) bool {
	return bytes.Equal(c.Family, f.family) && bytes.Equal(c.Qualifier, f.qualifier)
}

func (f *singleColumn) Reset()        { f.found, f.matched = false, false }
func (*singleColumn) WholeRows() bool { return true }
func (f *singleColumn) Judge(c *protocol.Cell) Verdict {
	switch {
	case f.matched:
		return Include
	case f.latestOnly && f.found:
		return NextRow
	case !f.is(c):
		return Include
	}
	f.found = true
	if f.holds(c.Value) {
		f.matched = true
		return Include
	}
	if f.latestOnly {
		return NextRow
	}
	return Include
}

func (f *singleColumn) DropRow() bool {
	if f.found {
		return !f.matched
	}
	return f.ifMissing
}

func (f *singleColumn) RowCells(cells []protocol.Cell) []protocol.Cell {
	if !f.exclude {
		return cells
	}
	return slices.DeleteFunc(cells, func(c protocol.Cell) bool { return f.is(&c) })
}

// dependent lets cells through whose times are those of a column's values in the same row.
type dependent struct {
	pass
	condition         *condition // of those values; nil for none
	family, qualifier []byte
	drop              bool // take the column itself away
	at                []int64
}

func (f *dependent) Reset()        { f.at = f.at[:0] }
func (*dependent) WholeRows() bool { return true }
func (f *dependent) Judge(c *protocol.Cell) Verdict {
	if !bytes.Equal(c.Family, f.family) || !bytes.Equal(c.Qualifier, f.qualifier) {
		return Include
	}
	if f.condition != nil && !f.condition.holds(c.Value) {
		return Skip
	}
	f.at = append(f.at, c.Timestamp)
	if f.drop {
		return Skip
	}
	return Include
}

func (f *dependent) RowCells(cells []protocol.Cell) []protocol.Cell {
	return slices.DeleteFunc(cells, func(c protocol.Cell) bool { return !slices.Contains(f.at, c.Timestamp) })
}

// times lets cells of given times, which are sorted, through.
type times struct {
	pass
	at []int64
}

func (f *times) Judge(c *protocol.Cell) Verdict {
	if _, found := slices.BinarySearch(f.at, c.Timestamp); found {
		return Include
	}
	if len(f.at) == 0 || c.Timestamp < f.at[0] {
		return NextColumn
	}
	return Skip
}

// skip leaves out each row of which a cell does not pass.
type skip struct {
	Filter
	out bool
}

func (*skip) WholeRows() bool { return true }

// As in HBase, the filter inside is not asked of the row's key, nor whether it has had enough.
func (*skip) SkipRow([]byte) bool { return false }
func (*skip) AllRemaining() bool  { return false }
func (f *skip) DropRow() bool     { return f.out }
func (f *skip) Reset() {
	f.Filter.Reset()
	f.out = false
}

func (f *skip) Judge(c *protocol.Cell) Verdict {
	v := f.Filter.Judge(c)
	f.out = f.out || v != Include
	return v
}

// whileMatch ends with the first row or cell that does not pass.
type whileMatch struct {
	Filter
	over bool
}

func (*whileMatch) WholeRows() bool      { return true }
func (f *whileMatch) AllRemaining() bool { return f.over || f.Filter.AllRemaining() }
func (f *whileMatch) SkipRow(row []byte) bool {
	if f.AllRemaining() {
		return true
	}
	out := f.Filter.SkipRow(row)
	f.over = f.over || out
	return out
}

func (f *whileMatch) Judge(c *protocol.Cell) Verdict {
	v := f.Filter.Judge(c)
	f.over = f.over || v != Include
	return v
}

func (f *whileMatch) DropRow() bool {
	out := f.Filter.DropRow()
	f.over = f.over || out
	return out
}
