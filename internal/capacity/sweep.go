package capacity

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/search"
	"github.com/benchd/benchd/internal/stats"
)

// concurrency are the axes of a sweep that are a number of workers, and rates those that limit or offer a rate.
func concurrency() []string { return []string{"threadcount", "threads.total", "threads"} }
func rates() []string       { return []string{"target", "rate"} }

// Sweeps returns the sweeps among the cases of a suite: groups of at least stats.LeastLevels cases of one scenario that
// differ only in their threads or their rate. Cases have their figures, and runs the verdicts about the load generator.
func Sweeps(cases []result.Case, runs []result.Run) []result.Sweep {
	bound := make(map[string]bool)
	for _, r := range runs {
		_, bound[r.ID] = raised(r, "client_bound")
	}
	out := []result.Sweep{}
	for _, axis := range append(concurrency(), rates()...) {
		groups := make(map[string]*result.Sweep)
		var order []string
		for _, c := range cases {
			value, of, ok := place(c, axis)
			if !ok {
				continue
			}
			key := c.Scenario + "\x00" + of + "\x00" + c.Loop
			if groups[key] == nil {
				groups[key] = &result.Sweep{Scenario: c.Scenario, Of: of, Axis: axis}
				order = append(order, key)
			}
			groups[key].Points = append(groups[key].Points, point(c, value, bound))
		}
		for _, key := range order {
			if s := groups[key]; len(levels(*s)) >= stats.LeastLevels {
				analyse(s)
				out = append(out, *s)
			}
		}
	}
	return out
}

// place returns the value of a case on an axis, and its other settings; false if the case is not part of such a sweep.
func place(c result.Case, axis string) (value float64, of string, ok bool) {
	var others []string
	if c.Target != "" {
		others = append(others, "target "+c.Target)
	}
	for _, a := range c.Axes {
		if a.Key == axis {
			v, err := strconv.ParseFloat(strings.TrimSpace(a.Value), 64)
			value, ok = v, err == nil && v > 0
		} else {
			others = append(others, a.Key+"="+a.Value)
		}
	}
	return value, strings.Join(others, " "), ok && !c.Fills && c.Capacity == nil && len(c.Runs) > 0
}

// point reads the figures of a case.
func point(c result.Case, value float64, bound map[string]bool) result.SweepPoint {
	p := result.SweepPoint{Case: c.Name, Value: value, Throughput: []float64{}}
	p.ClientBound = slices.ContainsFunc(c.Runs, func(id string) bool { return bound[id] })
	most := -1.0
	for _, f := range c.Figures {
		if f.Name == "throughput_ops" {
			for _, v := range f.Values {
				if v != nil {
					p.Throughput = append(p.Throughput, *v)
				}
			}
		}
		if op, ok := strings.CutSuffix(f.Name, "_count"); ok && f.Mean != nil && *f.Mean > most && figure(c, op+"_avg_us") != nil {
			most = *f.Mean
			p.Op = op
		}
	}
	if f := figure(c, p.Op+"_avg_us"); f != nil {
		p.Mean = f.Mean
	}
	if f := figure(c, p.Op+"_p99_us"); f != nil {
		p.P99 = f.Median
	}
	return p
}

func figure(c result.Case, name string) *result.Figure {
	for i, f := range c.Figures {
		if f.Name == name {
			return &c.Figures[i]
		}
	}
	return nil
}

// levels are the points with a throughput.
func levels(s result.Sweep) []stats.Level {
	var out []stats.Level
	for _, p := range s.Points {
		if len(p.Throughput) > 0 {
			out = append(out, stats.Level{N: p.Value, Throughput: p.Throughput})
		}
	}
	return out
}

// analyse fits a sweep and finds its plateau, and describes both.
func analyse(s *result.Sweep) {
	slices.SortStableFunc(s.Points, func(a, b result.SweepPoint) int { return cmp.Compare(a.Value, b.Value) })
	s.Notes = []string{}
	all := levels(*s)
	what := "threads"
	if slices.Contains(rates(), s.Axis) {
		what = "ops/s " + map[string]string{"rate": "offered", "target": "allowed"}[s.Axis]
	}
	var parts []string
	if p, ok := stats.FindPlateau(all); ok {
		s.Plateau = &p
		parts = append(parts, plateauText(p, what))
		s.Notes = append(s.Notes, "Plateau: "+p.Test+".")
	} else if p.Noise != nil && *p.Noise > stats.MostNoise {
		parts = append(parts, fmt.Sprintf("no plateau can be seen: the runs of one value differ by %.0f %% (median)", 100**p.Noise))
	} else {
		parts = append(parts, fmt.Sprintf("the throughput still rises at %s %s, the highest measured", search.ValueText(s.Points[len(s.Points)-1].Value), what))
	}
	if what != "threads" {
		s.Notes = append(s.Notes, "The Universal Scalability Law describes a throughput over concurrency, and is not fitted to one over a rate.")
	} else if fit, ok := stats.FitScalability(all); !ok {
		s.Notes = append(s.Notes, "The Universal Scalability Law could not be fitted.")
	} else {
		s.Fit = &fit
		parts = append(parts, fitText(fit))
		s.Notes = append(s.Notes, "Universal Scalability Law: "+stats.ScalabilityTest()+".")
	}
	bound := 0
	for _, p := range s.Points {
		if p.ClientBound {
			bound++
		}
	}
	if bound > 0 {
		parts = append(parts, fmt.Sprintf("the load generator was the limit at %d of %d values, so this may describe it and not the target", bound, len(s.Points)))
	}
	s.Text = strings.Join(parts, "; ")
}

func plateauText(p stats.Plateau, what string) string {
	level := result.RateText(p.Low)
	if high := result.RateText(p.High); high != level {
		level += " to " + high
	}
	text := fmt.Sprintf("plateau from %s %s on, at %s ops/s", search.ValueText(p.From), what, level)
	switch {
	case p.Falls && p.From == p.To:
		text = fmt.Sprintf("peak at %s %s with %s ops/s, and lower above", search.ValueText(p.From), what, result.RateText(p.High))
	case p.Falls:
		text += fmt.Sprintf(" up to %s, and lower above", search.ValueText(p.To))
	}
	return text + fmt.Sprintf(" (differences of at most %.1f %% do not count)", 100*p.Rise)
}

func fitText(f stats.Scalability) string {
	if !f.Fits {
		return "the Universal Scalability Law does not fit (" + f.Because + ")"
	}
	text := fmt.Sprintf("Universal Scalability Law with λ %.4g ops/s, σ %.3g, κ %.3g (%s)", f.Lambda, f.Sigma, f.Kappa, f.Because)
	if f.Peak != nil {
		return text + fmt.Sprintf(", with its maximum of %s ops/s near %.0f", result.RateText(*f.Highest), *f.Peak)
	}
	return text + ", without a maximum among the measured values"
}
