package filter

import (
	"bytes"
	"math/rand/v2"
	"slices"

	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

// all drops every row.
type all struct{ pass }

func (all) AllRemaining() bool                { return true }
func (all) SkipRow([]byte) bool               { return true }
func (all) FilterCell(*protocol.Cell) Verdict { return NextRow }

// page passes a number of rows that still have a cell after all filters.
type page struct {
	pass
	size, rows int64
}

func (f *page) AllRemaining() bool { return f.rows >= f.size }
func (*page) WholeRows() bool      { return true }
func (f *page) DropRow() bool {
	f.rows++
	return f.rows > f.size
}

// prefix passes rows that begin with it.
type prefix struct {
	pass
	prefix   []byte
	reversed bool
	out      bool // the row does not begin with it
	over     bool // no later row can
}

func (f *prefix) SetReversed(r bool) { f.reversed = r }
func (f *prefix) Reset()             { f.out = true }
func (f *prefix) AllRemaining() bool { return f.over }
func (f *prefix) SkipRow(row []byte) bool {
	order := bytes.Compare(row[:min(len(row), len(f.prefix))], f.prefix)
	if f.reversed {
		order = -order
	}
	f.over = f.over || order > 0
	f.out = order != 0
	return f.out
}

func (f *prefix) FilterCell(*protocol.Cell) Verdict {
	if f.out {
		return NextRow
	}
	return Include
}

// row passes rows whose key matches.
type row struct {
	pass
	condition
	out bool
}

func (f *row) Reset() { f.out = false }
func (f *row) SkipRow(key []byte) bool {
	f.out = f.out || !f.holds(key)
	return f.out
}

func (f *row) FilterCell(*protocol.Cell) Verdict {
	if f.out {
		return NextRow
	}
	return Include
}

// inclusiveStop ends the scan after its row.
type inclusiveStop struct {
	pass
	stop     []byte
	reversed bool
	over     bool
}

func (f *inclusiveStop) SetReversed(r bool) { f.reversed = r }
func (f *inclusiveStop) AllRemaining() bool { return f.over }
func (f *inclusiveStop) SkipRow(row []byte) bool {
	if f.stop == nil {
		return false
	}
	order := bytes.Compare(row, f.stop)
	if f.reversed {
		order = -order
	}
	f.over = order > 0
	return f.over
}

func (f *inclusiveStop) FilterCell(*protocol.Cell) Verdict {
	if f.over {
		return NextRow
	}
	return Include
}

// random passes each row with a probability.
type random struct {
	pass
	chance float32
	out    bool
}

func (f *random) Reset()        { f.out = false }
func (*random) WholeRows() bool { return true }
func (f *random) DropRow() bool { return f.out }
func (f *random) SkipRow([]byte) bool {
	f.out = f.chance <= 0 || f.chance <= 1 && rand.Float32() >= f.chance
	return f.out
}

func (f *random) FilterCell(*protocol.Cell) Verdict {
	if f.out {
		return NextRow
	}
	return Include
}

// span is a range of rows; an empty stop means open.
type span struct {
	start, stop     []byte
	startIn, stopIn bool
}

func (s *span) starts(row []byte) bool {
	order := bytes.Compare(row, s.start)
	return order > 0 || order == 0 && s.startIn
}

func (s *span) ended(row []byte) bool {
	if len(s.stop) == 0 {
		return false
	}
	order := bytes.Compare(row, s.stop)
	return order > 0 || order == 0 && !s.stopIn
}

// ranges passes rows of several ranges, sorted by their starts; they may overlap.
type ranges struct {
	pass
	spans    []span
	reversed bool
	next     int // the first range that starts after the row
	in, over bool
}

func newRanges(spans []span) *ranges {
	slices.SortStableFunc(spans, func(a, b span) int { return bytes.Compare(a.start, b.start) })
	return &ranges{spans: spans}
}

func (f *ranges) SetReversed(r bool) { f.reversed = r }
func (f *ranges) AllRemaining() bool { return f.over }
func (f *ranges) SkipRow(row []byte) bool {
	f.in, f.next = false, len(f.spans)
	for i := range f.spans {
		if !f.spans[i].starts(row) {
			f.next = i
			break
		}
		f.in = f.in || !f.spans[i].ended(row)
	}
	if !f.in {
		f.over = !f.reversed && f.next == len(f.spans) || f.reversed && f.next == 0
	}
	return f.over
}

func (f *ranges) FilterCell(c *protocol.Cell) Verdict {
	switch {
	case f.in:
		return Include
	case f.over || f.reversed || bytes.Equal(f.spans[f.next].start, c.Row):
		return NextRow
	default:
		return SeekHint
	}
}

func (f *ranges) Hint(*protocol.Cell) (protocol.Cell, bool) { return rowHint(f.spans[f.next].start) }

// fuzzyKey is a pattern: bytes that must match, except where any is set.
type fuzzyKey struct {
	key []byte
	any []bool
}

func (k *fuzzyKey) fits(row []byte) bool {
	if len(row) < len(k.key) {
		return false
	}
	for i, b := range k.key {
		if !k.any[i] && row[i] != b {
			return false
		}
	}
	return true
}

// fuzzy passes rows that match one of its patterns.
type fuzzy struct {
	pass
	keys []fuzzyKey
}

func (f *fuzzy) FilterCell(c *protocol.Cell) Verdict {
	for i := range f.keys {
		if f.keys[i].fits(c.Row) {
			return Include
		}
	}
	return NextRow
}
