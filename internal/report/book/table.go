package book

// Table is a table of a report.
type Table struct {
	Title   string
	How     string // how its figures were computed, in one line; may be empty
	Columns []Column
	Rows    [][]Cell
	Notes   []string // sentences below the table
}

// Column is a column of a Table.
type Column struct {
	Head      string // as shown, with the unit of the texts if they have none of their own
	Unit      string // of the numbers of its cells, for formats that show numbers and not texts: µs, ops/s, %; may be empty
	Figure    bool   // its cells are figures: aligned to the right
	Names     bool   // its cells are names, which Map leaves alone
	Published bool   // the authors' figures from another cluster, never measured here
	Spare     int    // the importance of the column where there is no room for all: those with the highest number go first; 0 stays
}

// Cell is a value. Text is what a reader sees. Number is set for figures, in the unit of the column.
type Cell struct {
	Text   string
	Number *float64
}

// Text is a cell without a number.
func Text(s string) Cell { return Cell{Text: s} }

// Number is a cell of a figure.
func Number(x float64, text string) Cell { return Cell{Text: text, Number: &x} }
