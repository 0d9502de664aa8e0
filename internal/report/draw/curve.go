package draw

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
)

// beyond is how many samples must lie above a percentile that a curve shows.
const beyond = 10

// curve is the percentile curve of a phase: a line for the response times of each operation, and a dashed one for its service
// times if they differ.
func curve(s span, h *Histograms) book.Chart {
	c := book.Chart{
		Title: "Percentiles", Kind: book.Lines,
		X: book.Axis{Title: "Percentile", Unit: "%", Scale: book.Percentile},
		Y: []book.Axis{responseAxis()},
	}
	if h != nil {
		if c.Series = h.curves(); len(c.Series) > 0 {
			c.How = fmt.Sprintf("From the merged histograms of all agents over %s, of operations that succeeded; a line ends where fewer than %d of them took longer.", phaseTitle(s.phase.Name), beyond)
		}
	}
	if len(c.Series) == 0 {
		c.Series = documented(s.phase)
		c.How = "The percentiles that the result has, of operations that succeeded; there are no histograms for those between them."
	}
	for i := range c.Series {
		if c.Series[i].Style == book.Dashed {
			c.How += " Dashed: service time, which begins when the operation is sent."
			break
		}
	}
	return c
}

// curves are the lines of the main phase from its histograms.
func (h *Histograms) curves() []book.Series {
	merged := make(map[latency.Key]latency.Series)
	for s := range h.merged.All {
		merged[s.Key] = s
	}
	var out []book.Series
	for _, key := range h.operations() {
		s := merged[key]
		x, y := curveOf(s.Response)
		out = append(out, book.Series{Name: goodName(key.Op, key.Outcome), Verbatim: true, X: x, Y: y, Hidden: len(out) >= someOperations})
		if s.Service == s.Response {
			continue
		}
		if x, service := curveOf(s.Service); !slices.Equal(service, y) {
			out = append(out, book.Series{Name: goodName(key.Op, key.Outcome) + ", service time", Style: book.Dashed, X: x, Y: service, Hidden: len(out) >= 2*someOperations})
		}
	}
	return out
}

// curveOf is a curve of a histogram: percentiles and microseconds.
func curveOf(h *latency.Histogram) (x, y []float64) {
	n := float64(h.Count())
	for _, p := range curvePercentiles() {
		v := h.Quantile(p / 100)
		if p > 50 && n*(1-p/100) < beyond-1e-6 || v > latency.Highest {
			break
		}
		x, y = append(x, p), append(y, micros(v))
	}
	return x, y
}

// curvePercentiles are those of a curve: as many between 90 and 99 as between 99 and 99.9.
func curvePercentiles() []float64 {
	var out []float64
	for p := 0; p < 90; p += 5 {
		out = append(out, float64(p))
	}
	for _, decade := range []struct{ from, step float64 }{{90, 0.5}, {99, 0.05}, {99.9, 0.005}} {
		for i := range 18 {
			out = append(out, math.Round((decade.from+float64(i)*decade.step)*1e4)/1e4)
		}
	}
	return append(out, 99.99)
}

// documented are the lines of the percentiles in the document of a phase.
func documented(p *result.Phase) []book.Series {
	var out []book.Series
	for i := range p.Operations {
		o := &p.Operations[i]
		if o.PartOf != nil || !result.Good(o.Outcome) {
			continue
		}
		name := goodName(o.Op, o.Outcome)
		extra := requested(p, o)
		response, service := percentilesOf(o.Figures, extra), percentilesOf(o.Service, nil)
		if len(response) > 0 {
			out = append(out, lineOf(name, true, response))
		}
		if len(service) > 0 && !maps.Equal(service, response) && o.Service.Mean != o.Mean {
			line := lineOf(name+", service time", false, service)
			line.Style = book.Dashed
			out = append(out, line)
		}
	}
	return out
}

// requested are further percentiles of an operation that the user asked for. They are in the combined figures.
func requested(p *result.Phase, o *result.Operation) map[string]*float64 {
	for i := range p.Combined {
		if c := &p.Combined[i]; c.Name == o.Op && c.Count == o.Count {
			return c.Percentiles
		}
	}
	return nil
}

func percentilesOf(f result.Figures, extra map[string]*float64) map[float64]float64 {
	out := make(map[float64]float64)
	for p, us := range map[float64]*float64{50: f.P50, 90: f.P90, 95: f.P95, 99: f.P99, 99.9: f.P999, 99.99: f.P9999} {
		if us != nil {
			out[p] = *us
		}
	}
	for name, us := range extra {
		if p, err := strconv.ParseFloat(name, 64); err == nil && us != nil && p <= 99.99 {
			out[p] = *us
		}
	}
	return out
}

func lineOf(name string, verbatim bool, points map[float64]float64) book.Series {
	s := book.Series{Name: name, Verbatim: verbatim, X: slices.Sorted(maps.Keys(points))}
	for _, p := range s.X {
		s.Y = append(s.Y, points[p])
	}
	return s
}
