package draw

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/figure"
	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/stats"
)

const (
	throughputName = figure.Throughput
	totalName      = "total" // the base of total_ms, and of its other name runtime_ms
)

// column is a figure of cases: its name, and the unit in which charts have it.
type column struct {
	figure.Column
	base string  // without the unit of a time
	time float64 // how many of the chart's unit are a second; 0 if it is not a time
	unit string
}

// newColumn returns a column by its name, in any unit of time. Charts have times of operations in µs and others in s.
func newColumn(name string) column {
	c := column{Column: figure.Vocabulary{}.Parse(name)}
	base, unit := figure.Split(name)
	c.base = base
	switch {
	case unit == (figure.Unit{}):
		c.unit = figure.Vocabulary{}.UnitOf(name)
	case c.Class == figure.OfOperation:
		c.time, c.unit = 1e6, "µs"
	default:
		c.time, c.unit = 1, "s"
	}
	if c.base == "runtime" {
		c.base = totalName
	}
	return c
}

// title is the name of the column in charts: throughput, read p99.
func (c column) title() string {
	if c.base == totalName {
		return "total time"
	}
	return figure.Title(c.Name)
}

// axis is the y axis of the column.
func (c column) axis() book.Axis {
	switch {
	case c.Name == throughputName:
		return book.Axis{Title: "Throughput", Unit: c.unit}
	case c.Class == figure.OfOperation && c.time > 0:
		return book.Axis{Title: "Response time", Unit: c.unit}
	}
	return book.Axis{Title: capital(c.title()), Unit: c.unit}
}

// in returns the value of a figure of that name in the unit of the column; false if it is another figure.
func (c column) in(name string, v float64) (float64, bool) {
	base, unit := figure.Split(name)
	if base == "runtime" {
		base = totalName
	}
	if base != c.base || (unit == figure.Unit{}) != (c.time == 0) {
		return 0, false
	}
	if c.time > 0 {
		v *= c.time / unit.Second
	}
	return v, true
}

// measurement is what the runs of a case measured of a column; NaN where there is nothing.
type measurement struct {
	value, low, high float64
	runs             []float64
	interval         bool // low and high bound the median with 95 % confidence; otherwise they are the lowest and the highest
}

func unknown() measurement {
	return measurement{value: math.NaN(), low: math.NaN(), high: math.NaN()}
}

// of reads the column of a case. With intervals the value is the median of the repeats with its interval, and otherwise the value that
// tables have, from the lowest to the highest repeat.
func (c column) of(one result.Case, intervals bool) measurement {
	for _, f := range one.Figures {
		if _, ok := c.in(f.Name, 0); !ok {
			continue
		}
		scaled := func(v float64) float64 {
			v, _ = c.in(f.Name, v)
			return v
		}
		m := measurement{value: scaled(represent(f, c.Over())), low: scaled(f.Min), high: scaled(f.Max)}
		if intervals && f.Interval != nil && (c.Over() == figure.Mean || c.Over() == figure.Median) {
			m.value, m.low, m.high, m.interval = scaled(f.Interval.Median), scaled(f.Interval.Low), scaled(f.Interval.High), true
		}
		for _, v := range f.Values {
			if v != nil {
				m.runs = append(m.runs, scaled(*v))
			}
		}
		return m
	}
	return unknown()
}

// represent is the value of a figure over the repeats, as in tables.
func represent(f result.Figure, over figure.Over) float64 {
	switch {
	case over == figure.Greatest:
		return f.Max
	case over == figure.Least:
		return f.Min
	case f.Median != nil:
		return *f.Median
	case f.Mean != nil:
		return *f.Mean
	}
	return f.Min
}

// bounded reports whether all cases have enough repeats for an interval of their median.
func bounded(cases []result.Case) bool {
	return len(cases) > 0 && !slices.ContainsFunc(cases, func(c result.Case) bool { return len(c.Runs) < stats.LeastForMedian })
}

// repeated reports whether a case has several runs.
func repeated(cases []result.Case) bool {
	return slices.ContainsFunc(cases, func(c result.Case) bool { return len(c.Runs) > 1 })
}

// how describes in a line how the figures of cases were computed, with the published ones if there are some.
func how(cases []result.Case, published bool) string {
	text := "One run for each case."
	switch {
	case bounded(cases):
		text = "The median over the repeats of a case with its interval of 95 % or more (" + stats.MedianMethod + "); small points are the repeats."
	case repeated(cases):
		text = "Over the repeats of a case: the mean of a figure, and the median of a percentile; from the lowest to the highest repeat; small points are the repeats."
	}
	if published {
		text += " Published: the authors' figures from another cluster, not measured here."
	}
	return text
}

// series are the values of a column over the cases of a group, at the positions that at returns.
func (c column) series(name string, cases []place, intervals bool, at func(place) float64) book.Series {
	s := book.Series{Name: name}
	several := slices.ContainsFunc(cases, func(p place) bool { return len(p.Runs) > 1 })
	for _, p := range cases {
		m := c.of(p.Case, intervals)
		s.X, s.Y = append(s.X, at(p)), append(s.Y, m.value)
		if several {
			s.Low, s.High, s.Runs = append(s.Low, m.low), append(s.High, m.high), append(s.Runs, m.runs)
		}
	}
	return s
}

// ops are the operations of cases, those with the most samples first.
func ops(cases []result.Case) []string {
	counts := make(map[string]float64)
	var out []string
	for _, c := range cases {
		for _, f := range c.Figures {
			if parsed := (figure.Vocabulary{}).Parse(f.Name); parsed.Class == figure.OfOperation && parsed.Stat == figure.Count && !parsed.Service {
				op := strings.TrimSuffix(f.Name, "_"+figure.Count)
				if !slices.Contains(out, op) {
					out = append(out, op)
				}
				if f.Mean != nil {
					counts[op] += *f.Mean
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	return out
}

func spoken(op string) string { return strings.ReplaceAll(op, "_", " ") }

// capital begins a text with a capital letter.
func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func anyKnown(values []float64) bool {
	return slices.ContainsFunc(values, func(v float64) bool { return !math.IsNaN(v) })
}

// settingAxis is the axis of a setting of the matrix.
func settingAxis(key string, values []float64) book.Axis {
	a := book.Axis{Title: key}
	switch key {
	case "threadcount":
		a.Title = "Threads of each agent"
	case "threads.total", "threads":
		a.Title = "Threads"
	case "rate":
		a.Title, a.Unit = "Offered rate", "ops/s"
	case "target":
		a.Title, a.Unit = "Target rate", "ops/s"
	case "recordcount":
		a.Title = "Rows"
	case "operationcount":
		a.Title = "Operations"
	case "fieldlength":
		a.Title, a.Unit = "Length of a field", "B"
	}
	if len(values) > 0 && values[0] > 0 && values[len(values)-1] > logFrom*values[0] {
		a.Scale = book.Log
	}
	return a
}

// spread gives the x axis a logarithmic scale if the positions of the series are far from each other, such as published sizes beside those
// of a trial.
func spread(c *book.Chart) {
	first, last := math.Inf(1), math.Inf(-1)
	for _, s := range c.Series {
		for _, x := range s.X {
			first, last = min(first, x), max(last, x)
		}
	}
	if first > 0 && last > logFrom*first {
		c.X.Scale = book.Log
	}
}

// logFrom is the ratio of the ends of an axis above which its scale is logarithmic.
const logFrom = 30

// over names the axis in titles: "over threads".
func over(a book.Axis) string {
	return "over " + strings.ToLower(a.Title[:1]) + a.Title[1:]
}

// firstOf returns at most n values, and a note about the others.
func firstOf[T any](values []T, n int, noun string) ([]T, string) {
	if len(values) <= n {
		return values, ""
	}
	return values[:n], fmt.Sprintf(" The first %d of %d %s.", n, len(values), noun)
}
