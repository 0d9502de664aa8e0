package report_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/stats"
)

func figureOf(name string, a, b float64, v compare.Verdict, holds bool) compare.Figure {
	f := compare.Figure{
		Name: name, Verdict: v, Holds: holds,
		A: compare.Sample{Values: []float64{a, a}, Median: a, Min: a, Max: a}, B: compare.Sample{Values: []float64{b, b}, Median: b, Min: b, Max: b},
	}
	if name == "throughput_ops" {
		f.Unit = "ops/s"
	}
	if v != compare.NotEnoughRuns {
		f.Shift = &stats.Shift{Ratio: b / a, Low: b / a * 0.98, High: b / a * 1.03, P: 0.008}
	}
	return f
}

func comparison() compare.Comparison {
	return compare.Comparison{
		A: "20260301-k7mp", B: "20260302-x2ra", Smallest: 0.05, Method: compare.Method,
		Differences: []compare.Difference{
			{What: "benchd", A: "devel+0123456789ab", B: "devel+ba9876543210", Cases: []string{}},
			{What: "setting threads", A: "8", B: "16", Cases: []string{"r1, workload c, 32 threads"}},
			{What: "target version", B: "2.6.4", Cases: []string{}},
		},
		Cases: []compare.Case{
			{
				A: "r1, workload c, 32 threads", B: "r1, workload c, 32 threads", RunsA: make([]string, 5), RunsB: make([]string, 5),
				Figures: []compare.Figure{
					figureOf("throughput_ops", 12_345, 13_456, compare.Better, true),
					figureOf("read_p50_us", 812, 700, compare.Better, true),
					figureOf("read_p99_us", 11_200, 12_400, compare.Worse, false),
					figureOf("read_modify_write_p999_us", 112_000, 114_000, compare.NoDifference, false),
				},
				Notes: []string{"B: run 20260302-x2ra.7 is left out: agent b: windows 14–20"},
			},
			{A: "ssd", B: "hdd", RunsA: make([]string, 1), RunsB: make([]string, 3), Figures: []compare.Figure{figureOf("throughput_ops", 5, 15, compare.NotEnoughRuns, false)}},
			{A: "open", B: "open", RunsA: make([]string, 4), RunsB: make([]string, 4), Refused: "A ran in a closed loop and B in an open loop: their response times do not mean the same"},
		},
		OnlyA: []string{"gone"},
	}
}

// A comparison as people read it, in 100 columns and without colours where there is no terminal.
func TestComparisonTable(t *testing.T) {
	c := comparison()
	odd := &c.Cases[0].Figures[2]
	odd.Odd = []compare.Odd{{Side: "b", Run: "20260302-x2ra.3", Value: 48_000}}
	var out bytes.Buffer
	require.NoError(t, report.ComparisonTable(&out, c, report.Options{}))
	golden(t, "comparison.txt", out.String())
	require.NotContains(t, out.String(), "\x1b")
	for line := range strings.Lines(out.String()) {
		require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 100, line)
	}
}

// Go's tools read the values of both sides: times in ns/op, rates in ops/s.
func TestComparisonBenchmarks(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, report.ComparisonBenchmarks(&out, []compare.Comparison{comparison()}))
	golden(t, "comparison-benchmarks.txt", out.String())
}
