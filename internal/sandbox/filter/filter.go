// Package filter decides, on the server, which cells a Get or a Scan returns. It has HBase's filters, by HBase's names and in HBase's
// encoding.
//
//  1. Parse makes a Filter of the message that a request carries; what is unknown, too deep or too large is refused there.
//  2. For each row the reader calls Reset, AllRemaining and SkipRow; then Judge for each cell that the request's own columns, times
//     and versions let pass.
//  3. The verdict says whether the cell is taken and where to go on; Transform may strip a cell that was taken.
//  4. At the row's end RowCells and DropRow have the last word, for filters that need to have seen all of the row.
//
// A Filter has state and serves one Get, or one scanner, at a time.
package filter

import "github.com/benchd/benchd/internal/target/hbase/protocol"

// Verdict is what Judge decides on a cell.
type Verdict uint8

// The verdicts: take the cell or not, and where to look next.
const (
	Include           Verdict = iota // take it, go on with the next cell
	IncludeNextColumn                // take it, go on with the next column
	IncludeNextRow                   // take it and none after it in this row
	Skip                             // leave it, go on with the next cell
	NextColumn                       // leave it and the column's older versions
	NextRow                          // leave it and the rest of the row
	SeekHint                         // leave it and go to where Hint says
)

// Takes reports whether the cell belongs to the answer.
func (v Verdict) Takes() bool { return v <= IncludeNextRow }

// Filter is what a reader asks. See the package for when.
type Filter interface {
	// Reset begins a new row.
	Reset()
	// AllRemaining says that no further row or cell can pass.
	AllRemaining() bool
	// SkipRow is given each row's key first; true leaves the row out.
	SkipRow(row []byte) bool
	// Judge decides on a cell.
	Judge(c *protocol.Cell) Verdict
	// Transform may change a cell that was taken, before it is copied: it may replace its slices, not write into them.
	Transform(c *protocol.Cell)
	// Hint follows SeekHint: the first cell that may pass, not before the one given to Judge; false when it is not known.
	Hint(c *protocol.Cell) (protocol.Cell, bool)
	// RowCells may remove cells of the row that is at its end. It returns a prefix of what it was given, reordered never.
	RowCells(cells []protocol.Cell) []protocol.Cell
	// DropRow leaves out the whole row that is at its end.
	DropRow() bool
	// WholeRows says that RowCells or DropRow matter, so that a row must not be returned in parts.
	WholeRows() bool
	// SetReversed says that rows come in descending order.
	SetReversed(bool)
}
