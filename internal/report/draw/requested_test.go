package draw_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/report/draw"
	"github.com/benchd/benchd/internal/result"
)

// requested makes the charts that a suite's file asks for, of cases with their runs.
func requested(charts []plan.Chart, runs []result.Run, cases ...result.Case) []book.Chart {
	return draw.Suite(result.Suite{Plan: &result.Plan{Charts: charts}, Cases: cases, Runs: runs}).Requested
}

func TestARequestedChartShowsItsFiguresOfItsScenarios(t *testing.T) {
	a, b, c := aCase("A", "", nil, 100, 300), aCase("B", "", nil, 50), aCase("C", "", nil, 1)
	a.Published = []map[string]any{{"throughput_ops": 7.0}}
	charts := requested([]plan.Chart{
		{Title: "Throughput of A and B", Scenarios: []string{"A", "B"}, Y: []string{"throughput_ops"}, Limits: []plan.ChartLimit{{Value: 250, Label: "what the disks can do"}}},
		{Title: "Nothing", Scenarios: []string{"A"}, Y: []string{"scan_avg_us"}},
		{Title: "Both", Y: []string{"throughput_ops", "read_avg_ms", "read_p99_ms", "total_s"}},
	}, nil, a, b, c)
	require.Equal(t, []string{"Throughput of A and B", "Both", "Both: Total time"}, titles(charts), "a chart without values is left out, and a third unit has its own")
	require.Equal(t, book.Bars, charts[0].Kind)
	require.Equal(t, []string{"A", "B"}, charts[0].X.Categories)
	requireFloats(t, []float64{200, 50}, series(t, charts[0], "throughput").Y)
	require.Equal(t, [][]float64{{100, 300}, {50}}, series(t, charts[0], "throughput").Runs)
	requireFloats(t, []float64{7}, series(t, charts[0], "throughput, published").Y)
	require.Equal(t, []book.Limit{{Value: 250, Label: "what the disks can do"}}, charts[0].Limits)
	require.Equal(t, []string{"A", "B", "C"}, charts[1].X.Categories, "all scenarios without scenarios")
	require.Equal(t, 1, series(t, charts[1], "read p99").Axis)
}

func TestARequestedChartHasItsAxisAndItsSeries(t *testing.T) {
	var cases []result.Case
	for i, threads := range []string{"10", "20", "30"} {
		for k, codec := range []string{"x", "y"} {
			cases = append(cases, aCase("s", "", axes("threadcount", threads, "codec", codec), float64(100*(i+1)+k)))
		}
	}
	charts := requested([]plan.Chart{
		{Title: "by codec", X: "threads", Y: []string{"throughput_ops"}, By: "codec"},
		{Title: "only y", Y: []string{"throughput_ops"}, Only: []plan.Setting{{Key: "codec", Value: "y"}}},
		{Title: "bars", Kind: plan.BarsChart, X: "threadcount", Y: []string{"throughput_ops"}},
		{Title: "by case", X: "case", Y: []string{"throughput_ops"}, Only: []plan.Setting{{Key: "threads", Value: "20"}}},
	}, []result.Run{{ID: "none"}}, cases...)
	require.Empty(t, charts[0].X.Categories)
	require.Equal(t, book.Lines, charts[0].Kind)
	requireFloats(t, []float64{10, 20, 30}, series(t, charts[0], "x").X)
	requireFloats(t, []float64{101, 201, 301}, series(t, charts[0], "y").Y)
	requireFloats(t, []float64{101, 201, 301}, series(t, charts[1], "throughput").Y)
	require.Equal(t, []string{"10", "20", "30"}, charts[2].X.Categories)
	requireFloats(t, []float64{100, 200, 300}, series(t, charts[2], "codec=x").Y)
	require.Equal(t, []string{"x", "y"}, charts[3].X.Categories)
}

// Devices of a server and figures that are joined by + are added up; shares are averaged; each server is a series.
func TestARequestedChartOfTelemetryHasASeriesForEachServer(t *testing.T) {
	points := func(values ...float64) (out [][2]float64) {
		for i, v := range values {
			out = append(out, [2]float64{float64(i + 1), v})
		}
		return out
	}
	c, fill := aCase("reads", "", nil, 100), aCase("fill", "", nil, 1)
	fill.Fills, fill.Dataset, c.Dataset = true, "d", "d"
	runs := []result.Run{
		{ID: fill.Runs[0], Resolved: map[string]string{"recordcount": "4200"}},
		{ID: c.Runs[0], Phases: []result.Phase{{Name: "measure", Seconds: 2, Observations: []result.Observation{
			{Name: "cache.hit_percent", Source: "s1", Unit: "percent", Points: points(40, 60)},
			{Name: "cache.hit_percent", Source: "s2", Unit: "percent", Points: points(70, 90)},
			{Name: "reads", Source: "s1/sda", Unit: "1/s", Points: points(100, 200)},
			{Name: "reads", Source: "s1/sdb", Unit: "1/s", Points: points(10, 20)},
			{Name: "writes", Source: `s1{device="sda"}`, Unit: "1/s", Points: points(1, 3)},
			{Name: "node.net_sent", Source: "s1", Unit: "bytes/s", Points: points(2e6, 4e6)},
		}}}},
	}
	charts := requested([]plan.Chart{
		{Title: "hits", Telemetry: []string{"cache.hit_percent"}, By: "server"},
		{Title: "hits by size", X: "rows", Telemetry: []string{"cache.hit_percent"}, Published: []plan.PublishedPoint{{Name: "elsewhere", X: 40, Y: 99}, {Name: "elsewhere", X: 1000, Y: 85}}},
		{Title: "disks", Telemetry: []string{"reads + writes"}, By: "server", Limits: []plan.ChartLimit{{Value: 1500, Label: "10 disks"}}},
		{Title: "network", Kind: plan.TimeChart, Telemetry: []string{"node.net_sent"}, Limits: []plan.ChartLimit{{Value: 125e6, Label: "1 Gb/s"}}},
		{Title: "operations", Kind: plan.TimeChart, Telemetry: []string{"reads + writes"}},
	}, runs, fill, c)
	require.Equal(t, []string{"hits", "hits by size", "disks", "network", "operations"}, titles(charts))
	requireFloats(t, []float64{50}, series(t, charts[0], "s1").Y)
	requireFloats(t, []float64{80}, series(t, charts[0], "s2").Y)
	require.InDelta(t, 100, charts[0].Y[0].Max, 0)

	require.Equal(t, book.Lines, charts[1].Kind)
	require.Equal(t, book.Log, charts[1].X.Scale, "40 to 4200")
	requireFloats(t, []float64{4200}, charts[1].Series[0].X)
	requireFloats(t, []float64{65}, charts[1].Series[0].Y)
	published := series(t, charts[1], "elsewhere, published")
	require.True(t, published.Published)
	requireFloats(t, []float64{40, 1000}, published.X)
	requireFloats(t, []float64{99, 85}, published.Y)
	require.Contains(t, charts[1].How, "from another cluster")

	requireFloats(t, []float64{150 + 15 + 2}, series(t, charts[2], "s1").Y)
	require.Equal(t, []book.Limit{{Value: 1500, Label: "10 disks"}}, charts[2].Limits)

	require.Equal(t, book.Time, charts[3].Kind)
	require.Equal(t, c.Runs[0], charts[3].Group, "the same axis as the other charts of the run")
	require.Equal(t, "MB/s", charts[3].Y[0].Unit)
	requireFloats(t, []float64{0, 1, 2}, series(t, charts[3], "s1").X) // as long as the run
	requireFloats(t, []float64{unknown, 2, 4}, series(t, charts[3], "s1").Y)
	require.Equal(t, []book.Limit{{Value: 125, Label: "1 Gb/s"}}, charts[3].Limits, "in the unit of the axis")
	requireFloats(t, []float64{unknown, 111, 223}, series(t, charts[4], "s1").Y)
}
