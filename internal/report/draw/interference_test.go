package draw_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/report/draw"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/stats"
)

// besides is a case whose groups have a figure in six runs each.
func besides(name string, figures map[string]float64) result.Case {
	c := result.Case{Name: name, Repeats: 6, Runs: []string{"1", "2", "3", "4", "5", "6"}}
	for figure, middle := range figures {
		f := result.Figure{Name: figure}
		var values []float64
		for i := range 6 {
			v := middle * (0.975 + 0.01*float64(i))
			f.Values, values = append(f.Values, &v), append(values, v)
		}
		f.Spread = stats.Repeats(values)
		c.Figures = append(c.Figures, f)
	}
	return c
}

func TestInterferenceShowsEachGroupAloneAndTogether(t *testing.T) {
	cases := []result.Case{
		besides("reads", map[string]float64{"reads.throughput_ops": 100, "reads.read_p50_us": 500, "reads.read_p99_us": 1000}),
		besides("scans", map[string]float64{"scans.throughput_ops": 20, "scans.scan_p99_us": 9000}),
		besides("reads,scans", map[string]float64{
			"reads.throughput_ops": 100, "reads.read_p50_us": 600, "reads.read_p99_us": 4000, "scans.throughput_ops": 10, "scans.scan_p99_us": 18_000,
		}),
	}
	tested := func(name string, ratio, low, high float64) result.Interfered {
		return result.Interfered{Name: name, Shift: &stats.Shift{Ratio: ratio, Low: low, High: high}}
	}
	i := result.Interference{
		Case: "reads,scans", Test: "the factor is tested",
		Groups: []result.GroupInterference{
			{Group: "reads", Alone: "reads", Figures: []result.Interfered{
				tested("throughput_ops", 1, 0.99, 1.01), tested("read_p50_us", 1.2, 1.1, 1.3), tested("read_p99_us", 4, 3.8, 4.2),
			}},
			{Group: "scans", Alone: "scans", Figures: []result.Interfered{tested("throughput_ops", 0.5, 0.4, 0.6), {Name: "scan_p99_us", Alone: 1, Together: 2}}},
			{Group: "writes", Alone: "writes", Because: "its loop is open alone and closed together"},
		},
	}
	charts := draw.Interference(i, cases)
	require.Equal(t, []string{
		"Groups together against alone: reads,scans", "Throughput of groups alone and together: reads,scans",
		"Response times of reads alone and together: reads,scans", "Response times of scans alone and together: reads,scans",
	}, titles(charts))

	factors := charts[0]
	require.Equal(t, []string{"reads", "reads.READ", "scans"}, factors.X.Categories, "a factor that is not tested is not shown")
	require.Equal(t, book.Log, factors.Y[0].Scale, "half as much is as far from the line as twice as much")
	requireFloats(t, []float64{1, 0.5}, series(t, factors, "throughput").Y)
	require.Equal(t, []float64{0, 2}, series(t, factors, "throughput").X)
	requireFloats(t, []float64{1.2}, series(t, factors, "p50").Y)
	requireFloats(t, []float64{3.8}, series(t, factors, "p99").Low)
	requireFloats(t, []float64{4.2}, series(t, factors, "p99").High)
	require.Equal(t, []book.Limit{{Value: 1, Label: "as alone"}}, factors.Limits)
	require.Contains(t, factors.How, "Tested: the factor is tested. An interval that leaves out 1 shows interference.")

	require.Equal(t, []string{"reads", "scans"}, charts[1].X.Categories)
	requireFloats(t, []float64{100, 20}, series(t, charts[1], "alone").Y)
	requireFloats(t, []float64{100, 10}, series(t, charts[1], "together").Y)
	require.Equal(t, []string{"READ p50", "READ p99"}, charts[2].X.Categories)
	together := series(t, charts[2], "together")
	requireFloats(t, []float64{600, 4000}, together.Y)
	requireFloats(t, []float64{585, 3900}, together.Low)
	requireFloats(t, []float64{615, 4100}, together.High)
	require.Len(t, together.Runs[0], 6, "the repeats are points")
}

func TestInterferenceWithoutComparedGroupsHasNoChart(t *testing.T) {
	i := result.Interference{Case: "both", Groups: []result.GroupInterference{{Group: "reads", Alone: "reads", Because: "its loop differs"}}}
	require.Empty(t, draw.Interference(i, []result.Case{besides("reads", nil), besides("both", nil)}))
}
