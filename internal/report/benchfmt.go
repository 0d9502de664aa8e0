package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/figure"
)

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
	fmt.Fprintf(b, "side: %s\n\n", strings.Join(strings.Fields(printable(name)), " "))
	for _, one := range c.Cases {
		for _, f := range one.Figures {
			for _, x := range of(f).Values {
				fmt.Fprintf(b, "Benchmark%s/%s 1 %g %s\n", benchmarkName(one.A), f.Name, benchmarkValue(f, x), benchmarkUnit(f))
			}
		}
	}
	b.WriteByte('\n')
}

// benchmarkName keeps blanks and slashes out of a name, which would part it.
func benchmarkName(name string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r == '/' {
			return '_'
		}
		return r
	}, printable(name))
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
