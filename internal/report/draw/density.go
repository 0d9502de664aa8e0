package draw

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
)

// The size of a heat map.
const (
	mostColumns = 256
	mostRows    = 40
	perDecade   = 20 // rows of a decade while counting; they are joined until there are at most mostRows
	decades     = 10 // from 1 ns on; latency.Highest is within them, and what is longer counts in the last row
	firstDecade = -3 // as a power of ten of a microsecond
	fineRows    = perDecade * decades
)

// counts has the number of operations of each column and row, operation by operation. Columns are as wide as an interval, and are
// joined in pairs when there are too many of them.
type counts struct {
	width   float64 // of a column, in seconds
	bounds  []int64 // upper bounds of the rows, in nanoseconds
	columns map[latency.Key][]rowCounts
}

type rowCounts *[fineRows]uint64

// add counts the operations of an interval.
func (c *counts) add(key latency.Key, start, length float64, h *latency.Histogram) {
	if c.columns == nil {
		*c = counts{width: max(length, 1e-3), bounds: rowBounds(), columns: make(map[latency.Key][]rowCounts)}
	}
	for start >= mostColumns*c.width {
		c.join()
	}
	i := int(math.Floor(start/c.width + 1e-6))
	c.columns[key] = upTo(c.columns[key], i)
	rows, row := c.columns[key][i], -1
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

// upTo adds columns until there is one of an index.
func upTo(columns []rowCounts, i int) []rowCounts {
	for len(columns) <= i {
		columns = append(columns, new([fineRows]uint64))
	}
	return columns
}

// join makes the columns twice as wide.
func (c *counts) join() {
	c.width *= 2
	for key, old := range c.columns {
		var columns []rowCounts
		for i, rows := range old {
			columns = upTo(columns, i/2)
			plus(columns[i/2], rows)
		}
		c.columns[key] = columns
	}
}

func plus(to, from rowCounts) {
	for i, n := range from {
		to[i] += n
	}
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

// heat makes the heat map of some operations, with rows as fine as there is room for, and none beyond the first and the last
// operation. It is nil if they were never done.
func (c *counts) heat(keys ...latency.Key) *book.Heat {
	var sum []rowCounts
	for _, key := range keys {
		for i, rows := range c.columns[key] {
			sum = upTo(sum, i)
			plus(sum[i], rows)
		}
	}
	first, last := fineRows, -1
	for _, rows := range sum {
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
	heat := &book.Heat{Counts: make([][]uint64, len(sum))}
	for i := from; i <= to; i++ {
		heat.Y = append(heat.Y, roundedTo(rowBound(i*join), 4))
	}
	for i := range len(sum) + 1 {
		heat.X = append(heat.X, rounded(float64(i)*c.width))
	}
	for i, rows := range sum {
		heat.Counts[i] = make([]uint64, to-from)
		for k := first; k <= last; k++ {
			heat.Counts[i][k/join-from] += rows[k]
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
	var out []book.Chart
	add := func(name string, keys ...latency.Key) {
		c := l.chart("Distribution of response times over time: "+name, fmt.Sprintf(
			"Colour: how many operations that succeeded took so long, in columns of %s, of all agents together.", secondsText(h.heat.width)), responseAxis())
		c.Kind, c.Heat = book.Density, h.heat.heat(keys...)
		if c.Heat == nil {
			return
		}
		c.Marks = within(c.Marks, c.Heat.X[0], c.Heat.X[len(c.Heat.X)-1])
		out = append(out, c)
	}
	keys := h.operations()
	mixed := slices.ContainsFunc(l.spans, func(s span) bool { return s.phase.Loop == string(plan.Mixed) })
	if !mixed { // response times of both loops are not merged (law 2)
		add("all operations", keys...)
	}
	if len(keys) > 1 || mixed {
		for _, key := range keys[:min(len(keys), someOperations)] {
			add(goodName(key.Op, key.Outcome), key)
		}
	}
	return out
}

// within are the marks of what happened within a time.
func within(marks []book.Mark, from, to float64) []book.Mark {
	var out []book.Mark
	for _, m := range marks {
		if m.Kind != book.Phase && max(m.From, m.To) >= from && m.From <= to {
			out = append(out, m)
		}
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
