package interference_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/interference"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/stats"
)

// suite collects cases with their runs.
type suite struct {
	cases []result.Case
	runs  []result.Run
}

// add adds a case with groups: the loop of each, and its p99 and throughput in each run.
func (s *suite) add(name, groups string, loops map[string]string, p99, throughput map[string][]float64) {
	c := result.Case{Name: name, Scenario: "mixed", Axes: []plan.Setting{{Key: "groups", Value: groups}, {Key: "rows", Value: "5"}}}
	var of []result.Group
	for _, group := range []string{"reads", "scans"} {
		if loops[group] == "" {
			continue
		}
		of = append(of, result.Group{Name: group, Loop: loops[group]})
		if p99[group] == nil {
			continue
		}
		figure := func(name string, values []float64, spread stats.Spread) {
			f := result.Figure{Name: group + "." + name, Unit: "u", Spread: spread}
			for i := range values {
				f.Values = append(f.Values, &values[i])
			}
			c.Figures = append(c.Figures, f)
		}
		figure("read_p99_us", p99[group], stats.Percentiles(p99[group]))
		figure("throughput_ops", throughput[group], stats.Repeats(throughput[group]))
		figure("read_service_p99_us", p99[group], stats.Percentiles(p99[group]))
		for i := range p99[group] {
			if len(c.Runs) == i {
				c.Runs = append(c.Runs, fmt.Sprintf("%s.%d", name, i))
			}
		}
	}
	for _, id := range c.Runs {
		s.runs = append(s.runs, result.Run{ID: id, Phases: []result.Phase{{Name: "measure", Groups: of}}})
	}
	s.cases = append(s.cases, c)
}

func sample(of string, values ...float64) map[string][]float64 {
	return map[string][]float64{of: values}
}

func TestEachGroupIsComparedWithItselfAlone(t *testing.T) {
	var s suite
	s.add("alone", "reads", map[string]string{"reads": "open"}, sample("reads", 10, 11, 12, 10, 11), sample("reads", 100, 100, 101, 99, 100))
	s.add("both", "reads,scans", map[string]string{"reads": "open", "scans": "closed"},
		map[string][]float64{"reads": {40, 44, 42, 45, 41}, "scans": {5, 5, 5, 5, 5}},
		map[string][]float64{"reads": {100, 99, 101, 100, 100}, "scans": {5, 5, 5, 5, 5}})
	s.runs[0].Verdicts = []result.Verdict{{Name: "client_bound", Value: true}}

	found := interference.Of(s.cases, s.runs)
	require.Len(t, found, 1)
	i := found[0]
	require.Equal(t, "both", i.Case)
	require.Equal(t, "rows=5", i.Of)
	require.Equal(t, []string{"alone.0"}, i.ClientBound)
	require.Len(t, i.Groups, 1, "scans have no case of their own")
	g := i.Groups[0]
	require.Equal(t, "alone", g.Alone)
	require.Len(t, g.Figures, 2, "without the service time")
	require.Equal(t, "read_p99_us", g.Figures[0].Name)
	require.InDelta(t, 11, g.Figures[0].Alone, 0, "the median")
	require.InDelta(t, 42, g.Figures[0].Together, 0)
	require.InDelta(t, 3.9, g.Figures[0].Shift.Ratio, 0.2)
	require.Greater(t, g.Figures[0].Shift.Low, 1.0)
	require.InDelta(t, 1, g.Figures[1].Shift.Ratio, 0.01)
	require.Contains(t, i.Text, "read p99 of reads is")
	require.NotContains(t, i.Text, "throughput", "its interval has 1 in it")
}

func TestGroupsOfOtherLoopsAreNotCompared(t *testing.T) {
	var s suite
	s.add("alone", "reads", map[string]string{"reads": "closed"}, sample("reads", 1, 2, 3, 4), sample("reads", 1, 2, 3, 4))
	s.add("both", "reads,scans", map[string]string{"reads": "open", "scans": "open"}, sample("reads", 1, 2, 3, 4), sample("reads", 1, 2, 3, 4))
	g := interference.Of(s.cases, s.runs)[0].Groups[0]
	require.Empty(t, g.Figures)
	require.Equal(t, "its loop is closed alone and open together: they are not comparable", g.Because)
}

func TestTooFewRunsHaveNoInterval(t *testing.T) {
	var s suite
	s.add("alone", "reads", map[string]string{"reads": "open"}, sample("reads", 1, 2, 3), sample("reads", 1, 2, 3))
	s.add("both", "reads,scans", map[string]string{"reads": "open", "scans": "open"}, sample("reads", 10, 20, 30, 40), sample("reads", 1, 2, 3, 4))
	i := interference.Of(s.cases, s.runs)[0]
	require.Nil(t, i.Groups[0].Figures[0].Shift)
	require.Equal(t, "nothing is tested: that needs 4 runs of each case", i.Text)
}

func TestOtherCasesHaveNoInterference(t *testing.T) {
	require.Empty(t, interference.Of([]result.Case{{Name: "a", Runs: []string{"a.1"}}}, []result.Run{{ID: "a.1", Phases: []result.Phase{{Name: "measure"}}}}))
}
