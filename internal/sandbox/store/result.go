package store

import "github.com/benchd/benchd/internal/target/hbase/protocol"

// firstChunk is the smallest allocation of a Result for its cells' bytes.
const firstChunk = 4 << 10

// Result receives the cells of a read. It can be reused; Reset, and each use, invalidates its former cells.
type Result struct {
	Cells []protocol.Cell
	buf   []byte
}

// maxKept bounds the memory that a Result keeps between uses.
const maxKept = 1 << 20

// Reset empties the result and keeps its memory.
func (r *Result) Reset() {
	if cap(r.buf) > maxKept || cap(r.Cells) > maxKept/64 {
		*r = Result{}
		return
	}
	clear(r.Cells)
	r.Cells, r.buf = r.Cells[:0], r.buf[:0]
}

// room makes space for n bytes without moving existing ones: cells already taken point into the old chunk.
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
	End  int  // index after its last cell in the page; its cells begin at the previous row's End
	More bool // the next Row has further cells of the same row
}

// Page is the result of one call of a scanner.
type Page struct {
	Result
	Rows []Row
	// Scanned is the number of rows read, Filtered the number of them that the filter dropped.
	Scanned, Filtered int64
	// Last is the last row that was read.
	Last []byte
}

// Reset empties the page and keeps its memory.
func (p *Page) Reset() {
	p.Result.Reset()
	p.Rows = p.Rows[:0]
	p.Scanned, p.Filtered = 0, 0
	p.Last = p.Last[:0]
}
