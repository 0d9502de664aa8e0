package report

import (
	"fmt"
	"strings"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/stats"
)

// medianText is the median of the throughput, with its interval if there are enough repeats for one.
func medianText(c result.Case, f result.Figure) string {
	_, all := valuesOf(c, f, "")
	text := rate(stats.Median(all))
	if f.Interval != nil {
		text += " (" + rate(f.Interval.Low) + " to " + rate(f.Interval.High) + ")"
	}
	return text
}

// medianNote describes the interval of the median, or why there is none.
func medianNote(cases []result.Case) string {
	for _, c := range cases {
		if f, ok := overRuns(c, "throughput_ops"); ok && f.Interval != nil {
			return "95 % interval of the median by " + stats.MedianMethod
		}
	}
	return fmt.Sprintf("95 %% interval of the median: not enough repeats (%d needed)", stats.LeastForMedian)
}

// oddRuns names the runs of a case whose throughput, median or p99 lies far from those of the other runs.
func oddRuns(c result.Case) []string {
	var out []string
	for _, f := range c.Figures {
		if f.Name != "throughput_ops" && (strings.Contains(f.Name, "_service_") || !strings.HasSuffix(f.Name, "_p50_us") && !strings.HasSuffix(f.Name, "_p99_us")) {
			continue
		}
		for _, id := range f.Odd {
			value, others := valuesOf(c, f, id)
			out = append(out, fmt.Sprintf("odd: %s (%s): %s %s, median of all runs %s; it is not left out",
				id, c.Name, f.Name, figureText(f, value), figureText(f, stats.Median(others))))
		}
	}
	return out
}

// valuesOf are a figure's value in one run, and in all.
func valuesOf(c result.Case, f result.Figure, run string) (one float64, all []float64) {
	for i, v := range f.Values {
		if v == nil {
			continue
		}
		all = append(all, *v)
		if c.Runs[i] == run {
			one = *v
		}
	}
	return one, all
}

func figureText(f result.Figure, x float64) string {
	if strings.HasSuffix(f.Name, "_us") {
		return Micros(x)
	}
	return rate(x) + " ops/s"
}
