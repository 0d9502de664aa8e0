package compare

import (
	"cmp"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/figure"
	"github.com/benchd/benchd/internal/stats"
	"github.com/benchd/benchd/internal/workload"
)

// Verdict is what a comparison of a figure comes to.
type Verdict string

// The verdicts.
const (
	Better        Verdict = "better"
	Worse         Verdict = "worse"
	NoDifference  Verdict = "no difference shown"
	NotEnoughRuns Verdict = "not enough runs"
)

// verdict names a difference whose interval leaves out 1 and that is at least the smallest effect.
func verdict(s *stats.Shift, higherIsBetter bool, smallest float64) Verdict {
	switch {
	case s == nil:
		return NotEnoughRuns
	case s.Low > 1 && s.Ratio >= 1+smallest:
		if higherIsBetter {
			return Better
		}
		return Worse
	case s.High < 1 && s.Ratio <= 1-smallest:
		if higherIsBetter {
			return Worse
		}
		return Better
	}
	return NoDifference
}

// HigherIsBetter reports whether a greater value of a figure is the better one: of rates, not of times and failures.
func HigherIsBetter(name string) bool {
	_, name = workload.SplitGroup(name)
	return name == figure.RowThroughput || strings.HasSuffix(name, "_ops") && !strings.HasPrefix(name, "failed") && !strings.HasPrefix(name, "not_found") ||
		strings.HasPrefix(name, "qps_")
}

// falseDiscoveries is the share of false ones among the differences that hold after the correction.
const falseDiscoveries = 0.05

// correct finds the differences that hold when all figures of a comparison are considered together: Benjamini and
// Hochberg's procedure.
func correct(cases []Case) {
	var tested []*Figure
	for i := range cases {
		for j := range cases[i].Figures {
			if f := &cases[i].Figures[j]; f.Shift != nil {
				tested = append(tested, f)
			}
		}
	}
	slices.SortFunc(tested, func(a, b *Figure) int { return cmp.Compare(a.Shift.P, b.Shift.P) })
	hold := 0
	for i, f := range tested {
		if f.Shift.P <= falseDiscoveries*float64(i+1)/float64(len(tested)) {
			hold = i + 1
		}
	}
	for _, f := range tested[:hold] {
		f.Holds = f.Verdict == Better || f.Verdict == Worse
	}
}
