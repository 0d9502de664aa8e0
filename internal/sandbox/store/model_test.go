package store_test

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/benchd/benchd/internal/sandbox/filter"
	"github.com/benchd/benchd/internal/sandbox/store"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

// kept is a cell as the model keeps it.
type kept struct {
	protocol.Cell
	ttl time.Duration
}

// model implements HBase's semantics in the simplest way: one slice of all writes, which every read scans completely.
type model struct {
	families []store.Family
	cells    []kept
	now      int64
}

// write adds a cell. It replaces one of the same column, timestamp and type.
func (m *model) write(c protocol.Cell, ttl time.Duration) {
	if c.Type != protocol.TypePut {
		c.Value = nil
	}
	m.cells = slices.DeleteFunc(m.cells, func(o kept) bool { return protocol.CompareCells(&o.Cell, &c) == 0 })
	m.cells = append(m.cells, kept{c, ttl})
	slices.SortFunc(m.cells, func(a, b kept) int { return protocol.CompareCells(&a.Cell, &b.Cell) })
}

// hides reports whether a marker hides a value.
func hides(marker, value *protocol.Cell) bool {
	if !bytes.Equal(marker.Row, value.Row) || !bytes.Equal(marker.Family, value.Family) {
		return false
	}
	column := bytes.Equal(marker.Qualifier, value.Qualifier)
	switch marker.Type {
	case protocol.TypeDeleteFamily:
		return value.Timestamp <= marker.Timestamp
	case protocol.TypeDeleteFamilyVersion:
		return value.Timestamp == marker.Timestamp
	case protocol.TypeDeleteColumn:
		return column && value.Timestamp <= marker.Timestamp
	case protocol.TypeDelete:
		return column && value.Timestamp == marker.Timestamp
	default:
		return false
	}
}

// live returns the values of a row that a family's settings keep, in order.
func (m *model) live(row []byte, times protocol.TimeRange) (all []protocol.Cell) {
	count := map[string]int{}
	for _, v := range m.cells {
		if !bytes.Equal(v.Row, row) || v.Type != protocol.TypePut {
			continue
		}
		at := slices.IndexFunc(m.families, func(f store.Family) bool { return f.Name == string(v.Family) })
		if at < 0 || slices.ContainsFunc(m.cells, func(o kept) bool { return hides(&o.Cell, &v.Cell) }) {
			continue
		}
		f := m.families[at]
		if v.ttl > 0 && v.Timestamp < m.now-v.ttl.Milliseconds() || times.Before(v.Timestamp) || times.After(v.Timestamp) {
			continue
		}
		column := fmt.Sprintf("%s:%x", v.Family, v.Qualifier)
		old := f.TTL > 0 && v.Timestamp < m.now-f.TTL.Milliseconds()
		if count[column] >= f.MaxVersions || old && count[column] >= f.MinVersions {
			continue
		}
		count[column]++
		all = append(all, v.Cell)
	}
	return all
}

func wants(columns []store.Columns, c *protocol.Cell) bool {
	if len(columns) == 0 {
		return true
	}
	return slices.ContainsFunc(columns, func(o store.Columns) bool {
		return o.Family == string(c.Family) &&
			(len(o.Qualifiers) == 0 || slices.ContainsFunc(o.Qualifiers, func(q []byte) bool { return bytes.Equal(q, c.Qualifier) }))
	})
}

// read returns the result for a row. The filter already has the row's key.
func (m *model) read(row []byte, r *store.Read) []protocol.Cell {
	var all []protocol.Cell
	versions, given := map[string]int{}, map[string]int{}
	doneFamily, doneColumn := "", ""
	var hint *protocol.Cell
	for _, c := range m.live(row, r.Times) {
		column := fmt.Sprintf("%s:%x", c.Family, c.Qualifier)
		if !wants(r.Columns, &c) || doneFamily == string(c.Family) || doneColumn == column || hint != nil && protocol.CompareCells(&c, hint) < 0 {
			continue
		}
		verdict := filter.Include
		if r.Filter != nil {
			verdict = r.Filter.FilterCell(&c)
		}
		switch verdict {
		case filter.NextRow, filter.IncludeNextRow:
			doneFamily = string(c.Family)
		case filter.NextColumn, filter.IncludeNextColumn:
			doneColumn = column
		case filter.SeekHint:
			if h, ok := r.Filter.Hint(&c); ok {
				hint = &h
			}
		case filter.Include, filter.Skip:
		}
		if !verdict.Takes() {
			continue
		}
		versions[column]++
		if versions[column] > max(r.MaxVersions, 1) {
			doneColumn = column
			continue
		}
		given[string(c.Family)]++
		switch n := given[string(c.Family)]; {
		case n <= r.Offset:
			continue
		case r.Limit > 0 && n > r.Offset+r.Limit:
			doneFamily = string(c.Family)
			continue
		}
		if r.Filter != nil {
			r.Filter.Transform(&c)
		}
		all = append(all, c)
	}
	return all
}

// rows returns all nonempty rows, in order.
func (m *model) rows() (all [][]byte) {
	for _, c := range m.cells {
		if len(all) == 0 || !bytes.Equal(all[len(all)-1], c.Row) {
			all = append(all, c.Row)
		}
	}
	return all
}

// scan returns the result of a scan of one region, row by row.
func (m *model) scan(r *store.RegionInfo, s *store.Scan) (all [][]protocol.Cell) {
	rows := m.rows()
	first, last, firstOut, lastOut := s.Start, s.Stop, s.StartExcluded, !s.StopIncluded
	if s.Reversed {
		slices.Reverse(rows)
		first, last, firstOut, lastOut = last, first, lastOut, firstOut
		if s.Filter != nil {
			s.Filter.SetReversed(true)
		}
	}
	for _, row := range rows {
		if !r.Contains(row) ||
			len(first) > 0 && (bytes.Compare(row, first) < 0 || firstOut && bytes.Equal(row, first)) ||
			len(last) > 0 && (bytes.Compare(row, last) > 0 || lastOut && bytes.Equal(row, last)) {
			continue
		}
		cells := m.filtered(row, &s.Read)
		if cells == nil && s.Filter != nil && s.Filter.AllRemaining() {
			break
		}
		if len(cells) > 0 {
			all = append(all, cells)
		}
	}
	return all
}

// filtered applies the filter's row decisions.
func (m *model) filtered(row []byte, r *store.Read) []protocol.Cell {
	if r.Filter == nil {
		return m.read(row, r)
	}
	r.Filter.Reset()
	if r.Filter.AllRemaining() || r.Filter.SkipRow(row) {
		return nil
	}
	cells := r.Filter.RowCells(m.read(row, r))
	if len(cells) > 0 && r.Filter.DropRow() {
		return nil
	}
	return cells
}

// compact removes invisible cells, and the markers, from a region's rows.
func (m *model) compact(r *store.RegionInfo) {
	live := map[string]bool{}
	for _, row := range m.rows() {
		for _, c := range m.live(row, protocol.TimeRange{}) {
			live[show(&c)] = true
		}
	}
	m.cells = slices.DeleteFunc(m.cells, func(c kept) bool { return r.Contains(c.Row) && !live[show(&c.Cell)] })
}

func show(c *protocol.Cell) string {
	return fmt.Sprintf("%x/%s:%x/%d/%d=%x", c.Row, c.Family, c.Qualifier, c.Timestamp, c.Type, c.Value)
}

func shown(cells []protocol.Cell) []string {
	all := make([]string, 0, len(cells))
	for i := range cells {
		all = append(all, show(&cells[i]))
	}
	return all
}

func showRows(rows [][]protocol.Cell) []string {
	var all []string
	for _, r := range rows {
		all = append(all, shown(r)...)
	}
	return all
}
