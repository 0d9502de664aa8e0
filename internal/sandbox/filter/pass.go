package filter

import "github.com/benchd/benchd/internal/sandbox/cell"

// pass lets all through; filters embed it and say only where they differ.
type pass struct{}

func (pass) Reset()                                 {}
func (pass) AllRemaining() bool                     { return false }
func (pass) SkipRow([]byte) bool                    { return false }
func (pass) Judge(*cell.Cell) Verdict               { return Include }
func (pass) Transform(*cell.Cell)                   {}
func (pass) Hint(*cell.Cell) (cell.Cell, bool)      { return cell.Cell{}, false }
func (pass) RowCells(cells []cell.Cell) []cell.Cell { return cells }
func (pass) DropRow() bool                          { return false }
func (pass) WholeRows() bool                        { return false }
func (pass) SetReversed(bool)                       {}
func rowHint(row []byte) (cell.Cell, bool)          { return cell.Cell{Row: row, Timestamp: cell.Latest}, true }

func columnHint(c *cell.Cell, q []byte) (cell.Cell, bool) {
	return cell.Cell{Row: c.Row, Family: c.Family, Qualifier: q, Timestamp: cell.Latest}, true
}
