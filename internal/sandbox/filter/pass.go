package filter

import "github.com/benchd/benchd/internal/target/hbase/protocol"

// pass passes everything; filters embed it and override the methods in which they differ.
type pass struct{}

func (pass) Reset()                                         {}
func (pass) AllRemaining() bool                             { return false }
func (pass) SkipRow([]byte) bool                            { return false }
func (pass) FilterCell(*protocol.Cell) Verdict              { return Include }
func (pass) Transform(*protocol.Cell)                       {}
func (pass) Hint(*protocol.Cell) (protocol.Cell, bool)      { return protocol.Cell{}, false }
func (pass) RowCells(cells []protocol.Cell) []protocol.Cell { return cells }
func (pass) DropRow() bool                                  { return false }
func (pass) WholeRows() bool                                { return false }
func (pass) SetReversed(bool)                               {}
func rowHint(row []byte) (protocol.Cell, bool) {
	return protocol.Cell{Row: row, Timestamp: protocol.LatestTimestamp}, true
}

func columnHint(c *protocol.Cell, q []byte) (protocol.Cell, bool) {
	return protocol.Cell{Row: c.Row, Family: c.Family, Qualifier: q, Timestamp: protocol.LatestTimestamp}, true
}
