package report_test

import (
	"bytes"
	"fmt"
	"regexp"
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
				Name: "r1, workload c, 32 threads", A: "r1, workload c, 32 threads", B: "r1, workload c, 32 threads", RunsA: make([]string, 5), RunsB: make([]string, 5),
				Outcome: compare.IsMixed, Sentence: "B is better and worse: throughput +9.0 % (+6.8 to +12.3) better, READ p99 +10.7 % (+8.5 to +14.0) worse *; no difference shown of READ-MODIFY-WRITE p99.9",
				Figures: []compare.Figure{
					figureOf("throughput_ops", 12_345, 13_456, compare.Better, true),
					figureOf("read_p50_us", 812, 700, compare.Better, true),
					figureOf("read_p99_us", 11_200, 12_400, compare.Worse, false),
					figureOf("read_modify_write_p999_us", 112_000, 114_000, compare.NoDifference, false),
				},
				Notes: []string{"B: run 20260302-x2ra.7 is left out: agent b: windows 14–20"},
			},
			{Name: "ssd  against  hdd", Outcome: compare.IsUnknown, Sentence: "not enough runs: 1 of A and 3 of B; want 4 of each at least", A: "ssd", B: "hdd", RunsA: make([]string, 1), RunsB: make([]string, 3), Figures: []compare.Figure{figureOf("throughput_ops", 5, 15, compare.NotEnoughRuns, false)}},
			{Name: "open", Outcome: compare.IsRefused, Sentence: "not compared: A ran in a closed loop and B in an open loop: their response times do not mean the same", A: "open", B: "open", RunsA: make([]string, 4), RunsB: make([]string, 4), Refused: "A ran in a closed loop and B in an open loop: their response times do not mean the same"},
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

// On a terminal better is green, worse red, and what was not compared yellow; without its escape sequences the text is the same.
func TestColoursOfAComparison(t *testing.T) {
	var coloured, plain bytes.Buffer
	require.NoError(t, report.ComparisonTable(&coloured, comparison(), report.Options{Colour: true}))
	require.NoError(t, report.ComparisonTable(&plain, comparison(), report.Options{}))
	for _, want := range []string{"\x1b[32mbetter\x1b[0m\n", "\x1b[31mworse *\x1b[0m\n", "\x1b[33mnot compared: ", "  no difference shown\n", "\x1b[33mnot enough runs\x1b[0m\n"} {
		require.Contains(t, coloured.String(), want)
	}
	require.Equal(t, plain.String(), regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(coloured.String(), ""))
}

// Many cases: those with a difference come first, worse before better; those without have their sentence alone.
func TestManyComparedCases(t *testing.T) {
	c := comparison()
	c.Differences, c.Cases = nil, nil
	for i := range 12 {
		c.Differences = append(c.Differences, compare.Difference{What: fmt.Sprintf("setting %d", i), A: "a", B: "b"})
		one := compare.Case{
			Name: fmt.Sprintf("case %d", i), RunsA: make([]string, 5), RunsB: make([]string, 5), Outcome: compare.IsSame,
			Sentence: "no difference shown of READ p50", Figures: []compare.Figure{figureOf("read_p50_us", 812, 812, compare.NoDifference, false)},
			Notes: []string{"all runs of A began before those of B"},
		}
		switch i {
		case 3:
			one.Outcome, one.Sentence, one.Figures[0] = compare.IsBetter, "B is faster: READ p50 -13.8 % (-15.5 to -11.2)", figureOf("read_p50_us", 812, 700, compare.Better, true)
		case 7:
			one.Outcome, one.Sentence, one.Figures[0] = compare.IsWorse, "B is slower: READ p50 +10.8 % (+8.6 to +14.2)", figureOf("read_p50_us", 812, 900, compare.Worse, true)
		}
		c.Cases = append(c.Cases, one)
	}
	var out bytes.Buffer
	require.NoError(t, report.ComparisonTable(&out, c, report.Options{}))
	golden(t, "comparison-many.txt", out.String())
}

// Go's tools read the values of both sides: times in ns/op, rates in ops/s.
func TestComparisonBenchmarks(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, report.ComparisonBenchmarks(&out, []compare.Comparison{comparison()}))
	golden(t, "comparison-benchmarks.txt", out.String())
}
