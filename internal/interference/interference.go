// Package interference finds what groups of workers cost each other: the figures of each group of a case with several groups,
// beside those of the case in which the group works alone.
//
//  1. Cases of one scenario that differ only in their groups belong together.
//  2. Of a case with several groups, each group is compared with the case that has this group and no other.
//  3. A factor between the repeats of both has its interval by stats.RatioOf. With too few repeats it has none.
//
// It is pure. A group whose loop differs between the cases is not compared (law 2).
package interference

import (
	"fmt"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/stats"
)

// confidence is that of each interval.
const confidence = 0.95

// Test describes how a factor is tested.
func Test() string {
	return fmt.Sprintf("the factor is the median of the ratios of all pairs of a run together and a run alone (Hodges and Lehmann), and its interval are the values that a two-sided "+
		"Mann-Whitney test does not reject, with %.0f %% confidence for each figure, from %d runs of both cases on", 100*confidence, stats.LeastRepeats)
}

// Of returns the interference among the cases of a suite, which have their figures.
func Of(cases []result.Case, runs []result.Run) []result.Interference {
	var all []grouped
	for _, c := range cases {
		if g, ok := groupsOf(c, runs); ok {
			all = append(all, g)
		}
	}
	var out []result.Interference
	for _, together := range all {
		if len(together.groups) < 2 {
			continue
		}
		one := result.Interference{Scenario: together.Scenario, Of: together.of, Case: together.Name, Test: Test()}
		for _, group := range together.groups {
			if alone, ok := together.alone(group.Name, all); ok {
				one.Groups = append(one.Groups, compare(group, alone, together))
				one.ClientBound = append(one.ClientBound, bound(alone, runs)...)
			}
		}
		if len(one.Groups) > 0 {
			one.ClientBound = append(one.ClientBound, bound(together, runs)...)
			one.Text = text(one)
			out = append(out, one)
		}
	}
	return out
}

// grouped is a case with groups of workers.
type grouped struct {
	result.Case
	of     string // its other settings, which distinguish it from cases with the same groups
	groups []result.Group
}

// groupsOf returns a case with its groups; false if it has none.
func groupsOf(c result.Case, runs []result.Run) (grouped, bool) {
	if c.Fills || len(c.Runs) == 0 {
		return grouped{}, false
	}
	i := slices.IndexFunc(runs, func(r result.Run) bool { return r.ID == c.Runs[0] })
	if i < 0 {
		return grouped{}, false
	}
	phase := runs[i].Subject()
	if phase == nil || len(phase.Groups) == 0 {
		return grouped{}, false
	}
	var of []string
	if c.Target != "" {
		of = append(of, "target "+c.Target)
	}
	for _, a := range c.Axes {
		if a.Key != plan.GroupsProperty {
			of = append(of, a.Key+"="+a.Value)
		}
	}
	return grouped{Case: c, of: strings.Join(of, " "), groups: phase.Groups}, true
}

// bound returns the runs of a case whose load generator was the limit.
func bound(c grouped, runs []result.Run) []string {
	var out []string
	for _, r := range runs {
		raised := func(v result.Verdict) bool { return v.Name == "client_bound" && v.Value }
		if slices.Contains(c.Runs, r.ID) && slices.ContainsFunc(r.Verdicts, raised) {
			out = append(out, r.ID)
		}
	}
	return out
}

// alone returns the case in which a group works alone.
func (together grouped) alone(group string, all []grouped) (grouped, bool) {
	for _, c := range all {
		if c.Scenario == together.Scenario && c.of == together.of && len(c.groups) == 1 && c.groups[0].Name == group {
			return c, true
		}
	}
	return grouped{}, false
}

// compare compares the figures of a group together with others and alone.
func compare(group result.Group, alone, together grouped) result.GroupInterference {
	out := result.GroupInterference{Group: group.Name, Loop: group.Loop, Alone: alone.Name, Figures: []result.Interfered{}}
	if loop := alone.groups[0].Loop; loop != group.Loop {
		out.Because = fmt.Sprintf("its loop is %s alone and %s together: they are not comparable", loop, group.Loop)
		return out
	}
	prefix := group.Name + "."
	for _, f := range together.Figures {
		name, own := strings.CutPrefix(f.Name, prefix)
		if !own || !compared(name) {
			continue
		}
		i := slices.IndexFunc(alone.Figures, func(a result.Figure) bool { return a.Name == f.Name })
		if i < 0 {
			continue
		}
		a, b := known(alone.Figures[i].Values), known(f.Values)
		if len(a) == 0 || len(b) == 0 {
			continue
		}
		one := result.Interfered{Name: name, Unit: f.Unit, Alone: middle(alone.Figures[i]), Together: middle(f), AloneRuns: len(a), TogetherRuns: len(b)}
		if shift, ok := stats.RatioOf(a, b, confidence); ok {
			one.Shift = &shift
		}
		out.Figures = append(out.Figures, one)
	}
	return out
}

// compared reports whether a figure of a group is compared: throughput, median and 99th percentile of each operation.
func compared(name string) bool {
	return name == "throughput_ops" || strings.HasSuffix(name, "_p50_us") && !strings.HasSuffix(name, "_service_p50_us") ||
		strings.HasSuffix(name, "_p99_us") && !strings.HasSuffix(name, "_service_p99_us")
}

func known(values []*float64) []float64 {
	var out []float64
	for _, v := range values {
		if v != nil {
			out = append(out, *v)
		}
	}
	return out
}

// middle is the value of a figure over its runs: percentiles have a median and no mean (law 1).
func middle(f result.Figure) float64 {
	if f.Median != nil {
		return *f.Median
	}
	return *f.Mean
}

// text summarizes what the tests have found: figures whose interval excludes 1.
func text(i result.Interference) string {
	var parts []string
	tested := false
	for _, g := range i.Groups {
		for _, f := range g.Figures {
			if f.Shift == nil {
				continue
			}
			tested = true
			if f.Shift.Low > 1 || f.Shift.High < 1 {
				parts = append(parts, fmt.Sprintf("%s of %s is %.3g times that alone (%.3g to %.3g)", spoken(f.Name), g.Group, f.Shift.Ratio, f.Shift.Low, f.Shift.High))
			}
		}
	}
	switch {
	case len(parts) > 0:
		return strings.Join(parts, "; ")
	case tested:
		return "no figure of a group differs by a tested factor"
	}
	return fmt.Sprintf("nothing is tested: that needs %d runs of each case", stats.LeastRepeats)
}

// spoken is the name of a figure in a text: read_p99_us is "read p99".
func spoken(name string) string {
	return strings.ReplaceAll(strings.TrimSuffix(strings.TrimSuffix(name, "_us"), "_ops"), "_", " ")
}
