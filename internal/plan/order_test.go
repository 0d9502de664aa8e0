package plan

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each run is written as its case's name and its repeat.
func order(s Suite) []string {
	var names []string
	for _, r := range Runs("S", s) {
		names = append(names, fmt.Sprint(r.Case, r.Repeat))
	}
	return names
}

func TestTheOrderOfRuns(t *testing.T) {
	on := func(name, scenario, target string, repeats int, axes ...Setting) Case {
		return Case{Name: name, Scenario: scenario, Dataset: "d", Target: target, Repeats: repeats, Axes: axes}
	}
	fill := func(name, target string) Case {
		return Case{Name: name, Dataset: "d", Target: target, Fills: true, Repeats: 3}
	}
	ten, twenty := Setting{"threadcount", "10"}, Setting{"threadcount", "20"}
	for name, test := range map[string]struct {
		suite Suite
		want  []string
	}{
		"nothing": {Suite{}, nil},
		"case after case": {
			Suite{Cases: []Case{on("a", "x", "A", 2), on("b", "x", "B", 2)}},
			[]string{"a1", "a2", "b1", "b2"},
		},
		"rows are filled once for each target, and not again for a repeat": {
			Suite{Cases: []Case{fill("fa", "A"), on("a", "x", "A", 2), fill("fa again", "A"), fill("fb", "B"), on("b", "x", "B", 1), on("c", "y", "A", 1)}},
			[]string{"fa1", "a1", "a2", "fb1", "b1", "c1"},
		},
		"rows are filled before they are used, in any order of cases": {
			Suite{Cases: []Case{on("a", "x", "A", 1), fill("fa", "A")}},
			[]string{"fa1", "a1"},
		},
		"two targets take turns": {
			Suite{Order: Interleaved, Cases: []Case{fill("fa", "A"), on("a", "x", "A", 3), fill("fb", "B"), on("b", "x", "B", 3), on("c", "y", "A", 2)}},
			[]string{"fa1", "fb1", "a1", "b1", "b2", "a2", "a3", "b3", "c1", "c2"},
		},
		"with the same values of the axes": {
			Suite{Order: Interleaved, Cases: []Case{
				on("a10", "x", "A", 2, ten), on("a20", "x", "A", 2, twenty), on("b10", "x", "B", 2, ten), on("b20", "x", "B", 2, twenty),
			}},
			[]string{"a101", "b101", "b102", "a102", "a201", "b201", "b202", "a202"},
		},
		"where the target is an axis, too": {
			Suite{Order: Interleaved, Cases: []Case{
				on("a", "x", "A", 2, Setting{"target", "A"}, ten), on("b", "x", "B", 2, Setting{"target", "B"}, ten),
			}},
			[]string{"a1", "b1", "b2", "a2"},
		},
		"groups of workers take turns": {
			Suite{Order: Interleaved, Cases: []Case{
				on("r10", "x", "", 2, Setting{"groups", "reads"}, ten), on("r20", "x", "", 1, Setting{"groups", "reads"}, twenty),
				on("s10", "x", "", 2, Setting{"groups", "scans"}, ten), on("b10", "x", "", 2, Setting{"groups", "reads,scans"}, ten),
			}},
			[]string{"r101", "s101", "b101", "b102", "s102", "r102", "r201"},
		},
		"three go there and back": {
			Suite{Order: Interleaved, Cases: []Case{on("a", "x", "A", 2), on("b", "x", "B", 2), on("c", "x", "C", 1)}},
			[]string{"a1", "b1", "c1", "b2", "a2"},
		},
		"cases of one target do not take turns": {
			Suite{Order: Interleaved, Cases: []Case{on("a", "x", "A", 2), on("b", "x", "A", 2)}},
			[]string{"a1", "a2", "b1", "b2"},
		},
		"nor do those of no scenario": {
			Suite{Order: Interleaved, Cases: []Case{on("a", "", "A", 2), on("b", "", "B", 2)}},
			[]string{"a1", "a2", "b1", "b2"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, test.want, order(test.suite))
		})
	}
}
