package draw

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
)

// The size of a heat map.
const (
	mostColumns = 200
	mostRows    = 40
	perDecade   = 20 // rows of a decade while counting; they are joined until there are at most mostRows
	decades     = 10 // from 1 ns on; latency.Highest is within them, and what is longer counts in the last row
	firstDecade = -3 // as a power of ten of a microsecond
	fineRows    = perDecade * decades
)

// columns are the columns of the heat maps of a phase: a number of its intervals each.
type columns struct {
	width float64 // seconds
	n     int
}

func newColumns(p *result.Phase) columns {
	usual, end := 0.0, 0.0
	for i := range p.Series {
		usual = max(usual, p.Series[i].Seconds)
		end = max(end, p.Series[i].T)
	}
	if usual <= 0 {
		return columns{width: max(p.Seconds, 1), n: 1}
	}
	intervals := int(math.Floor(end/usual+1e-6)) + 1
	times := (intervals + mostColumns - 1) / mostColumns
	return columns{width: usual * float64(times), n: (intervals + times - 1) / times}
}

// column is the column of an interval that begins at a time.
func (c columns) column(seconds float64) int {
	return min(max(int(math.Floor(seconds/c.width+1e-6)), 0), c.n-1)
}

// counts has the number of operations of each column and row.
type counts struct {
	columns map[int]*[fineRows]uint64
	bounds  []int64 // upper bounds of the rows, in nanoseconds
}

func (c *counts) add(column int, h *latency.Histogram) {
	if c.columns == nil {
		c.columns, c.bounds = make(map[int]*[fineRows]uint64), rowBounds()
	}
	rows := c.columns[column]
	if rows == nil {
		rows = new([fineRows]uint64)
		c.columns[column] = rows
	}
	row := -1
	for value, n := range h.Buckets {
		if row < 0 {
			row = sort.Search(fineRows-1, func(i int) bool { return value < c.bounds[i] })
		}
		for row < fineRows-1 && value >= c.bounds[row] {
			row++
		}
		rows[row] += n
	}
	rows[fineRows-1] += h.Overflow()
}

func rowBounds() []int64 {
	out := make([]int64, fineRows)
	for i := range out {
		out[i] = int64(math.Ceil(rowBound(i+1) * 1000))
	}
	return out
}

// rowBound is the lower bound of a row in microseconds.
func rowBound(i int) float64 { return math.Pow(10, firstDecade+float64(i)/perDecade) }

// plus adds other counts.
func (c *counts) plus(o *counts) {
	if c.columns == nil {
		c.columns = make(map[int]*[fineRows]uint64)
	}
	for column, rows := range o.columns {
		if c.columns[column] == nil {
			c.columns[column] = new([fineRows]uint64)
		}
		for i, n := range rows {
			c.columns[column][i] += n
		}
	}
}

// heat makes the heat map, with rows as fine as there is room for, and none beyond the first and the last operation.
func (c *counts) heat(cols columns) *book.Heat {
	first, last := fineRows, -1
	for _, rows := range c.columns {
		for i, n := range rows {
			if n > 0 {
				first, last = min(first, i), max(last, i)
			}
		}
	}
	if last < 0 {
		return nil
	}
	join := 1
	for _, n := range []int{1, 2, 4, 5, 10, 20} {
		if join = n; last/n-first/n+1 <= mostRows {
			break
		}
	}
	from, to := first/join, last/join+1
	heat := &book.Heat{Counts: make([][]uint64, cols.n)}
	for i := from; i <= to; i++ {
		heat.Y = append(heat.Y, roundedTo(rowBound(i*join), 4))
	}
	for i := range cols.n + 1 {
		heat.X = append(heat.X, rounded(float64(i)*cols.width))
	}
	for column := range heat.Counts {
		heat.Counts[column] = make([]uint64, to-from)
		if rows := c.columns[column]; rows != nil {
			for i := first; i <= last; i++ {
				heat.Counts[column][i/join-from] += rows[i]
			}
		}
	}
	return heat
}

// roundedTo is x with a number of significant digits.
func roundedTo(x float64, digits int) float64 {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return x
	}
	unit := math.Pow(10, math.Floor(math.Log10(math.Abs(x)))-float64(digits-1))
	return math.Round(x/unit) * unit
}

// density are the heat maps of the main phase: all operations together and, if there are several, one by one.
func density(l *timeline, h *Histograms) []book.Chart {
	if h == nil {
		return nil
	}
	chart := func(title string, c *counts) book.Chart {
		out := l.chart(title, "Colour: how many operations that succeeded took so long, of all agents together. Rows are equal factors of response time.", responseAxis())
		out.Kind, out.Heat = book.Density, c.heat(h.columns)
		return out
	}
	var all counts
	var one []book.Chart
	for _, key := range h.operations() {
		c := h.heat[operation{key: key}]
		all.plus(c)
		one = append(one, chart("Distribution of response times over time: "+goodName(key.Op, key.Outcome), c))
	}
	if len(one) == 0 || all.heat(h.columns) == nil {
		return nil
	}
	out := []book.Chart{chart("Distribution of response times over time: all operations", &all)}
	if len(one) > 1 {
		out = append(out, one[:min(len(one), someOperations)]...)
	}
	return out
}

// operations are the operations that succeeded in the main phase, those with the most samples first.
func (h *Histograms) operations() []latency.Key {
	var out []latency.Key
	samples := make(map[latency.Key]uint64)
	for s := range h.merged.All {
		if s.Key.PartOf == "" && result.Good(s.Key.Outcome) && s.Response.Count() > 0 {
			out = append(out, s.Key)
			samples[s.Key] = s.Response.Count()
		}
	}
	slices.SortStableFunc(out, func(a, b latency.Key) int { return cmp.Compare(samples[b], samples[a]) })
	return out
}
