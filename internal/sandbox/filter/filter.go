// Package filter decides, on the server, which cells a Get or a Scan returns. It has HBase's filters, with HBase's
// names and encoding.
//
//  1. Parse makes a Filter from a request's message; unknown, too deep and too large filters are refused.
//  2. For each row the reader calls Reset, AllRemaining and SkipRow; then FilterCell for each cell that passes the
//     request's own columns, time range and versions.
//  3. The verdict says whether the cell is taken and where to continue; Transform may strip a taken cell.
//  4. At the row's end RowCells and DropRow decide last, for filters that must see all of the row.
//
// A Filter has state and serves one Get or one scanner at a time.
package filter

import "github.com/benchd/benchd/internal/target/hbase/protocol"

// Verdict is FilterCell's decision on a cell.
type Verdict uint8

// The verdicts: whether to take the cell, and where to continue.
const (
	Include           Verdict = iota // take it, continue with the next cell
	IncludeNextColumn                // take it, continue with the next column
	IncludeNextRow                   // take it, skip the rest of the row
	Skip                             // drop it, continue with the next cell
	NextColumn                       // drop it and the column's older versions
	NextRow                          // drop it and the rest of the row
	SeekHint                         // drop it and go to the cell of Hint
)

// Takes reports whether the cell belongs to the answer.
func (v Verdict) Takes() bool { return v <= IncludeNextRow }

// Filter is called by a reader as the package comment describes.
type Filter interface {
	// Reset begins a new row.
	Reset()
	// AllRemaining reports whether no further row or cell can pass.
	AllRemaining() bool
	// SkipRow gets each row's key first; true drops the row.
	SkipRow(row []byte) bool
	// FilterCell decides on a cell.
	FilterCell(c *protocol.Cell) Verdict
	// Transform may change a taken cell before it is copied: it may replace its slices, but not write into them.
	Transform(c *protocol.Cell)
	// Hint follows SeekHint: the first cell that may pass, not before FilterCell's; false if it is unknown.
	Hint(c *protocol.Cell) (protocol.Cell, bool)
	// RowCells may remove cells of a complete row. It returns a prefix of its argument in the same order.
	RowCells(cells []protocol.Cell) []protocol.Cell
	// DropRow reports whether to drop a complete row.
	DropRow() bool
	// WholeRows reports whether RowCells or DropRow matter, so that a row must not be returned in parts.
	WholeRows() bool
	// SetReversed reports that rows come in descending order.
	SetReversed(bool)
}
