package draw_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/report/draw"
	"github.com/benchd/benchd/internal/result"
)

func (f fixture) draw(t testing.TB) (result.Run, draw.Pictures) {
	t.Helper()
	run, h := f.make(t)
	return run, draw.Run(run, draw.Options{Histograms: map[string]*draw.Histograms{run.ID: h}})
}

func everyChart(p draw.Pictures) []book.Chart {
	return slices.Concat(p.Course, p.Telemetry, p.Details, p.Distribution, p.Agents)
}

// The percentiles over time are those of the document where it has them, and p95 comes from the histograms.
func TestResponseTimesOverTimeAreThoseOfTheDocument(t *testing.T) {
	run, h := fixture{seconds: 6, reads: 400}.make(t)
	measured := find(t, draw.Run(run, draw.Options{Histograms: map[string]*draw.Histograms{run.ID: h}}).Course, "Response time of READ")
	documented := find(t, draw.Run(run, draw.Options{}).Course, "Response time of READ")
	require.Equal(t, documented.Series[0].X, measured.Series[0].X)
	for _, name := range []string{"p50", "p99", "max"} {
		require.Equal(t, seriesOf(t, documented, name).Y[:8], seriesOf(t, measured, name).Y[:8], name)
	}
	require.Equal(t, *run.Phases[1].Series[0].Operations[0].P99, seriesOf(t, measured, "p99").Y[2])
	p50, p95, p99 := seriesOf(t, measured, "p50").Y[2], seriesOf(t, measured, "p95").Y[2], seriesOf(t, measured, "p99").Y[2]
	require.True(t, p50 < p95 && p95 < p99, "%g, %g, %g", p50, p95, p99)
	for _, s := range documented.Series {
		require.NotEqual(t, "p95", s.Name, "the document has none")
	}
	require.Equal(t, book.Log, measured.Y[0].Scale)
}

// A percentile curve ends where fewer than ten samples are slower, and agrees with the document.
func TestAPercentileCurveEndsWithItsSamples(t *testing.T) {
	for reads, last := range map[int]float64{50: 98, 400: 99.75, 4000: 99.975} {
		run, p := fixture{seconds: 6, reads: reads}.draw(t)
		read := run.Phases[1].Operations[0]
		c := find(t, p.Distribution, "Percentiles")
		s := seriesOf(t, c, "READ")
		require.InDelta(t, last, s.X[len(s.X)-1], 1e-9, "%d samples", read.Count)
		require.GreaterOrEqual(t, float64(read.Count)*(1-s.X[len(s.X)-1]/100), 9.99)
		require.InDelta(t, *read.P90, s.Y[slices.Index(s.X, 90)], 1e-9)
		require.IsNonDecreasing(t, s.Y)
		service := seriesOf(t, c, "READ, service time")
		require.Equal(t, book.Dashed, service.Style)
		require.InDelta(t, *read.Service.P90, service.Y[slices.Index(service.X, 90)], 1e-9)
	}
}

// Without histograms the curve has the document's percentiles, and says so.
func TestWithoutHistogramsTheCurveHasTheDocumentsPercentiles(t *testing.T) {
	run, _ := fixture{seconds: 6, reads: 400}.make(t)
	c := find(t, draw.Run(run, draw.Options{}).Distribution, "Percentiles")
	read := run.Phases[1].Operations[0]
	s := seriesOf(t, c, "READ")
	require.Equal(t, []float64{50, 90, 95, 99}, s.X)
	require.Equal(t, []float64{*read.P50, *read.P90, *read.P95, *read.P99}, s.Y)
	require.Contains(t, c.How, "there are no histograms")
}

// An open loop shows the rate that was offered beside the one that was achieved.
func TestAnOpenLoopShowsTheOfferedRate(t *testing.T) {
	run, p := fixture{seconds: 6, reads: 100, open: true}.draw(t)
	c := find(t, p.Course, "Throughput")
	offered := seriesOf(t, c, "offered")
	require.Equal(t, book.Dashed, offered.Style)
	require.InDelta(t, *run.Phases[1].Offered, offered.Y[3], 1e-9)
	seriesOf(t, find(t, p.Course, "Response time of READ"), "mean service time")

	_, closed := fixture{seconds: 6, reads: 100}.draw(t)
	for _, s := range find(t, closed.Course, "Throughput").Series {
		require.NotEqual(t, "offered", s.Name)
	}
}

// Failed operations and repeated attempts are drawn by kind; their sums are the document's.
func TestFailuresAndRetriesAddUpToTheDocument(t *testing.T) {
	_, p := fixture{seconds: 6, reads: 100}.draw(t)
	failed := seriesOf(t, find(t, p.Course, "Failed operations"), "READ TIMEOUT")
	require.InDelta(t, 12, sum(failed.Y), 1e-9, "three of each agent in a second of each phase")
	require.InDelta(t, 8, sum(seriesOf(t, find(t, p.Course, "Repeated attempts"), "NotServingRegionException").Y), 1e-9)
}

// All charts over the time of a run have the same axis, and the same marks: they are read below each other.
func TestChartsOverTimeShareTheirAxis(t *testing.T) {
	run, p := fixture{seconds: 20, reads: 50}.draw(t)
	require.NotEmpty(t, p.Telemetry)
	require.NotEmpty(t, p.Details)
	for _, c := range slices.Concat(p.Course, p.Telemetry, p.Details) {
		require.Equal(t, run.ID, c.Group, c.Title)
		x := c.Series[0].X
		require.InDelta(t, -2, x[0], 1e-9, c.Title)
		require.InDelta(t, 20, x[len(x)-1], 1e-9, c.Title)
		require.IsIncreasing(t, x, c.Title)
		require.Equal(t, p.Course[0].Marks, c.Marks)
		for _, s := range c.Series {
			if len(s.X) == 0 {
				require.Len(t, s.Y, len(x), "%s of %s", s.Name, c.Title)
			} else {
				require.Len(t, s.Y, len(s.X), "%s of %s", s.Name, c.Title)
			}
		}
	}
}

// Servers that are polled together keep their values; agents that poll at other instants are put on a common grid, with the
// same mean.
func TestTelemetryKeepsItsValues(t *testing.T) {
	run, p := fixture{seconds: 20, reads: 50}.draw(t)
	cpu := find(t, p.Telemetry, "CPU of the process (server)")
	require.Equal(t, []book.Axis{{Title: "CPU of the process", Unit: "%", Max: 100}}, cpu.Y)
	for _, o := range run.Phases[1].Observations {
		if o.Name != "db.server.cpu_percent" {
			continue
		}
		s := seriesOf(t, cpu, o.Source)
		require.True(t, s.Verbatim)
		for k, point := range o.Points {
			require.InDelta(t, point[1], s.Y[k+1], 1e-9)
		}
	}
	heap := find(t, p.Telemetry, "Heap in use (server)")
	require.Equal(t, "GB", heap.Y[0].Unit)
	require.InDelta(t, 3, heap.Series[0].Y[5], 1e-9)

	sent := find(t, p.Telemetry, "Network, sent (machines of the agents)")
	require.Equal(t, "MB/s", sent.Y[0].Unit)
	require.Contains(t, sent.How, "mean over 1 s")
	for _, s := range sent.Series {
		require.Len(t, s.Y, 22, "twenty seconds in steps of 1 s, and the ends of the run")
		require.InDelta(t, 40, sum(s.Y), 1e-9)
	}
}

// Of many servers only the busiest are shown at first; none is left out.
func TestOfManyServersTheBusiestAreShown(t *testing.T) {
	run, _ := fixture{seconds: 5, reads: 50}.make(t)
	for i := range 30 {
		for k, name := range []string{"db.server.block_cache_hit_percent", "db.server.requests"} {
			run.Phases[1].Observations = append(run.Phases[1].Observations, result.Observation{
				Name: name, Source: fmt.Sprintf("s%02d", i), Unit: "percent", Points: [][2]float64{{1, float64(i)}, {2, float64(i)}, {3, float64(i + k)}},
			})
		}
	}
	shown := func(c book.Chart) (names []string) {
		require.Len(t, c.Series, 30)
		for _, s := range c.Series {
			if !s.Hidden {
				names = append(names, s.Name)
			}
		}
		return names
	}
	p := draw.Run(run, draw.Options{Servers: 3})
	require.Equal(t, []string{"s27", "s28", "s29"}, shown(find(t, p.Telemetry, "Requests (server)")))
	require.Equal(t, []string{"s00", "s01", "s02"}, shown(find(t, p.Telemetry, "Cache hit ratio (server)")), "the lowest ratios")
	require.Len(t, shown(find(t, draw.Run(run, draw.Options{}).Telemetry, "Requests (server)")), 12)
}

// A limit is drawn across the chart of its figure, in the unit of the chart.
func TestLimitsAreInTheUnitOfTheChart(t *testing.T) {
	run, _ := fixture{seconds: 5, reads: 50}.make(t)
	run.Phases[1].Bottleneck = &result.Bottleneck{Evidence: []result.Evidence{
		{Figure: "db.server.cpu_percent", Limit: 80, Unit: "percent"}, {Figure: "db.server.heap_used", Limit: 25, Unit: "percent"},
	}}
	p := draw.Run(run, draw.Options{Limits: []draw.FigureLimit{{Figure: "db.server.heap_used", Value: 4e9, Label: "heap"}}})
	require.Equal(t, []book.Limit{{Value: 4, Label: "heap"}}, find(t, p.Telemetry, "Heap in use (server)").Limits)
	require.Equal(t, []book.Limit{{Value: 80, Label: "threshold of the test for a bottleneck"}}, find(t, p.Telemetry, "CPU of the process (server)").Limits)
}

// The operations of all real disks of a machine are added up, reads and writes, and have the limit that is known of them.
func TestDiskOperationsAreThoseOfAMachine(t *testing.T) {
	run, _ := fixture{seconds: 5, reads: 50}.make(t)
	for i, source := range []string{`n1{device="sda"}`, `n1{device="sdb"}`, `n1{device="dm-0"}`, `n2{device="sda"}`} {
		for k, name := range []string{"node_disk_reads_completed_total", "node_disk_writes_completed_total"} {
			run.Phases[1].Observations = append(run.Phases[1].Observations, result.Observation{
				Name: name, Source: source, Unit: "1/s", Points: [][2]float64{{1, float64(100 * (i + 1))}, {2, float64(10 * k)}, {3, 0}},
			})
		}
	}
	p := draw.Run(run, draw.Options{Limits: []draw.FigureLimit{{Figure: draw.DiskOperations, Value: 1500, Label: "10 disks × 150"}}})
	c := find(t, p.Telemetry, "Disk operations (watched machines)")
	require.Len(t, c.Series, 2)
	require.Equal(t, []float64{600, 20}, seriesOf(t, c, "n1").Y[1:3])
	require.Equal(t, []float64{800, 10}, seriesOf(t, c, "n2").Y[1:3])
	require.Equal(t, []book.Limit{{Value: 1500, Label: "10 disks × 150"}}, c.Limits)
}

// What happened is marked: phases, actions for as long as they took, dips until the recovery, and events, close ones together.
func TestWhatHappenedIsMarked(t *testing.T) {
	run, _ := fixture{seconds: 20, reads: 50}.make(t)
	yes, depth, at, recovery := true, 43.2, 6.0, 4.5
	run.Phases[1].Actions = []result.Action{{Do: "flush usertable", T: 5, Seconds: 2, Outcome: "done"}, {Do: "balance", T: 12}}
	run.Phases[1].Incidents = []result.Incident{
		{T: 5, Dip: &yes, Depth: &depth, DipAt: &at, Recovery: &recovery}, {T: 12, Dip: nil}, {T: 15, Dip: &yes, Depth: &depth, Measured: 3},
	}
	var got []string
	for _, m := range draw.Run(run, draw.Options{}).Course[0].Marks {
		got = append(got, fmt.Sprintf("%g to %g %s: %s (%s)", m.From, m.To, m.Kind, m.Label, m.Text))
	}
	require.Equal(t, []string{
		"-2 to 0 phase: warmup ()",
		"0 to 20 phase: measure ()",
		"3 to 0 event: server × 2 (rs2 was lost; at 3.1 s: rs3 was lost)",
		"5 to 7 action: flush usertable (took 2.0 s)",
		"6 to 9.5 dip: −43 % (recovered after 4.5 s)",
		"12 to 20 action: balance (it has not ended)",
		"15 to 18 dip: −43 % (not recovered within the time that was measured)",
	}, got)
}

// The agents' bars add up to the throughput of the run, and their percentiles are the document's.
func TestTheBarsOfAgentsAreThoseOfTheDocument(t *testing.T) {
	run, p := fixture{seconds: 6, reads: 400}.draw(t)
	measured := run.Phases[1]
	c := find(t, p.Agents, "Throughput by agent")
	require.Equal(t, []string{"a", "b"}, c.X.Categories)
	require.InDelta(t, float64(measured.Ops)/measured.Seconds, sum(seriesOf(t, c, "all operations").Y), 1e-6)
	require.Equal(t, *measured.Operations[0].Agents[1].P99, seriesOf(t, find(t, p.Agents, "p99 response time by agent"), "READ").Y[1])
	require.Equal(t, []float64{0, 7}, find(t, p.Agents, "Operations sent late by agent").Series[0].Y)
}

// The curves of one server are those of the busiest.
func TestTheCurvesOfOneServerAreThoseOfTheBusiest(t *testing.T) {
	run, _ := fixture{seconds: 6, reads: 50}.make(t)
	server, charts := draw.Machine(run, draw.Options{})
	require.Equal(t, "rs2:16020", server)
	require.Len(t, charts, 1)
	require.Equal(t, "rs2:16020", charts[0].Series[0].Name)

	for _, o := range []result.Observation{
		{Name: "node.cpu_busy_percent", Source: "n1", Unit: "percent"},
		{Name: "node.disk_busy_percent", Source: "n1/sda", Unit: "percent"},
		{Name: "node_load5", Source: "n1", Unit: "1"},
		{Name: "node_load5", Source: "n2", Unit: "1"},
	} {
		o.Points = [][2]float64{{1, 1}, {2, 2}, {3, 2}}
		run.Phases[1].Observations = append(run.Phases[1].Observations, o)
	}
	server, charts = draw.Machine(run, draw.Options{})
	require.Equal(t, "n1", server)
	var titles []string
	for _, c := range charts {
		require.Len(t, c.Series, 1)
		titles = append(titles, c.Title)
	}
	require.Equal(t, []string{"CPU busy (watched machines)", "Load, mean of 5 minutes", "Disk busy (watched machines)"}, titles)
}

// A chart of telemetry that shows nothing is left out: of a figure that stayed the same, unless a reader looks for it, or of
// too few values for a curve.
func TestTelemetryThatShowsNothingIsLeftOut(t *testing.T) {
	run, _ := fixture{seconds: 6, reads: 50}.make(t)
	still, few := [][2]float64{{1, 7}, {2, 7}, {3, 7}}, [][2]float64{{1, 7}, {2, 8}}
	run.Phases[1].Observations = []result.Observation{
		{Name: "db.server.cpu_percent", Source: "a", Points: still},
		{Name: "db.server.regions", Source: "a", Points: still},
		{Name: "db.server.calls", Source: "a", Points: still},
		{Name: "db.server.requests", Source: "a", Points: few},
		{Name: "telemetry.poll_time", Source: "a", Points: still},
	}
	p := draw.Run(run, draw.Options{})
	require.Len(t, p.Telemetry, 1)
	find(t, p.Telemetry, "CPU of the process (server)")
	require.Empty(t, p.Details)
}

// A result without data has no charts and no tables, and one that another program measured has what its files give.
func TestPoorResultsHaveTheChartsThatTheyCanHave(t *testing.T) {
	for _, run := range []result.Run{{}, {ID: "S.1", Phases: []result.Phase{{Name: "measure"}}}, {Phases: []result.Phase{{Name: "measure", Seconds: 3}}}} {
		require.Empty(t, everyChart(draw.Run(run, draw.Options{})))
		require.Empty(t, draw.Intervals(run, draw.Options{}))
		server, charts := draw.Machine(run, draw.Options{})
		require.Empty(t, server)
		require.Empty(t, charts)
	}
	us := 900.0
	run := result.Run{ID: "Y.1", Provenance: result.Provenance{Foreign: &result.Foreign{Program: "YCSB"}}, Phases: []result.Phase{{
		Name: "measure", Loop: result.UnknownLoop, Seconds: 10, Ops: 1000, Throughput: 100,
		Operations: []result.Operation{{Op: "READ", Outcome: "OK", Figures: result.Figures{Count: 1000, Mean: 500, P95: &us, P99: &us}, Service: result.Figures{Count: 1000, Mean: 500, P95: &us, P99: &us}}},
	}}}
	charts := everyChart(draw.Run(run, draw.Options{}))
	require.Len(t, charts, 1)
	require.Equal(t, []float64{95, 99}, charts[0].Series[0].X)

	run.Phases[0].Series = []result.Point{{T: 0, Seconds: 10, Ops: 1000, Operations: []result.PointOperation{{Op: "READ", Outcome: "OK", Count: 1000, Mean: 500}}}}
	require.Len(t, everyChart(draw.Run(run, draw.Options{})), 1, "one interval shows no change")
	require.Len(t, draw.Intervals(run, draw.Options{}), 1)
}

// A stranger understands the charts: each says how it was computed, has units, and none of benchd's internal words.
func TestChartsAreWrittenForStrangers(t *testing.T) {
	for _, f := range []fixture{{seconds: 6, reads: 400}, {seconds: 6, reads: 400, open: true}} {
		_, p := f.draw(t)
		for _, c := range everyChart(p) {
			require.NotEmpty(t, c.How, c.Title)
			require.True(t, strings.HasSuffix(c.How, "."), "%s: %s", c.Title, c.How)
			require.NotEmpty(t, c.Y, c.Title)
			texts := []string{c.Title, c.How, c.X.Title}
			for _, y := range c.Y {
				texts = append(texts, y.Title)
			}
			for _, s := range c.Series {
				texts = append(texts, s.Name)
			}
			for _, word := range []string{"shard", "window", "steward", "NaN"} {
				require.NotContains(t, strings.ToLower(strings.Join(texts, " ")), strings.ToLower(word))
			}
		}
	}
}

// Every interval is a row with numbers, and their sums are the document's.
func TestTheTablesOfEveryIntervalAddUpToTheDocument(t *testing.T) {
	run, h := fixture{seconds: 6, reads: 400}.make(t)
	tables := draw.Intervals(run, draw.Options{Histograms: map[string]*draw.Histograms{run.ID: h}})
	require.Len(t, tables, 2)
	column := func(table book.Table, head string) (values []float64) {
		at := slices.IndexFunc(table.Columns, func(c book.Column) bool { return c.Head == head })
		require.GreaterOrEqual(t, at, 0, head)
		for _, row := range table.Rows {
			require.Len(t, row, len(table.Columns))
			x := math.NaN()
			if row[at].Number != nil {
				x = *row[at].Number
			}
			values = append(values, x)
		}
		return values
	}
	operations := tables[0]
	require.Len(t, operations.Rows, len(run.Phases[0].Series)+len(run.Phases[1].Series))
	require.InDelta(t, float64(run.Phases[0].Ops+run.Phases[1].Ops), sum(column(operations, "operations")), 1e-9)
	require.InDelta(t, 12, sum(column(operations, "failed")), 1e-9)
	require.InDelta(t, float64(run.Phases[0].Operations[0].Count+run.Phases[1].Operations[0].Count), sum(column(operations, "READ count")), 1e-9)
	first := run.Phases[1].Series[0].Operations[0]
	require.Equal(t, *first.P99, column(operations, "READ p99")[3])
	require.InDelta(t, first.Max*0.95, column(operations, "READ p95")[3], first.Max*0.03)
	require.Equal(t, first.ServiceMean, column(operations, "READ mean service time")[3])

	heads := func(t book.Table) (out []string) {
		for _, c := range t.Columns {
			out = append(out, c.Head)
		}
		return out
	}
	require.Contains(t, heads(operations), "after the end")
	bare := draw.Intervals(run, draw.Options{})[0]
	require.NotContains(t, heads(bare), "READ p95", "the document has none")
	require.Equal(t, column(operations, "READ p99")[3:9], column(bare, "READ p99")[3:9])

	merged := draw.NewHistograms(run)
	require.NoError(t, merged.Add(draw.Interval{Phase: "measure", End: 5 * time.Second, Series: []latency.Series{samples("READ", "OK", "", 500, 700)}}))
	require.NoError(t, merged.Add(draw.Interval{Phase: "measure", Start: 5 * time.Second, End: 6 * time.Second, Series: []latency.Series{samples("READ", "OK", "", 500, 700)}}))
	coarse := draw.Intervals(run, draw.Options{Histograms: map[string]*draw.Histograms{run.ID: merged}})[0]
	require.Equal(t, heads(bare), heads(coarse), "percentiles of five seconds are not those of one")

	telemetry := tables[1]
	require.Len(t, telemetry.Rows, 8, "the seconds of both phases")
	require.Equal(t, []float64{10, 11, 12, 13, 14, 15}, column(telemetry, "db.server.cpu_percent rs2:16020")[2:])
	require.Equal(t, "%", telemetry.Columns[slices.IndexFunc(telemetry.Columns, func(c book.Column) bool { return c.Head == "db.server.cpu_percent rs1:16020" })].Unit)
}
