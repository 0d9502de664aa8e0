package filter

import (
	"bytes"

	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

// list is the common part of both kinds of lists. Each calls all of its filters, because they have state.
type list struct {
	filters []Filter
	took    []bool // whether each took the last cell
}

func newList(filters []Filter) list { return list{filters, make([]bool, len(filters))} }

func (l *list) Reset() {
	for i, f := range l.filters {
		f.Reset()
		l.took[i] = false
	}
}

func (l *list) Transform(c *protocol.Cell) {
	for i, f := range l.filters {
		if l.took[i] {
			f.Transform(c)
		}
	}
}

func (l *list) RowCells(cells []protocol.Cell) []protocol.Cell {
	for _, f := range l.filters {
		cells = f.RowCells(cells)
	}
	return cells
}

func (l *list) WholeRows() bool {
	for _, f := range l.filters {
		if f.WholeRows() {
			return true
		}
	}
	return false
}

func (l *list) SetReversed(r bool) {
	for _, f := range l.filters {
		f.SetReversed(r)
	}
}

// and passes what all of its filters pass.
type and struct {
	list
	hints []Filter
}

func (f *and) Reset() {
	f.list.Reset()
	f.hints = f.hints[:0]
}

func (f *and) AllRemaining() bool {
	for _, one := range f.filters {
		if one.AllRemaining() {
			return true
		}
	}
	return false
}

func (f *and) SkipRow(row []byte) bool {
	out := false
	for _, one := range f.filters {
		out = one.AllRemaining() || one.SkipRow(row) || out
	}
	return out
}

// reach is how far a verdict leads. An AND list takes the longest step, and takes the cell only if all filters do; an
// OR list takes the shortest.
func reach(v Verdict) int {
	switch v {
	case Include, Skip:
		return 0
	case IncludeNextColumn, NextColumn:
		return 1
	case IncludeNextRow, NextRow:
		return 2
	case SeekHint:
		return 3
	default:
		return 0
	}
}

func verdict(takes bool, reach int) Verdict {
	switch {
	case takes && reach == 0:
		return Include
	case takes && reach == 1:
		return IncludeNextColumn
	case takes:
		return IncludeNextRow
	case reach == 0:
		return Skip
	case reach == 1:
		return NextColumn
	case reach == 2:
		return NextRow
	default:
		return SeekHint
	}
}

func (f *and) FilterCell(c *protocol.Cell) Verdict {
	f.hints = f.hints[:0]
	takes, far := true, 0
	for i, one := range f.filters {
		if one.AllRemaining() {
			return NextRow
		}
		v := one.FilterCell(c)
		f.took[i] = v.Takes()
		takes, far = takes && v.Takes(), max(far, reach(v))
		if v == SeekHint {
			f.hints = append(f.hints, one)
		}
	}
	return verdict(takes, far)
}

// Hint is the farthest of the filters' hints.
func (f *and) Hint(c *protocol.Cell) (far protocol.Cell, ok bool) {
	for _, one := range f.hints {
		if hint, has := one.Hint(c); has && (!ok || protocol.CompareCells(&hint, &far) > 0) {
			far, ok = hint, true
		}
	}
	return far, ok
}

func (f *and) DropRow() bool {
	for _, one := range f.filters {
		if one.DropRow() {
			return true
		}
	}
	return false
}

// or passes what one of its filters passes. It may stop before a filter's target; that filter is then not called again
// until the target.
type or struct {
	list
	before []said
}

// said is a filter's verdict on the last cell that it got.
type said struct {
	verdict           Verdict
	waits             bool // it need not be called for the next cells
	family, qualifier []byte
	hint              protocol.Cell
}

func newOr(filters []Filter) *or {
	return &or{list: newList(filters), before: make([]said, len(filters))}
}

func (f *or) Reset() {
	f.list.Reset()
	for i := range f.before {
		f.before[i].waits = false
	}
}

func (f *or) AllRemaining() bool {
	for _, one := range f.filters {
		if !one.AllRemaining() {
			return false
		}
	}
	return len(f.filters) > 0
}

func (f *or) SkipRow(row []byte) bool {
	out := len(f.filters) > 0
	for _, one := range f.filters {
		if !one.AllRemaining() && !one.SkipRow(row) {
			out = false
		}
	}
	return out
}

func (f *or) FilterCell(c *protocol.Cell) Verdict {
	if len(f.filters) == 0 {
		return Include
	}
	takes, near, asked := false, 3, false
	for i, one := range f.filters {
		f.took[i] = false
		if one.AllRemaining() {
			continue
		}
		asked = true
		v := f.before[i].still(c)
		if !f.before[i].waits {
			v = one.FilterCell(c)
			f.before[i].note(v, c, one)
		}
		f.took[i] = v.Takes()
		takes, near = takes || v.Takes(), min(near, reach(v))
		if v == SeekHint && f.mixed() {
			near = 0
		}
	}
	if !asked {
		return Skip
	}
	return verdict(takes, near)
}

// mixed reports that one filter's hint does not say how far all filters lead.
func (f *or) mixed() bool { return len(f.filters) > 1 }

func (f *or) Hint(c *protocol.Cell) (protocol.Cell, bool) {
	if len(f.filters) == 1 {
		return f.filters[0].Hint(c)
	}
	return protocol.Cell{}, false
}

func (f *or) DropRow() bool {
	for _, one := range f.filters {
		if !one.DropRow() {
			return false
		}
	}
	return len(f.filters) > 0
}

// note keeps a filter's verdict if it holds for the next cells.
func (s *said) note(v Verdict, c *protocol.Cell, by Filter) {
	s.verdict, s.waits = v, reach(v) > 0
	if !s.waits {
		return
	}
	s.family = append(s.family[:0], c.Family...)
	s.qualifier = append(s.qualifier[:0], c.Qualifier...)
	if v == SeekHint {
		s.hint, s.waits = by.Hint(c)
		if len(s.hint.Family) > 0 {
			s.hint.Family = s.family // c's own slice will be reused
		}
	}
}

// still returns the verdict if it also holds for c; otherwise it ends the waiting.
func (s *said) still(c *protocol.Cell) Verdict {
	if !s.waits {
		return Skip
	}
	switch reach(s.verdict) {
	case 1:
		s.waits = bytes.Equal(c.Family, s.family) && bytes.Equal(c.Qualifier, s.qualifier)
		return NextColumn
	case 2:
		s.waits = bytes.Equal(c.Family, s.family)
		return NextRow
	default:
		s.waits = protocol.CompareCells(c, &s.hint) < 0
		return SeekHint
	}
}
