package filter

import (
	"bytes"
	"slices"

	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

// value passes cells whose value matches the condition.
type value struct {
	pass
	condition
}

func (f *value) FilterCell(c *protocol.Cell) Verdict {
	if f.holds(c.Value) {
		return Include
	}
	return Skip
}

// columnValue passes the cells of one column whose value matches.
type columnValue struct {
	pass
	condition
	family, qualifier []byte
	found             bool
}

func (f *columnValue) Reset() { f.found = false }
func (f *columnValue) FilterCell(c *protocol.Cell) Verdict {
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

// singleColumn passes rows in which the value of one column matches.
type singleColumn struct {
	pass
	condition
	family, qualifier []byte
	ifMissing         bool // drop rows without the column
	latestOnly        bool // check only the latest version
	exclude           bool // remove the column itself
	found, matched    bool
}

func (f *singleColumn) is(c *protocol.Cell) bool {
	return bytes.Equal(c.Family, f.family) && bytes.Equal(c.Qualifier, f.qualifier)
}

func (f *singleColumn) Reset()        { f.found, f.matched = false, false }
func (*singleColumn) WholeRows() bool { return true }
func (f *singleColumn) FilterCell(c *protocol.Cell) Verdict {
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

// dependent passes cells whose timestamp equals that of one of a column's values in the same row.
type dependent struct {
	pass
	condition         *condition // on those values; nil for none
	family, qualifier []byte
	drop              bool // remove the column itself
	at                []int64
}

func (f *dependent) Reset()        { f.at = f.at[:0] }
func (*dependent) WholeRows() bool { return true }
func (f *dependent) FilterCell(c *protocol.Cell) Verdict {
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

// times passes cells with the given timestamps, which are sorted.
type times struct {
	pass
	at []int64
}

func (f *times) FilterCell(c *protocol.Cell) Verdict {
	if _, found := slices.BinarySearch(f.at, c.Timestamp); found {
		return Include
	}
	if len(f.at) == 0 || c.Timestamp < f.at[0] {
		return NextColumn
	}
	return Skip
}

// skip drops each row that has a cell which does not pass.
type skip struct {
	Filter
	out bool
}

func (*skip) WholeRows() bool { return true }

// As in HBase, the inner filter is not called for the row's key, nor for AllRemaining.
func (*skip) SkipRow([]byte) bool { return false }
func (*skip) AllRemaining() bool  { return false }
func (f *skip) DropRow() bool     { return f.out }
func (f *skip) Reset() {
	f.Filter.Reset()
	f.out = false
}

func (f *skip) FilterCell(c *protocol.Cell) Verdict {
	v := f.Filter.FilterCell(c)
	f.out = f.out || v != Include
	return v
}

// whileMatch ends the scan at the first row or cell that does not pass.
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

func (f *whileMatch) FilterCell(c *protocol.Cell) Verdict {
	v := f.Filter.FilterCell(c)
	f.over = f.over || v != Include
	return v
}

func (f *whileMatch) DropRow() bool {
	out := f.Filter.DropRow()
	f.over = f.over || out
	return out
}
