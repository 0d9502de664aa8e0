package store

import "github.com/benchd/benchd/internal/target/hbase/protocol"

// firstChunk is the smallest piece of memory that a Result takes for its cells' bytes.
const firstChunk = 4 << 10

// Result is where a read puts cells. It may be used again and again; Reset, and each use, makes its former cells invalid.
type Result struct {
	Cells []protocol.Cell
	buf   []byte
}

// maxKept bounds the memory that a Result holds on to between uses.
const maxKept = 1 << 20

// Reset makes the result empty and keeps its memory.
func (r *Result) Reset() {
	if cap(r.buf) > maxKept || cap(r.Cells) > maxKept/64 {
		*r = Result{}
		return
	}
	clear(r.Cells)
	r.Cells, r.buf = r.Cells[:0], r.buf[:0]
}

// room makes sure that n bytes fit without moving what is there: cells already taken point into the old piece.
func (r *Result) room(n int) {
	if cap(r.buf)-len(r.buf) < n {
		r.buf = make([]byte, 0, max(firstChunk, 2*cap(r.buf), n))
	}
}

func (r *Result) copy(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	r.room(len(b))
	at := len(r.buf)
	r.buf = append(r.buf, b...)
	return r.buf[at:len(r.buf):len(r.buf)]
}

// take adds a copy of a cell; row is a copy already.
func (r *Result) take(row []byte, c *protocol.Cell) {
	r.room(len(c.Family) + len(c.Qualifier) + len(c.Value))
	r.Cells = append(r.Cells, protocol.Cell{
		Row: row, Family: r.copy(c.Family), Qualifier: r.copy(c.Qualifier), Timestamp: c.Timestamp, Type: c.Type, Value: r.copy(c.Value),
	})
}

// Row is one row, or a part of one, in a page.
type Row struct {
	End  int  // its cells end before this index of the page's; they begin where the row before ends
	More bool // further cells of the same row follow in the next Row
}

// Page is what one call of a scanner gives.
type Page struct {
	Result
	Rows []Row
	// Scanned is how many rows were looked at, Filtered how many of them the filter left nothing of.
	Scanned, Filtered int64
	// Last is the row that was looked at last.
	Last []byte
}

// Reset makes the page empty and keeps its memory.
func (p *Page) Reset() {
	p.Result.Reset()
	p.Rows = p.Rows[:0]
	p.Scanned, p.Filtered = 0, 0
	p.Last = p.Last[:0]
}
