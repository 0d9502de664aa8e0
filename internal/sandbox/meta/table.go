package meta

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/benchd/benchd/internal/sandbox/filter"
	"github.com/benchd/benchd/internal/sandbox/store"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

// The names of hbase:meta and its one region.
const (
	Name        = "hbase:meta"
	RegionName  = "hbase:meta,,1"
	EncodedName = "1588230740"
)

// row is one row; its cells are sorted and never change.
type row struct {
	key   []byte
	cells []protocol.Cell
}

// Table is hbase:meta. It may be read concurrently.
type Table struct {
	mu    sync.Mutex
	rows  atomic.Pointer[[]row] // sorted; replaced as a whole by each change
	reads atomic.Int64
}

// New makes an empty table.
func New() *Table {
	t := &Table{}
	t.rows.Store(&[]row{})
	return t
}

// Reads is the number of rows read.
func (t *Table) Reads() int64 { return t.reads.Load() }

// Update writes and removes rows in one change.
func (t *Table) Update(put []Row, remove ...[]byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	rows := slices.Clone(*t.rows.Load())
	for _, key := range remove {
		if i, found := find(rows, key); found {
			rows = slices.Delete(rows, i, i+1)
		}
	}
	for _, p := range put {
		r := row{p.Key, p.cells()}
		i, found := find(rows, p.Key)
		if found {
			rows[i] = r
		} else {
			rows = slices.Insert(rows, i, r)
		}
	}
	t.rows.Store(&rows)
}

func find(rows []row, key []byte) (int, bool) {
	return slices.BinarySearchFunc(rows, key, func(r row, key []byte) int { return compare(r.key, key) })
}

// Get reads a row.
func (t *Table) Get(g *store.Get, out *store.Result) error {
	out.Reset()
	if err := known(g.Columns); err != nil {
		return err
	}
	t.reads.Add(1)
	rows := *t.rows.Load()
	i, found := find(rows, g.Row)
	if !found {
		return nil
	}
	if g.Filter != nil {
		g.Filter.Reset()
		if g.Filter.AllRemaining() || g.Filter.SkipRow(g.Row) {
			return nil
		}
	}
	out.Cells = pick(out.Cells, &rows[i], &g.Read)
	return nil
}

func known(columns []store.Columns) error {
	for _, c := range columns {
		if c.Family != infoFamily && c.Family != tableFamily && !slices.Contains(emptyFamilies, c.Family) {
			return fmt.Errorf("%w: %s has no column family %s", store.ErrNoFamily, Name, c.Family)
		}
	}
	return nil
}

// pick appends the cells of a row that a read selects.
func pick(dst []protocol.Cell, r *row, read *store.Read) []protocol.Cell {
	before := len(dst)
	for i := range r.cells {
		c := r.cells[i]
		if !wanted(&c, read) {
			continue
		}
		if read.Filter != nil {
			verdict := read.Filter.FilterCell(&c)
			if verdict.Takes() {
				read.Filter.Transform(&c)
				dst = append(dst, c)
			}
			if verdict == filter.NextRow || verdict == filter.IncludeNextRow {
				break
			}
			continue
		}
		dst = append(dst, c)
	}
	if read.Filter != nil {
		dst = dst[:before+len(read.Filter.RowCells(dst[before:]))]
		if read.Filter.DropRow() {
			dst = dst[:before]
		}
	}
	return dst
}

func wanted(c *protocol.Cell, read *store.Read) bool {
	if read.Times.Before(c.Timestamp) || read.Times.After(c.Timestamp) {
		return false
	}
	if len(read.Columns) == 0 {
		return true
	}
	return slices.ContainsFunc(read.Columns, func(want store.Columns) bool {
		return want.Family == string(c.Family) && (len(want.Qualifiers) == 0 ||
			slices.ContainsFunc(want.Qualifiers, func(q []byte) bool { return string(q) == string(c.Qualifier) }))
	})
}

// Scanner reads rows page by page, as they were when it was opened.
type Scanner struct {
	table *Table
	scan  store.Scan

	mu   sync.Mutex
	rows []row // remaining rows, in the order of the scan
}

// Scan opens a scanner. It does not split rows: they are short.
func (t *Table) Scan(scan store.Scan) (*Scanner, error) {
	if err := known(scan.Columns); err != nil {
		return nil, err
	}
	rows := *t.rows.Load()
	first, last := scan.Start, scan.Stop
	firstIn, lastIn := !scan.StartExcluded, scan.StopIncluded
	if scan.Reversed {
		first, last, firstIn, lastIn = last, first, lastIn, firstIn
	}
	low, high := 0, len(rows)
	if len(first) > 0 {
		low = edge(rows, first, !firstIn)
	}
	if len(last) > 0 {
		high = edge(rows, last, lastIn)
	}
	s := &Scanner{table: t, scan: scan}
	if low < high {
		s.rows = slices.Clone(rows[low:high])
	}
	if scan.Reversed {
		slices.Reverse(s.rows)
	}
	if scan.Filter != nil {
		scan.Filter.SetReversed(scan.Reversed)
	}
	return s, nil
}

// edge is the index of the first row at or after key, or after it.
func edge(rows []row, key []byte, behind bool) int {
	i, found := find(rows, key)
	if found && behind {
		i++
	}
	return i
}

// Next returns the next page, and whether there may be more.
func (s *Scanner) Next(l store.Limits, out *store.Page) (more bool, err error) {
	out.Reset()
	s.mu.Lock()
	defer s.mu.Unlock()
	size := 0
	for len(s.rows) > 0 {
		if l.Rows > 0 && len(out.Rows) >= l.Rows || l.Bytes > 0 && size >= l.Bytes || late(l.Until) {
			return true, nil
		}
		if f := s.scan.Filter; f != nil {
			f.Reset()
			if f.AllRemaining() {
				s.rows = nil
				return false, nil
			}
			if f.SkipRow(s.rows[0].key) {
				s.rows = s.rows[1:]
				continue
			}
		}
		before := len(out.Cells)
		out.Cells = pick(out.Cells, &s.rows[0], &s.scan.Read)
		s.rows = s.rows[1:]
		s.table.reads.Add(1)
		if len(out.Cells) == before {
			continue
		}
		for i := before; i < len(out.Cells); i++ {
			size += out.Cells[i].Size()
		}
		out.Rows = append(out.Rows, store.Row{End: len(out.Cells)})
	}
	return false, nil
}

func late(until time.Time) bool { return !until.IsZero() && time.Now().After(until) }

// Close ends the scanner.
func (s *Scanner) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows = nil
	return nil
}
