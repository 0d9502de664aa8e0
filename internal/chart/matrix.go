package chart

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
)

// A matrix has at most mostColumns columns, and mostCells cells: one for each agent in each column.
const (
	mostColumns = 120
	mostCells   = 1000 * mostColumns
)

// p99 is the percentile of a cell.
const p99 = 0.99

// Matrix counts what each agent does in each column of time, as windows come. Its columns become longer as the run does. It is safe for
// concurrent use.
type Matrix struct {
	mu      sync.Mutex
	columns int    // maximum number
	need    uint64 // operations of a percentile
	level   int    // of the ladder of Times
	unit    time.Duration
	grid    Grid
	rows    map[rowKey]*row
}

// Grid is the content of a Matrix.
type Grid struct {
	Step   time.Duration // length of a column
	Phases []GridPhase   // in the order of their first windows
}

// GridPhase has the columns of a phase.
type GridPhase struct {
	Name    string
	Columns int
	Rows    []GridRow
}

// GridRow has the cells of a shard's attempt. Columns behind them have no window of it.
type GridRow struct {
	Shard, Attempt int
	Cells          []Cell
}

// Cell is what an agent did in a column.
type Cell struct {
	Ops  uint64
	Time time.Duration // of its windows; 0 without one
	P99  time.Duration // of its good operations, or the highest of several stretches; 0 if there are too few
}

type rowKey struct {
	phase          string
	shard, attempt int
}

// row is a row whose newest columns may still get windows.
type row struct {
	cells []Cell
	open  [2]openCell
}

// openCell has the good operations of a column.
type openCell struct {
	column int
	good   *latency.Sparse // nil for none
}

// NewMatrix returns an empty matrix for a run of some agents and of an expected length, which is 0 if it is unknown.
func NewMatrix(agents int, interval, length time.Duration) *Matrix {
	m := &Matrix{columns: Columns(agents), need: latency.MinSamples(p99), unit: max(interval, time.Millisecond), rows: make(map[rowKey]*row)}
	m.grid.Step = m.unit
	for point := result.PointLength(m.unit, length); m.grid.Step < result.ColumnLength(point, length, m.columns); {
		m.level++
		m.grid.Step = time.Duration(Times(m.level)) * m.unit
	}
	return m
}

// Columns is how many columns a matrix of some agents has at most.
func Columns(agents int) int { return min(max(mostCells/max(agents, 1), 1), mostColumns) }

// Add adds a window. What came after the planned end does not count, as for throughput.
func (m *Matrix) Add(w *latency.Window) error {
	if w.Tail || w.Start < 0 {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.room(w.ID.Phase, w.Start)
	key := rowKey{w.ID.Phase, w.ID.Shard, w.ID.Attempt}
	r := m.rows[key]
	if r == nil {
		r = new(row)
		m.rows[key] = r
	}
	column := int(w.Start / m.grid.Step)
	for len(r.cells) <= column {
		r.cells = append(r.cells, Cell{})
	}
	c := &r.cells[column]
	c.Ops += latency.Ops(w.Series)
	c.Time += w.End - w.Start
	o := &r.open[column%2]
	late := o.good != nil && o.column > column || r.open[1-column%2].good != nil && r.open[1-column%2].column > column+1
	if late {
		o = new(openCell)
	}
	if o.good == nil || o.column != column {
		r.close(o, m.need)
		*o = openCell{column, new(latency.Sparse)}
	}
	for i := range w.Series {
		if s := &w.Series[i]; s.Key.PartOf == "" && result.Good(s.Key.Outcome) {
			if err := o.good.Merge(s.Response); err != nil {
				return err
			}
		}
	}
	if late {
		r.close(o, m.need)
	}
	return nil
}

// close completes a column of a row. Its percentile needs so many operations.
func (r *row) close(o *openCell, need uint64) {
	if o.good == nil {
		return
	}
	if o.good.Count() >= need {
		c := &r.cells[o.column]
		o.good.Read(func(sum *latency.Histogram) { c.P99 = max(c.P99, time.Duration(sum.Quantile(p99))) })
	}
	*o = openCell{}
}

// Settle completes all columns, which takes their histograms out of memory: no more windows are expected.
func (m *Matrix) Settle() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.settle()
}

// settle is Settle for a caller that holds m.mu.
func (m *Matrix) settle() {
	for _, r := range m.rows {
		for i := range r.open {
			r.close(&r.open[i], m.need)
		}
	}
}

// room makes a column for a time of a phase. It merges columns if there would be too many of them.
func (m *Matrix) room(phase string, start time.Duration) {
	i := slices.IndexFunc(m.grid.Phases, func(p GridPhase) bool { return p.Name == phase })
	if i < 0 {
		i = len(m.grid.Phases)
		m.grid.Phases = append(m.grid.Phases, GridPhase{Name: phase})
	}
	for {
		m.grid.Phases[i].Columns = max(m.grid.Phases[i].Columns, int(start/m.grid.Step)+1)
		total := 0
		for _, p := range m.grid.Phases {
			total += p.Columns
		}
		if total <= max(m.columns, len(m.grid.Phases)) {
			return
		}
		m.widen()
	}
}

// widen merges the columns into longer ones.
func (m *Matrix) widen() {
	before := Times(m.level)
	for m.level++; Times(m.level)%before != 0; {
		m.level++
	}
	factor := int(Times(m.level) / before)
	m.grid.Step = time.Duration(Times(m.level)) * m.unit
	for i := range m.grid.Phases {
		m.grid.Phases[i].Columns = (m.grid.Phases[i].Columns + factor - 1) / factor
	}
	m.settle()
	for _, r := range m.rows {
		r.cells = merged(r.cells, factor)
	}
}

// merged merges each so many cells.
func merged(cells []Cell, factor int) []Cell {
	out := make([]Cell, (len(cells)+factor-1)/factor)
	for i, c := range cells {
		to := &out[i/factor]
		to.Ops, to.Time, to.P99 = to.Ops+c.Ops, to.Time+c.Time, max(to.P99, c.P99)
	}
	return out
}

// Grid returns the content.
func (m *Matrix) Grid() Grid {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := Grid{Step: m.grid.Step, Phases: slices.Clone(m.grid.Phases)}
	keys := slices.SortedFunc(maps.Keys(m.rows), func(a, b rowKey) int {
		return cmp.Or(cmp.Compare(a.shard, b.shard), cmp.Compare(a.attempt, b.attempt))
	})
	for _, key := range keys {
		r := m.rows[key]
		shown := row{cells: slices.Clone(r.cells)}
		for _, o := range r.open {
			shown.close(&o, m.need)
		}
		i := slices.IndexFunc(out.Phases, func(p GridPhase) bool { return p.Name == key.phase })
		out.Phases[i].Rows = append(out.Phases[i].Rows, GridRow{key.shard, key.attempt, shown.cells})
	}
	return out
}
