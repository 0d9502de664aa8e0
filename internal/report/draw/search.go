package draw

import (
	"math"
	"slices"

	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/search"
)

// Search makes the charts of a search: what its probes measured at each value, which of them kept the objective, and the answer.
func Search(c result.Case) []book.Chart {
	if c.Capacity == nil {
		return nil
	}
	a := *c.Capacity
	x := book.Axis{Title: "Threads"}
	if a.Search.Vary == search.Rate {
		x = book.Axis{Title: "Offered rate", Unit: "ops/s"}
	}
	charts := []book.Chart{throughputOfProbes(a)}
	for _, term := range a.Search.Keep.Terms() {
		if term.Figure.Latency() {
			charts = append(charts, latencyOfProbes(a, []search.Term{term}))
		}
	}
	if len(charts) == 1 {
		charts = append(charts, latencyOfProbes(a, nil))
	}
	for i := range charts {
		charts[i].X = x
		charts[i].Kind = book.Lines
		charts[i].Title += ": " + c.Name
		charts[i].How = "Each point is a probe: a run at that value. Kept: it kept " + objective(a.Search) + ". Not counted: it says nothing about the system."
		charts[i].Marks = answerMarks(a)
	}
	return drawable(charts...)
}

func objective(s search.Space) string {
	if text := s.Keep.String(); text != "" {
		return "the objective " + text
	}
	return "the offered rate"
}

// answerMarks mark the answer, if there is one.
func answerMarks(a result.Capacity) []book.Mark {
	if a.Value == nil {
		return nil
	}
	label := "highest kept: "
	if a.Status == search.AtLeast {
		label = "kept at the highest tried: "
	}
	if a.Search.Vary == search.Threads {
		label = "highest throughput at "
	}
	return []book.Mark{{From: *a.Value, Kind: book.Chosen, Label: label + search.ValueText(*a.Value), Text: a.Text}}
}

// kinds are the series of probes by their outcome.
func kinds() []struct {
	name string
	has  func(search.Outcome) bool
} {
	return []struct {
		name string
		has  func(search.Outcome) bool
	}{
		{"kept", func(o search.Outcome) bool { return o == search.Kept }},
		{"missed", func(o search.Outcome) bool { return o == search.Missed || o == search.TooLow }},
		{"not counted", func(o search.Outcome) bool { return !o.Usable() }},
	}
}

// probes are the series of a figure of probes, by outcome.
func probes(a result.Capacity, of func(result.CapacityProbe) float64) []book.Series {
	var out []book.Series
	for _, kind := range kinds() {
		s := book.Series{Name: kind.name, Style: book.Points}
		for _, p := range a.Probes {
			if y := of(p); kind.has(p.Outcome) && !math.IsNaN(y) {
				s.X, s.Y = append(s.X, p.Value), append(s.Y, y)
			}
		}
		if len(s.X) > 0 {
			out = append(out, s)
		}
	}
	return out
}

func throughputOfProbes(a result.Capacity) book.Chart {
	c := book.Chart{Title: "Throughput of the probes", Y: []book.Axis{{Title: "Throughput", Unit: "ops/s"}}}
	c.Series = probes(a, func(p result.CapacityProbe) float64 {
		if p.Throughput == 0 {
			return math.NaN()
		}
		return p.Throughput
	})
	if a.Search.Vary == search.Rate && len(a.Probes) > 0 {
		values := make([]float64, len(a.Probes))
		for i, p := range a.Probes {
			values[i] = p.Value
		}
		ends := []float64{slices.Min(values), slices.Max(values)}
		c.Series = append(c.Series, book.Series{Name: "offered", Style: book.Dashed, X: ends, Y: ends})
	}
	for _, t := range a.Search.Keep.Terms() {
		if t.Figure == search.Throughput {
			c.Limits = append(c.Limits, book.Limit{Value: t.Limit, Label: t.String()})
		}
	}
	return c
}

// latencyOfProbes is the mean or a percentile of probes: the one of a term, with its limit, or else the p99.
func latencyOfProbes(a result.Capacity, terms []search.Term) book.Chart {
	title, of := "P99", func(p result.CapacityProbe) *float64 { return p.P99 }
	var limits []book.Limit
	for _, t := range terms {
		limits = append(limits, book.Limit{Value: t.Limit, Label: t.String()})
		switch t.Figure {
		case search.Mean:
			title, of = "Mean response time", func(p result.CapacityProbe) *float64 { return p.Mean }
		case search.P50:
			title, of = "P50", func(p result.CapacityProbe) *float64 { return p.P50 }
		case search.P99:
		default:
			limits = nil // of a percentile that probes do not have
		}
	}
	op := ""
	for _, p := range a.Probes {
		if op == "" && p.Op != "" {
			op = p.Op
		}
	}
	c := book.Chart{Title: title + " of the probes", Y: []book.Axis{{Title: "Response time", Unit: "µs"}}, Limits: limits}
	if op != "" {
		c.Title = op + " " + lowered(title) + " of the probes"
	}
	c.Series = probes(a, func(p result.CapacityProbe) float64 {
		if v := of(p); v != nil {
			return *v
		}
		return math.NaN()
	})
	return c
}
