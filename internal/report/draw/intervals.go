package draw

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
)

// Intervals makes the tables with the figures of every interval of a run: of its operations, and of its telemetry.
func Intervals(r result.Run, o Options) []book.Table {
	l := newTimeline(r)
	var out []book.Table
	if t := l.operationTable(o.Histograms[r.ID]); len(t.Rows) > 0 {
		out = append(out, t)
	}
	if t := l.telemetryTable(); len(t.Rows) > 0 {
		out = append(out, t)
	}
	return out
}

// numeric is a column of figures. Its texts are the digits of its numbers, in every language.
func numeric(head, unit string) book.Column {
	return book.Column{Head: head, Unit: unit, Figure: true, Names: true}
}

// sheet makes the cells of a large table with few allocations.
type sheet struct{ numbers []float64 }

func (s *sheet) cell(x float64) book.Cell {
	if math.IsNaN(x) {
		return book.Cell{}
	}
	s.numbers = append(s.numbers, x)
	return book.Cell{Text: strconv.FormatFloat(x, 'f', -1, 64), Number: &s.numbers[len(s.numbers)-1]}
}

// operationTable has a row for each interval: what was done, and the response times of each operation.
func (l *timeline) operationTable(h *Histograms) book.Table {
	keys := l.keys()
	fine := l.fine(h, keys)
	t := book.Table{
		Title: "Every interval: operations",
		How:   "Response times of operations that succeeded, of all agents together. An empty cell: too few operations for the percentile.",
		Columns: []book.Column{
			{Head: "phase"},
			numeric("start", "s"), numeric("length", "s"),
			{Head: "after the end"},
			numeric("operations", ""), numeric("failed", ""), numeric("throughput", "ops/s"),
		},
	}
	for _, key := range keys {
		name := goodName(key.Op, key.Outcome)
		t.Columns = append(t.Columns, numeric(name+" count", ""), numeric(name+" throughput", "ops/s"), numeric(name+" mean", "µs"))
		for _, figure := range percentiles(fine) {
			t.Columns = append(t.Columns, numeric(name+" "+figure, "µs"))
		}
		t.Columns = append(t.Columns, numeric(name+" max", "µs"), numeric(name+" mean service time", "µs"))
	}
	rows := 0
	for _, s := range l.spans {
		rows += len(s.phase.Series)
	}
	cells := sheet{make([]float64, 0, rows*len(t.Columns))}
	t.Rows = make([][]book.Cell, 0, rows)
	for _, s := range l.spans {
		for i := range s.phase.Series {
			t.Rows = append(t.Rows, cells.interval(s.phase.Name, &s.phase.Series[i], keys, fine, len(t.Columns)))
		}
	}
	return t
}

// percentiles are the names of those in a table. The document has two of them, fine histograms the others.
func percentiles(fine *Histograms) []string {
	if fine == nil {
		return []string{"p50", "p99"}
	}
	return []string{"p50", "p95", "p99", "p99.9"}
}

// fine are the histograms if they are those of the intervals of the document, and not of several that were merged; otherwise nil.
func (l *timeline) fine(h *Histograms, keys []latency.Key) *Histograms {
	if h == nil {
		return nil
	}
	for _, s := range l.spans {
		for _, key := range keys {
			c := h.course[operation{s.phase.Name, key}]
			i := slices.IndexFunc(s.phase.Series, func(p result.Point) bool { return operationOf(&p, key) != nil })
			if i < 0 {
				continue
			}
			if _, ok := c.indexOf(&s.phase.Series[i]); ok {
				return h
			}
		}
	}
	return nil
}

// keys are the operations of a run that succeeded, as they come in its results.
func (l *timeline) keys() []latency.Key {
	var out []latency.Key
	for _, s := range l.spans {
		for i := range s.phase.Operations {
			o := &s.phase.Operations[i]
			if key := (latency.Key{Op: o.Op, Outcome: o.Outcome}); o.PartOf == nil && result.Good(o.Outcome) && !slices.Contains(out, key) {
				out = append(out, key)
			}
		}
	}
	return out
}

// interval is the row of an interval.
func (s *sheet) interval(phase string, p *result.Point, keys []latency.Key, fine *Histograms, width int) []book.Cell {
	var failed uint64
	for i := range p.Operations {
		if o := &p.Operations[i]; o.PartOf == nil && !result.Good(o.Outcome) {
			failed += o.Count
		}
	}
	rate := func(n uint64) float64 {
		if p.Seconds <= 0 {
			return math.NaN()
		}
		return float64(n) / p.Seconds
	}
	after := ""
	if p.Tail {
		after = "yes"
	}
	row := make([]book.Cell, 0, width)
	row = append(row, book.Text(phase), s.cell(p.T), s.cell(p.Seconds), book.Text(after),
		s.cell(float64(p.Ops)), s.cell(float64(failed)), s.cell(rate(p.Ops)))
	for _, key := range keys {
		o := operationOf(p, key)
		if o == nil {
			row = append(row, s.cell(0), s.cell(rate(0)))
			row = append(row, make([]book.Cell, 3+len(percentiles(fine)))...) // mean, percentiles, max, mean service time
			continue
		}
		row = append(row, s.cell(float64(o.Count)), s.cell(rate(o.Count)), s.cell(positive(o.Mean)), s.cell(number(o.P50)))
		if fine == nil {
			row = append(row, s.cell(number(o.P99)))
		} else {
			p95, p999 := math.NaN(), math.NaN()
			c := fine.course[operation{phase, key}]
			if at, ok := c.indexOf(p); ok {
				p95, p999 = c.p95[at], c.p999[at]
			}
			row = append(row, s.cell(p95), s.cell(number(o.P99)), s.cell(p999))
		}
		row = append(row, s.cell(positive(o.Max)), s.cell(positive(o.ServiceMean)))
	}
	return row
}

// operationOf is what an interval has of an operation; nil if it has nothing.
func operationOf(p *result.Point, key latency.Key) *result.PointOperation {
	for i := range p.Operations {
		if o := &p.Operations[i]; o.PartOf == nil && o.Op == key.Op && o.Outcome == key.Outcome {
			return o
		}
	}
	return nil
}

// indexOf finds an interval of the document; false if it is not one of c.
func (c *course) indexOf(p *result.Point) (int, bool) {
	if c == nil || p.Tail {
		return 0, false
	}
	const tolerance = time.Microsecond // the document has seconds as floating-point numbers
	start, length := duration(p.T), duration(p.Seconds)
	i, _ := slices.BinarySearch(c.starts, start-tolerance)
	return i, i < len(c.starts) && c.starts[i] <= start+tolerance && (c.lengths[i]-length).Abs() <= tolerance
}

func duration(seconds float64) time.Duration {
	return time.Duration(math.Round(seconds * float64(time.Second)))
}

// telemetryTable has a row for each interval, and a column for each figure of each source.
func (l *timeline) telemetryTable() book.Table {
	t := book.Table{
		Title:   "Every interval: telemetry",
		How:     "The mean of what a source reported in the interval. An empty cell: it reported nothing.",
		Columns: []book.Column{{Head: "phase"}, numeric("start", "s"), numeric("length", "s")},
	}
	columns := make(map[[2]string]int)
	rows := 0
	for _, f := range l.figures() {
		if f.name == DiskOperations {
			continue // the table has its metrics
		}
		for _, r := range f.sources {
			columns[[2]string{f.name, r.source}] = len(t.Columns)
			t.Columns = append(t.Columns, numeric(f.name+" "+r.source, unitOf(f.unit)))
		}
	}
	for _, s := range l.spans {
		rows += len(s.phase.Series)
	}
	if len(columns) == 0 {
		return t
	}
	cells := sheet{make([]float64, 0, rows*len(t.Columns))}
	for _, s := range l.spans {
		t.Rows = append(t.Rows, cells.telemetry(s.phase, columns, len(t.Columns))...)
	}
	return t
}

// telemetry are the rows of a phase.
func (s *sheet) telemetry(p *result.Phase, columns map[[2]string]int, width int) [][]book.Cell {
	var rows [][]book.Cell
	var starts []float64
	end := 0.0
	for i := range p.Series {
		if point := &p.Series[i]; !point.Tail {
			row := make([]book.Cell, width)
			row[0], row[1], row[2] = book.Text(p.Name), s.cell(point.T), s.cell(point.Seconds)
			rows, starts, end = append(rows, row), append(starts, point.T), max(end, point.T+point.Seconds)
		}
	}
	sum, count := make([]float64, len(rows)), make([]int, len(rows))
	for i := range p.Observations {
		o := &p.Observations[i]
		clear(sum)
		clear(count)
		for _, point := range o.Points {
			at, found := slices.BinarySearch(starts, point[0])
			if !found {
				at--
			}
			if at >= 0 && point[0] <= end {
				sum[at] += point[1]
				count[at]++
			}
		}
		column := columns[[2]string{o.Name, o.Source}]
		for k, n := range count {
			if n > 0 {
				rows[k][column] = s.cell(sum[k] / float64(n))
			}
		}
	}
	return rows
}
