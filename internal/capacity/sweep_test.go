package capacity_test

import (
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/benchd/benchd/internal/capacity"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/stats"
)

// caseOf is a case with its throughput and its latency over its runs.
func caseOf(scenario, axis, value string, throughput ...float64) result.Case {
	c := result.Case{Name: scenario + " " + axis + "=" + value, Scenario: scenario, Axes: []plan.Setting{{Key: axis, Value: value}}, Loop: "closed"}
	add := func(name string, spread stats.Spread, values []float64) {
		f := result.Figure{Name: name, Spread: spread}
		for _, v := range values {
			f.Values = append(f.Values, &v)
		}
		c.Figures = append(c.Figures, f)
	}
	for range throughput {
		c.Runs = append(c.Runs, "S.1")
	}
	if len(throughput) > 0 {
		add("throughput_ops", stats.Repeats(throughput), throughput)
		add("read_count", stats.Repeats([]float64{1000}), nil)
		add("read_avg_us", stats.Repeats([]float64{300}), nil)
		add("read_p99_us", stats.Percentiles([]float64{900}), nil)
	}
	return c
}

// published are the cases of the published sweep of threads, as if they had been measured.
func published(t *testing.T) []result.Case {
	t.Helper()
	const name = "r1-12 read only, 10 million, thread sweep"
	text, err := os.ReadFile("../../configs/suites/r1-tdh.yaml")
	require.NoError(t, err)
	var suite struct {
		Scenarios []struct {
			Name      string
			Published []struct {
				Threads    int
				Throughput float64 `yaml:"throughput_ops"`
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &suite))
	var cases []result.Case
	var throughput []float64
	for _, s := range suite.Scenarios {
		for i, p := range s.Published {
			if s.Name != name {
				break
			}
			throughput = append(throughput, p.Throughput)
			if i+1 == len(s.Published) || s.Published[i+1].Threads != p.Threads {
				cases = append(cases, caseOf(name, "threadcount", strconv.Itoa(p.Threads), throughput...))
				throughput = nil
			}
		}
	}
	return cases
}

func TestThePublishedSweepOfThreads(t *testing.T) {
	sweeps := capacity.Sweeps(published(t), nil)
	require.Len(t, sweeps, 1)
	s := sweeps[0]
	require.Len(t, s.Points, 10)
	require.Equal(t, "plateau from 28 threads on, at 80,656 to 83,533 ops/s (differences of at most 5.0 % do not count); Universal Scalability Law with λ 4662 ops/s, "+
		"σ 0.00327, κ 0.000718 (relative residual 1.0 % over 10 levels, at most 2.0 % at 35), with its maximum of 83,193 ops/s near 37", s.Text)
	require.NotContains(t, s.Text, " 31 ")
	require.NotContains(t, s.Text, " 32 ")
	require.Equal(t, "read", s.Points[0].Op)
	require.InDelta(t, 300, *s.Points[0].Mean, 0)
	require.InDelta(t, 900, *s.Points[0].P99, 0)
}

func TestSweepsAreOfOneScenarioAndOneAxis(t *testing.T) {
	var cases []result.Case
	for _, n := range []string{"1", "2", "4", "8", "16"} {
		x, _ := strconv.ParseFloat(n, 64)
		cases = append(cases, caseOf("rises", "threads.total", n, 100*x, 101*x), caseOf("rate", "rate", n, x))
		for _, target := range []string{"a", "b"} {
			c := caseOf("targets", "threadcount", n, min(x, 4)*100)
			c.Target = target
			cases = append(cases, c)
		}
		other := caseOf("other", "fieldlength", n, 7)
		load := caseOf("load", "threadcount", n, 7)
		load.Fills = true
		search := caseOf("search", "threadcount", n, 7)
		search.Capacity = &result.Capacity{}
		empty := caseOf("empty", "threadcount", n)
		open := caseOf("loops", "threadcount", n, 7)
		open.Loop = map[bool]string{true: "open", false: "closed"}[x < 4]
		cases = append(cases, other, load, search, empty, open)
	}
	for _, n := range []string{"1", "2", "4", "8"} {
		cases = append(cases, caseOf("short", "threadcount", n, 7))
	}
	var got []string
	for _, s := range capacity.Sweeps(cases, nil) {
		got = append(got, s.Scenario+"|"+s.Of+"|"+s.Axis+"|"+s.Text)
	}
	require.Equal(t, []string{
		"targets|target a|threadcount|plateau from 4 threads on, at 400 ops/s (differences of at most 5.0 % do not count); " +
			"the Universal Scalability Law does not fit (relative residual 8.9 % over 5 levels, at most 14.5 % at 8)",
		"targets|target b|threadcount|plateau from 4 threads on, at 400 ops/s (differences of at most 5.0 % do not count); " +
			"the Universal Scalability Law does not fit (relative residual 8.9 % over 5 levels, at most 14.5 % at 8)",
		"rises||threads.total|the throughput still rises at 16 threads, the highest measured; Universal Scalability Law with λ 100.5 ops/s, σ 0, κ 0 " +
			"(relative residual 0.0 % over 5 levels, at most 0.0 % at 1), without a maximum among the measured values",
		"rate||rate|the throughput still rises at 16 ops/s offered, the highest measured",
	}, got)
}

// A busy generator, and runs that differ more than any plateau, are in the conclusion.
func TestASweepOnABusyMachine(t *testing.T) {
	var cases []result.Case
	for _, n := range []string{"1", "2", "4", "8", "16"} {
		cases = append(cases, caseOf("s", "threadcount", n, 1000, 1400))
	}
	bound := with(result.Run{ID: "S.1"}, yes("client_bound", "idle CPU 0 %"))
	sweeps := capacity.Sweeps(cases, []result.Run{bound})
	require.Len(t, sweeps, 1)
	require.Nil(t, sweeps[0].Plateau)
	require.True(t, sweeps[0].Points[0].ClientBound)
	require.Contains(t, sweeps[0].Text, "no plateau can be seen: the runs of one value differ by 33 % (median)")
	require.Contains(t, sweeps[0].Text, "the load generator was the limit at 5 of 5 values, so this may describe it and not the target")
}
