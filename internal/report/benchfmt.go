package report

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/figure"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
)

// benchmarkNameLength bounds the name of a case in a line: readers have a limit for lines.
const benchmarkNameLength = 200

// Benchmarks writes runs in Go's benchmark format, for benchstat: for each measured phase a line with its operations and its
// throughput, and one for each operation with its mean and percentiles of response times. The repeats of a case have the same names, so
// benchstat puts them together. The settings by which cases differ are parts of the name (/threads=8). The database and the loop
// are configuration, because results of different ones are not comparable. Runs that no mean includes are left out.
func Benchmarks(w io.Writer, runs []result.Run, cases []result.Case) error {
	var b strings.Builder
	benchmarkUnits(&b)
	db, loop := "", ""
	for _, run := range runs {
		fmt.Fprintf(&b, "\n# run %s, submitted %s, benchd %s\n", oneLine(run.ID), instant(run.Provenance.Created), oneLine(run.Provenance.Benchd))
		if why := run.Unfit(); why != "" {
			fmt.Fprintf(&b, "# left out: %s\n", oneLine(why))
			continue
		}
		for _, phase := range run.Phases {
			if phase.Name == string(plan.Warmup) {
				continue
			}
			if t := oneLine(run.Resolved["db"]); t != db {
				db = t
				fmt.Fprintf(&b, "db: %s\n", db)
			}
			if phase.Loop != loop {
				loop = phase.Loop
				fmt.Fprintf(&b, "loop: %s\n", oneLine(loop))
			}
			benchmarkPhase(&b, benchmarkCase(run, cases)+"/phase="+benchmarkName(phase.Name), phase)
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write benchmarks: %w", err)
	}
	return nil
}

// leftOfBenchmarks are warnings about the runs that Benchmarks leaves out.
func leftOfBenchmarks(runs []result.Run) []string {
	var out []string
	for _, run := range runs {
		if why := run.Unfit(); why != "" {
			out = append(out, fmt.Sprintf("run %s is not in the benchmarks: %s", run.ID, why))
		}
	}
	return out
}

// benchmarkUnits states which values are better, because benchstat knows its own units alone.
func benchmarkUnits(b *strings.Builder) {
	b.WriteString("Unit ops/s better=higher\n")
	for _, name := range []string{"min", "max"} {
		fmt.Fprintf(b, "Unit %s-ns better=lower\n", name)
	}
	for _, p := range figure.Percentiles() {
		fmt.Fprintf(b, "Unit %s-ns better=lower\n", p.Name)
	}
}

// benchmarkCase is the name of a run's case: that of its scenario with the target and the settings by which its cases differ, or else of
// the case.
func benchmarkCase(run result.Run, cases []result.Case) string {
	for _, c := range cases {
		if c.Name != run.Case || c.Scenario == "" {
			continue
		}
		parts := []string{benchmarkName(c.Scenario)}
		if c.Target != "" {
			parts = append(parts, "target="+benchmarkName(c.Target))
		}
		for _, a := range c.Axes {
			parts = append(parts, benchmarkName(a.Key)+"="+benchmarkName(a.Value))
		}
		return strings.Join(parts, "/")
	}
	name := run.Case
	if name == "" {
		name = run.Name
	}
	return benchmarkName(name)
}

func benchmarkPhase(b *strings.Builder, name string, phase result.Phase) {
	fmt.Fprintf(b, "Benchmark%s %d %s ops/s\n", name, phase.Ops, exact(phase.Throughput))
	for _, o := range phase.Operations {
		if o.PartOf != nil || !result.Good(o.Outcome) {
			continue
		}
		full := name + "/op=" + benchmarkName(o.Op)
		if o.Outcome != "OK" {
			full += "/outcome=" + benchmarkName(o.Outcome)
		}
		benchmarkTimes(b, full, o.Figures)
		if phase.LoopOf(o.Op) == "open" {
			benchmarkTimes(b, full+"/clock=service", o.Service)
		}
	}
}

// benchmarkTimes writes the times of an operation; a percentile without enough samples is left out.
func benchmarkTimes(b *strings.Builder, name string, f result.Figures) {
	fmt.Fprintf(b, "Benchmark%s %d %s ns/op %s min-ns", name, f.Count, nanos(f.Mean), nanos(f.Min))
	for _, p := range figure.Percentiles() {
		if us, _ := f.Percentile(p.Percentile); us != nil {
			fmt.Fprintf(b, " %s %s-ns", nanos(*us), p.Name)
		}
	}
	fmt.Fprintf(b, " %s max-ns\n", nanos(f.Max))
}

// nanos writes microseconds as nanoseconds, without the digits that the factor adds.
func nanos(us float64) string { return fmt.Sprintf("%.12g", us*1000) }

// oneLine is a text that stays in its line.
func oneLine(s string) string {
	return short(strings.Join(strings.Fields(printable(s)), " "), benchmarkNameLength)
}

// ComparisonBenchmarks writes the values of comparisons in Go's benchmark format, for benchstat: a line for each run and
// figure, with the side as the configuration "side".
func ComparisonBenchmarks(w io.Writer, all []compare.Comparison) error {
	var b strings.Builder
	for i, c := range all {
		if i == 0 {
			benchmarkSide(&b, c.A, c, func(f compare.Figure) compare.Sample { return f.A })
		}
		benchmarkSide(&b, c.B, c, func(f compare.Figure) compare.Sample { return f.B })
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write benchmarks: %w", err)
	}
	return nil
}

func benchmarkSide(b *strings.Builder, name string, c compare.Comparison, of func(compare.Figure) compare.Sample) {
	fmt.Fprintf(b, "side: %s\n\n", oneLine(name))
	for _, one := range c.Cases {
		for _, f := range one.Figures {
			for _, x := range of(f).Values {
				fmt.Fprintf(b, "Benchmark%s/%s 1 %g %s\n", benchmarkName(one.A), f.Name, benchmarkValue(f, x), benchmarkUnit(f))
			}
		}
	}
	b.WriteByte('\n')
}

// benchmarkName keeps blanks and slashes out of a name, which would part it, and cuts it.
func benchmarkName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '/' {
			return '_'
		}
		return r
	}, short(printable(name), benchmarkNameLength))
}

func benchmarkValue(f compare.Figure, x float64) float64 {
	if _, unit := figure.Split(f.Name); unit != (figure.Unit{}) {
		return x / unit.Second * 1e9
	}
	return x
}

// benchmarkUnit is a unit by which benchstat knows whether more is better.
func benchmarkUnit(f compare.Figure) string {
	if _, unit := figure.Split(f.Name); unit != (figure.Unit{}) {
		return "ns/op"
	}
	if f.Unit == "" {
		return "n"
	}
	return f.Unit
}
