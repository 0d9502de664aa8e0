package compare

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/stats"
)

// A difference is named only if its interval leaves out 1 and it is at least the smallest effect.
func TestADifferenceIsNamedByItsIntervalAndItsSize(t *testing.T) {
	for name, tc := range map[string]struct {
		shift        *stats.Shift
		times, rates Verdict // of a figure in which less is better, and of one in which more is
	}{
		"too few runs":               {nil, NotEnoughRuns, NotEnoughRuns},
		"greater":                    {&stats.Shift{Ratio: 1.10, Low: 1.04, High: 1.16}, Worse, Better},
		"less":                       {&stats.Shift{Ratio: 0.90, Low: 0.84, High: 0.96}, Better, Worse},
		"greater, with 1 in between": {&stats.Shift{Ratio: 1.10, Low: 0.99, High: 1.30}, NoDifference, NoDifference},
		"less, with 1 in between":    {&stats.Shift{Ratio: 0.90, Low: 0.75, High: 1.01}, NoDifference, NoDifference},
		"the interval ends at 1":     {&stats.Shift{Ratio: 1.10, Low: 1, High: 1.20}, NoDifference, NoDifference},
		"greater, too small":         {&stats.Shift{Ratio: 1.049, Low: 1.02, High: 1.08}, NoDifference, NoDifference},
		"less, too small":            {&stats.Shift{Ratio: 0.951, Low: 0.93, High: 0.98}, NoDifference, NoDifference},
		"just large enough":          {&stats.Shift{Ratio: 1.05, Low: 1.001, High: 1.10}, Worse, Better},
	} {
		require.Equal(t, tc.times, verdict(tc.shift, false, 0.05), name)
		require.Equal(t, tc.rates, verdict(tc.shift, true, 0.05), name)
	}
}

// Two mixed phases are not compared if a group has the other loop in one of them (law 2).
func TestGroupsOfOtherLoopsAreNotCompared(t *testing.T) {
	of := func(reads, scans string) *group {
		return &group{loop: "mixed", phase: "measure", runs: []result.Run{{Phases: []result.Phase{{
			Name: "measure", Loop: "mixed", Groups: []result.Group{{Name: "reads", Loop: reads}, {Name: "scans", Loop: scans}},
		}}}}}
	}
	require.Empty(t, otherLoop(of("open", "closed"), of("open", "closed")))
	require.Equal(t, "group reads ran in the other loop in A than in B: its response times do not mean the same", refusal(of("open", "closed"), of("closed", "open")))
}
