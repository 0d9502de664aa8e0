package draw

import (
	"math"
	"slices"

	"github.com/benchd/benchd/internal/figure"
	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
)

// targetOf is the system of a published line; empty if the line does not name it.
func targetOf(e map[string]any) string {
	for _, key := range []string{"target", "mode", "product"} {
		if name, ok := e[key].(string); ok {
			return name
		}
	}
	return ""
}

// published is what authors printed of a column: a value, or bounds of which one may be unknown, and the values of their runs. They are
// not averaged: the mean would be ours.
func (c column) published(lines []map[string]any, target string) measurement {
	m := unknown()
	for _, e := range lines {
		if name := targetOf(e); name != "" && name != target || e["at"] != nil {
			continue
		}
		_, ofRun := figure.Number(e["run"])
		_, ofClient := figure.Number(e["client"])
		one := c.line(e)
		switch {
		case ofClient:
		case ofRun:
			if !math.IsNaN(one.value) {
				m.runs = append(m.runs, one.value)
			}
		case one.any():
			m.value, m.low, m.high = one.value, one.low, one.high
		}
	}
	return m
}

// line reads the column of a published line: a number, or its bounds.
func (c column) line(e map[string]any) measurement {
	m := unknown()
	for _, name := range []string{c.Name, c.base + "_ms", c.base + "_us", c.base + "_s"} {
		if v, ok := figure.Number(e[name]); ok && math.IsNaN(m.value) {
			if v, ok = c.in(name, v); ok {
				m.value = v
			}
		}
	}
	if c.time > 0 || !math.IsNaN(m.value) {
		return m
	}
	bare := c.base
	if c.Name == throughputName || c.Name == figure.RowThroughput {
		bare = "throughput"
	}
	read := func(name string) float64 {
		if v, ok := figure.Number(e[bare+name]); ok {
			return v
		}
		return math.NaN()
	}
	m.value, m.low, m.high = read("_about"), read("_low"), read("_high")
	if !math.IsNaN(m.value) {
		m.low, m.high = math.NaN(), math.NaN() // "nearly 70000" is a value
	}
	return m
}

func (m measurement) any() bool {
	return !math.IsNaN(m.value) || !math.IsNaN(m.low) || !math.IsNaN(m.high) || len(m.runs) > 0
}

// publishedSeries are the published values of a column for the cases of a group; false if there are none. On an axis of numbers they
// are where the authors have them, which may differ from the cases of a trial.
func (c column) publishedSeries(name string, cases []place, x string) (book.Series, bool) {
	s := book.Series{Name: name, Style: book.Points, Published: true}
	bounds, runs := false, false
	for _, p := range cases {
		m := c.published(p.Published, p.Target)
		if !m.any() {
			continue
		}
		at := float64(p.category)
		if x != "" {
			at = publishedAt(p, x)
		}
		s.X, s.Y = append(s.X, at), append(s.Y, m.value)
		s.Low, s.High, s.Runs = append(s.Low, m.low), append(s.High, m.high), append(s.Runs, m.runs)
		bounds = bounds || !math.IsNaN(m.low) || !math.IsNaN(m.high)
		runs = runs || len(m.runs) > 0
	}
	if !bounds {
		s.Low, s.High = nil, nil
	}
	if !runs {
		s.Runs = nil
	}
	return s, len(s.X) > 0
}

// publishedAt is the position of the published lines of a case on an axis.
func publishedAt(p place, x string) float64 {
	names := []string{x}
	for _, a := range p.Axes {
		if a.Value == setting(p.Case, x) {
			names = append(names, a.Key) // as many rows as operations
		}
	}
	if axisRank(x) == 0 {
		names = append(names, "threads.total", "threads", "threadcount")
	}
	for _, e := range p.Published {
		if name := targetOf(e); name != "" && name != p.Target {
			continue
		}
		for _, name := range names {
			if v, ok := figure.Number(e[name]); ok {
				return v
			}
		}
	}
	return p.x
}

// peaks are lines across a chart at the published peak of a sweep, which has no position on the axis.
func (c column) peaks(cases []result.Case, axis int) []book.Limit {
	var out []book.Limit
	for _, one := range cases {
		for _, e := range one.Published {
			if e["at"] != "peak" {
				continue
			}
			m := c.line(e)
			for _, v := range []float64{m.value, m.low, m.high} {
				if math.IsNaN(v) {
					continue
				}
				label := "published peak"
				if text, ok := e["throughput_text"].(string); ok && c.Name == throughputName {
					label = "published: " + text
				}
				l := book.Limit{Value: v, Axis: axis, Label: label}
				if !slices.Contains(out, l) {
					out = append(out, l)
				}
			}
		}
	}
	return out
}

// columnsPublished are the names of figures in the published lines of cases, in the order of the vocabulary.
func columnsPublished(cases []result.Case) []string {
	var out []string
	for _, c := range cases {
		for _, e := range c.Published {
			for name := range e {
				if (figure.Vocabulary{}).Parse(name).Measured() && !slices.Contains(out, name) {
					out = append(out, name)
				}
			}
		}
	}
	slices.SortFunc(out, figure.Order())
	return out
}

// publishedName is the name of a published series beside a measured one.
func publishedName(measured string) string {
	if measured == "" {
		return "published"
	}
	return measured + ", published"
}
