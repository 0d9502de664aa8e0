package draw

import (
	"slices"

	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
)

// agents are charts that compare the agents of a run over a phase. A run of one agent has none.
func agents(s span) []book.Chart {
	p := s.phase
	if len(p.Generators) < 2 {
		return nil
	}
	names := make([]string, len(p.Generators))
	for i := range p.Generators {
		names[i] = p.Generators[i].Name
	}
	over := "Over " + phaseTitle(p.Name) + ": "
	chart := func(title, how string, y book.Axis, series ...book.Series) book.Chart {
		return book.Chart{
			Title: title, How: over + how, Kind: book.Bars,
			X: book.Axis{Title: "Agent", Categories: names}, Y: []book.Axis{y}, Series: series,
		}
	}
	return keep(
		chart("Throughput by agent", "operations per second of each agent while it worked, with those that were in flight at the end.", rateAxis(), agentRates(p, names)...),
		chart("p99 response time by agent", "from each agent's own histogram, of operations that succeeded.",
			book.Axis{Title: "Response time", Unit: "µs"}, agentTimes(p, names)...),
		chart("CPU of the agents' machines", "the idle share of all processors of the machine; the lowest is that of one interval.",
			book.Axis{Title: "Idle", Unit: "%", Max: 100},
			ofGenerators(p, "idle, mean", func(g *result.Generator) float64 { return number(g.IdleMean) }),
			ofGenerators(p, "idle, lowest", func(g *result.Generator) float64 { return number(g.IdleMin) })),
		chart("Operations sent late by agent", "operations that an agent sent late although a worker was free.",
			book.Axis{Title: "Operations"}, some(ofGenerators(p, "sent late", func(g *result.Generator) float64 { return float64(g.LateSends) }))...),
		chart("Longest backlog by agent", "the most operations that were due and not yet sent at the end of an interval.",
			book.Axis{Title: "Operations"}, some(ofGenerators(p, "backlog", func(g *result.Generator) float64 { return float64(g.BacklogMax) }))...),
	)
}

// ofGenerators is a figure of the agents' load generators.
func ofGenerators(p *result.Phase, name string, of func(*result.Generator) float64) book.Series {
	s := book.Series{Name: name}
	for i := range p.Generators {
		s.Y = append(s.Y, of(&p.Generators[i]))
	}
	return s
}

// some is a series with a value above 0, or none.
func some(s book.Series) []book.Series {
	if slices.ContainsFunc(s.Y, func(y float64) bool { return y > 0 }) {
		return []book.Series{s}
	}
	return nil
}

// agentRates are the agents' throughputs: of all operations and, if there are several, one by one.
func agentRates(p *result.Phase, names []string) []book.Series {
	all := book.Series{Name: "all operations", Y: make([]float64, len(names))}
	var one []book.Series
	for i := range p.Operations {
		o := &p.Operations[i]
		if o.PartOf != nil {
			continue
		}
		own := book.Series{Name: goodName(o.Op, o.Outcome), Verbatim: true, Y: make([]float64, len(names))}
		for _, a := range o.Agents {
			k := slices.Index(names, a.Name)
			if k < 0 {
				continue
			}
			seconds := p.Generators[k].Seconds
			if seconds <= 0 {
				seconds = p.Seconds
			}
			if seconds > 0 {
				own.Y[k] = float64(a.Count) / seconds
				all.Y[k] += own.Y[k]
			}
		}
		if result.Good(o.Outcome) {
			own.Hidden = len(one) >= someOperations
			one = append(one, own)
		}
	}
	if len(one) > 1 {
		return append([]book.Series{all}, one...)
	}
	return []book.Series{all}
}

// agentTimes are the agents' percentiles by operation.
func agentTimes(p *result.Phase, names []string) []book.Series {
	var out []book.Series
	for i := range p.Operations {
		o := &p.Operations[i]
		if o.PartOf != nil || !result.Good(o.Outcome) {
			continue
		}
		s := book.Series{Name: goodName(o.Op, o.Outcome), Verbatim: true, Y: make([]float64, len(names)), Hidden: len(out) >= someOperations}
		for k := range s.Y {
			s.Y[k] = number(nil)
		}
		for _, a := range o.Agents {
			if k := slices.Index(names, a.Name); k >= 0 {
				s.Y[k] = number(a.P99)
			}
		}
		if hasValues([]book.Series{s}) {
			out = append(out, s)
		}
	}
	return out
}
