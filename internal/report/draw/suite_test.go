package draw_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/capacity"
	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/report/draw"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/search"
	"github.com/benchd/benchd/internal/stats"
)

// aCase is a case with a throughput for each run; its reads take 100 µs for each 1000 ops/s, and their p99 is ten times that.
func aCase(scenario, target string, axes []plan.Setting, throughput ...float64) result.Case {
	c := result.Case{Name: strings.TrimSpace(fmt.Sprint(scenario, " ", axes, " ", target)), Scenario: scenario, Target: target, Axes: axes, Loop: "closed", Phase: "measure"}
	values := func(factor float64) (pointers []*float64, all []float64) {
		for _, x := range throughput {
			v := factor * x
			pointers, all = append(pointers, &v), append(all, v)
		}
		return pointers, all
	}
	add := func(name, unit string, factor float64, spread func([]float64) stats.Spread) {
		pointers, all := values(factor)
		c.Figures = append(c.Figures, result.Figure{Name: name, Unit: unit, Values: pointers, Spread: spread(all)})
	}
	for i := range throughput {
		c.Runs = append(c.Runs, fmt.Sprintf("S.%s.%d", c.Name, i+1))
	}
	c.Repeats = len(throughput)
	add("throughput_ops", "ops/s", 1, stats.Repeats)
	add("total_ms", "ms", 2, stats.Repeats)
	add("read_avg_us", "µs", 0.1, stats.Repeats)
	add("read_count", "", 10, stats.Repeats)
	add("read_p95_us", "µs", 0.5, stats.Percentiles)
	add("read_p99_us", "µs", 1, stats.Percentiles)
	return c
}

func axes(pairs ...string) []plan.Setting {
	var out []plan.Setting
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, plan.Setting{Key: pairs[i], Value: pairs[i+1]})
	}
	return out
}

// titles are the titles of charts.
func titles(charts []book.Chart) []string {
	var out []string
	for _, c := range charts {
		out = append(out, c.Title)
	}
	return out
}

func series(t *testing.T, c book.Chart, name string) book.Series {
	t.Helper()
	var names []string
	for _, s := range c.Series {
		if s.Name == name {
			return s
		}
		names = append(names, s.Name)
	}
	require.Failf(t, "no such series", "%s in %q: %q", name, c.Title, names)
	return book.Series{}
}

// requireFloats compares values of which some may be unknown.
func requireFloats(t *testing.T, want, got []float64) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		if math.IsNaN(want[i]) {
			require.True(t, math.IsNaN(got[i]), "%d: %v", i, got)
		} else {
			require.InDelta(t, want[i], got[i], 1e-6, "%d: %v", i, got)
		}
	}
}

var unknown = math.NaN()

func sweep(published map[string][]map[string]any, throughput map[string][]float64) result.Suite {
	s := result.Suite{ID: "S"}
	for _, threads := range []string{"40", "10", "20", "30", "50"} {
		c := aCase("reads", "", axes("threadcount", threads), throughput[threads]...)
		c.Published = published[threads]
		s.Cases = append(s.Cases, c)
	}
	s.Sweeps = capacity.Sweeps(s.Cases, nil)
	return s
}

func TestASweepShowsThroughputAndResponseTimesOverThreadsInOnePicture(t *testing.T) {
	s := sweep(map[string][]map[string]any{
		"10": {{"at": "peak", "throughput_low": 5000.0, "throughput_text": "more than 5000"}},
		"20": {{"threads": 20.0, "run": 1.0, "throughput_ops": 1900.0}, {"threads": 20.0, "run": 2.0, "throughput_ops": 2100.0}},
		"30": {{"threads": 32.0, "throughput_ops": 3333.0, "read_avg_ms": 0.4}},
	}, map[string][]float64{"10": {1000, 1200}, "20": {2000, 2200}, "30": {3000, 3000}, "40": {3010, 3050}, "50": {3020, 3000}})
	p := draw.Suite(s)
	require.Len(t, p.Scenarios, 1)
	require.Equal(t, []string{"Throughput and response time over threads of each agent: reads", "Read avg and p99 over throughput: reads"}, titles(p.Scenarios[0].Charts))

	c := p.Scenarios[0].Charts[0]
	require.Equal(t, book.Lines, c.Kind)
	require.Equal(t, []book.Axis{{Title: "Throughput", Unit: "ops/s"}, {Title: "Response time", Unit: "µs"}}, c.Y)
	throughput := series(t, c, "throughput")
	requireFloats(t, []float64{10, 20, 30, 40, 50}, throughput.X)
	requireFloats(t, []float64{1100, 2100, 3000, 3030, 3010}, throughput.Y)
	requireFloats(t, []float64{1000, 2000, 3000, 3010, 3000}, throughput.Low)
	requireFloats(t, []float64{1200, 2200, 3000, 3050, 3020}, throughput.High)
	require.Equal(t, []float64{1000, 1200}, throughput.Runs[0])
	require.Contains(t, c.How, "from the lowest to the highest repeat")
	p99 := series(t, c, "read p99")
	require.Equal(t, 1, p99.Axis)
	requireFloats(t, []float64{1100, 2100, 3000, 3030, 3010}, p99.Y)

	published := series(t, c, "throughput, published")
	require.True(t, published.Published)
	require.Equal(t, book.Points, published.Style, "never a curve")
	requireFloats(t, []float64{20, 32}, published.X)
	requireFloats(t, []float64{unknown, 3333}, published.Y)
	require.Equal(t, []float64{1900, 2100}, published.Runs[0], "the authors' runs are not averaged")
	requireFloats(t, []float64{400}, series(t, c, "read avg, published").Y)
	require.Equal(t, []book.Limit{{Value: 5000, Label: "published: more than 5000"}}, c.Limits, "a published peak has no number of threads")
	require.Contains(t, c.How, "from another cluster")

	require.NotNil(t, s.Sweeps[0].Plateau)
	require.InDelta(t, s.Sweeps[0].Plateau.From, c.Marks[0].From, 0)
	require.Equal(t, book.Chosen, c.Marks[0].Kind)
	require.Equal(t, "plateau from 30 threads", c.Marks[0].Label)

	knee := p.Scenarios[0].Charts[1]
	requireFloats(t, []float64{1100, 2100, 3000, 3030, 3010}, series(t, knee, "read p99").X)
	require.InDelta(t, 3000, knee.Marks[0].From, 0)
}

func TestAFittedCurveIsDashedAndSaysItsTest(t *testing.T) {
	law := stats.Scalability{Lambda: 1000, Sigma: 0.05, Kappa: 0.0005}
	throughput := make(map[string][]float64)
	for n, key := range map[float64]string{10: "10", 20: "20", 30: "30", 40: "40", 50: "50"} {
		throughput[key] = []float64{law.At(n)}
	}
	c := draw.Suite(sweep(nil, throughput)).Scenarios[0].Charts[0]
	fit := series(t, c, "fitted")
	require.Equal(t, book.Dashed, fit.Style)
	require.InDelta(t, 10, fit.X[0], 1e-9)
	require.InDelta(t, 50, fit.X[len(fit.X)-1], 1e-9)
	require.InDelta(t, law.At(50), fit.Y[len(fit.Y)-1], 1)
	require.Contains(t, c.How, stats.ScalabilityTest())
}

func TestSixRepeatsHaveTheIntervalOfTheirMedian(t *testing.T) {
	s := result.Suite{Cases: []result.Case{aCase("one", "", nil, 1, 2, 3, 4, 5, 90), aCase("two", "", nil, 11, 12, 13, 14, 15, 16)}}
	c := draw.Suite(s).Across[0]
	throughput := series(t, c, "throughput")
	requireFloats(t, []float64{3.5, 13.5}, throughput.Y)
	requireFloats(t, []float64{1, 11}, throughput.Low)
	requireFloats(t, []float64{90, 16}, throughput.High)
	require.Contains(t, c.How, "The median over the repeats of a case with its interval of 95 %")
}

// A number that follows from another one is not a second setting: as many rows as operations.
func TestDataSizesAreOneAxisAndPublishedSizesKeepTheirPlace(t *testing.T) {
	var cases []result.Case
	for i, rows := range []string{"100000", "1000000", "10000000"} {
		c := aCase("sizes", "", axes("recordcount", rows, "operationcount", rows), float64(1000*(i+1)))
		c.Published = []map[string]any{{"operationcount": 2e6 * float64(i+1), "throughput_ops": 5.0}}
		cases = append(cases, c)
	}
	charts := draw.Suite(result.Suite{Cases: cases}).Scenarios[0].Charts
	require.Equal(t, []string{"Throughput and response time over rows: sizes"}, titles(charts))
	require.Equal(t, book.Log, charts[0].X.Scale)
	requireFloats(t, []float64{1e5, 1e6, 1e7}, series(t, charts[0], "throughput").X)
	requireFloats(t, []float64{2e6, 4e6, 6e6}, series(t, charts[0], "throughput, published").X)
}

func TestTargetsAreComparedByCase(t *testing.T) {
	var cases []result.Case
	for i, threads := range []string{"10", "20", "30", "40"} {
		for k, target := range []string{"A", "B"} {
			c := aCase("reads", target, axes("threadcount", threads), float64(1000*(i+1)+k))
			c.Published = []map[string]any{
				{"mode": "A", "total_ms": 100.0 * float64(i+1), "read_avg_us": 7.0}, {"mode": "B", "total_ms": 300.0, "read_avg_us": 8.0},
			}
			cases = append(cases, c)
		}
	}
	cases = append(cases, aCase("scans", "A", nil, 10), aCase("scans", "B", nil, 20), aCase("soak", "A", nil, 30))
	p := draw.Suite(result.Suite{Cases: cases})
	require.Equal(t, []string{
		"Throughput by target: reads", "Total time by target: reads", "Read avg by target: reads", "Read p95 by target: reads", "Read p99 by target: reads",
	}, titles(p.Scenarios[0].Charts))
	c := p.Scenarios[0].Charts[0]
	require.Equal(t, []string{"10 threads", "20 threads", "30 threads", "40 threads"}, c.X.Categories)
	requireFloats(t, []float64{1001, 2001, 3001, 4001}, series(t, c, "B").Y)
	require.True(t, series(t, c, "B").Verbatim, "the name of a target is not translated")
	total := p.Scenarios[0].Charts[1]
	require.Equal(t, "s", total.Y[0].Unit)
	requireFloats(t, []float64{2, 4, 6, 8}, series(t, total, "A").Y)
	requireFloats(t, []float64{0.1, 0.2, 0.3, 0.4}, series(t, total, "A, published").Y)
	requireFloats(t, []float64{8, 8, 8, 8}, series(t, p.Scenarios[0].Charts[2], "B, published").Y)

	scans := p.Scenarios[1].Charts
	require.Equal(t, []string{"Read: avg, p95 and p99: scans"}, titles(scans))
	require.Equal(t, []string{"avg", "p95", "p99"}, scans[0].X.Categories)
	requireFloats(t, []float64{2, 10, 20}, series(t, scans[0], "B").Y)

	require.Equal(t, []string{"Throughput by scenario"}, titles(p.Across))
	require.Equal(t, []string{"scans", "soak"}, p.Across[0].X.Categories)
	requireFloats(t, []float64{10, 30}, series(t, p.Across[0], "A").Y)
	requireFloats(t, []float64{0}, series(t, p.Across[0], "B").X)
}

// What was published of a product that was not measured is a value, a band or an open bound, never a bar.
func TestPublishedProductsAreBesideTheMeasuredOne(t *testing.T) {
	c := aCase("read only", "mine", nil, 1000)
	c.Published = []map[string]any{
		{"product": "fast", "throughput_low": 80000.0, "throughput_high": nil, "throughput_about": nil, "throughput_text": "above 80000"},
		{"product": "even", "throughput_low": 40000.0, "throughput_high": 50000.0},
		{"product": "near", "throughput_high": 70000.0, "throughput_about": 70000.0},
		{"product": "mine", "throughput_high": 10000.0},
		{"product": "silent", "throughput_text": "rather slow"},
	}
	charts := draw.Suite(result.Suite{Cases: []result.Case{c}}).Scenarios[0].Charts
	require.Equal(t, []string{"Throughput by product: read only"}, titles(charts))
	require.Equal(t, []string{"mine", "fast", "even", "near", "silent"}, charts[0].X.Categories)
	measured := series(t, charts[0], "measured")
	requireFloats(t, []float64{0}, measured.X)
	requireFloats(t, []float64{1000}, measured.Y)
	published := series(t, charts[0], "published")
	require.True(t, published.Published)
	requireFloats(t, []float64{0, 1, 2, 3}, published.X)
	requireFloats(t, []float64{unknown, unknown, unknown, 70000}, published.Y)
	requireFloats(t, []float64{unknown, 80000, 40000, unknown}, published.Low)
	requireFloats(t, []float64{10000, unknown, 50000, unknown}, published.High)
	require.Contains(t, charts[0].How, "silent (rather slow)")
}

// Law 2.
func TestOpenAndClosedLoopsShareNoChart(t *testing.T) {
	open := func(c result.Case) result.Case {
		c.Loop = "open"
		return c
	}
	p := draw.Suite(result.Suite{Cases: []result.Case{
		aCase("a", "", axes("codec", "x"), 1), aCase("a", "", axes("codec", "y"), 2), open(aCase("a", "", axes("codec", "z"), 3)), open(aCase("a", "", axes("codec", "w"), 4)),
		aCase("b", "", nil, 5), open(aCase("c", "", nil, 6)),
	}})
	require.Equal(t, []string{"Throughput by case: a", "Read avg and p99 by case: a"}, titles(p.Scenarios[0].Charts))
	require.Equal(t, []string{"Throughput by case: a (open loop)", "Read avg and p99 by case: a (open loop)"}, titles(p.Scenarios[1].Charts))
	requireFloats(t, []float64{3, 4}, series(t, p.Scenarios[1].Charts[0], "throughput").Y)
	require.Empty(t, p.Across, "one scenario of each loop: nothing to compare")
}

func TestScenariosWithOneCaseAreComparedWithEachOther(t *testing.T) {
	a, b := aCase("a", "", nil, 100, 300), aCase("b", "", nil, 50)
	a.Published = []map[string]any{{"run": 1.0, "throughput_ops": 7.0}, {"run": "average", "throughput_ops": 8.0}}
	p := draw.Suite(result.Suite{Cases: []result.Case{a, b}})
	require.Empty(t, p.Scenarios)
	require.Equal(t, []string{"Throughput by scenario", "Read avg and p99 by scenario"}, titles(p.Across))
	throughput := series(t, p.Across[0], "throughput")
	requireFloats(t, []float64{200, 50}, throughput.Y)
	require.Equal(t, [][]float64{{100, 300}, {50}}, throughput.Runs)
	published := series(t, p.Across[0], "throughput, published")
	requireFloats(t, []float64{8}, published.Y)
	require.Equal(t, [][]float64{{7}}, published.Runs)
	require.Equal(t, []string{"a", "b"}, p.Across[0].X.Categories)
}

func TestManyCasesAreBounded(t *testing.T) {
	var cases []result.Case
	for i := range 100 {
		cases = append(cases, aCase(fmt.Sprintf("s%03d", i), "", nil, float64(i+1)))
	}
	c := draw.Suite(result.Suite{Cases: cases}).Across[0]
	require.Len(t, c.X.Categories, 40)
	require.Len(t, c.Series[0].Y, 40)
	require.Contains(t, c.How, "The first 40 of 100 cases.")
}

func TestASearchShowsItsProbesItsObjectiveAndItsAnswer(t *testing.T) {
	keep, err := search.ParseObjective("p99 < 20ms")
	require.NoError(t, err)
	value, p99 := 2000.0, func(ms float64) *float64 { us := 1000 * ms; return &us }
	c := result.Case{Name: "reads", Capacity: &result.Capacity{
		Search: search.Space{Vary: search.Rate, From: 1000, To: 8000, Keep: keep}, Answer: search.Answer{Status: search.Found, Value: &value},
		Probes: []result.CapacityProbe{
			{Probe: search.Probe{Value: 1000, Outcome: search.Kept, Throughput: 990}, Op: "READ", P99: p99(5)},
			{Probe: search.Probe{Value: 4000, Outcome: search.Missed, Throughput: 3100}, Op: "READ", P99: p99(90)},
			{Probe: search.Probe{Value: 2000, Outcome: search.Kept, Throughput: 2010}, Op: "READ", P99: p99(11)},
			{Probe: search.Probe{Value: 3000, Outcome: search.Failed}},
		},
	}}
	charts := draw.Search(c)
	require.Equal(t, []string{"Throughput of the probes: reads", "READ p99 of the probes: reads"}, titles(charts))
	kept := series(t, charts[1], "kept")
	requireFloats(t, []float64{1000, 2000}, kept.X)
	requireFloats(t, []float64{5000, 11000}, kept.Y)
	requireFloats(t, []float64{90000}, series(t, charts[1], "missed").Y)
	require.Equal(t, []book.Limit{{Value: 20000, Label: "p99 < 20ms"}}, charts[1].Limits)
	require.InDelta(t, 2000, charts[1].Marks[0].From, 0)
	require.Equal(t, book.Chosen, charts[1].Marks[0].Kind)
	require.Equal(t, book.Dashed, series(t, charts[0], "offered").Style)
	require.Empty(t, draw.Search(result.Case{}))
}

func TestAComparisonShowsTheChangeOfEachCaseWithItsInterval(t *testing.T) {
	c := compare.Comparison{Method: "the method", Cases: []compare.Case{
		{Name: "one", Figures: []compare.Figure{{Name: "throughput_ops", Shift: &stats.Shift{Ratio: 1.1, Low: 1.05, High: 1.2}}}},
		{Name: "few", Figures: []compare.Figure{{Name: "throughput_ops"}}},
		{Name: "two", Figures: []compare.Figure{{Name: "throughput_ops", Shift: &stats.Shift{Ratio: 0.9, Low: 0.8, High: 1.01}}, {Name: "read_p99_us"}}},
	}}
	charts := draw.Comparison(c)
	require.Equal(t, []string{"Change of throughput"}, titles(charts), "no interval, no chart")
	require.Equal(t, []string{"one", "two"}, charts[0].X.Categories)
	requireFloats(t, []float64{10, -10}, charts[0].Series[0].Y)
	requireFloats(t, []float64{5, -20}, charts[0].Series[0].Low)
	requireFloats(t, []float64{20, 1}, charts[0].Series[0].High)
	require.Contains(t, charts[0].How, "the method")
}

// Rates of servers are added up and shares averaged; each target is a series on one axis, with a gap after each of its runs.
func TestTelemetryOfASuiteIsOnOneAxisByTarget(t *testing.T) {
	run := func(name string, at, value float64) result.Run {
		points := func(v float64) [][2]float64 { return [][2]float64{{1, v}, {2, v}, {3, v}} }
		return result.Run{
			ID: name, Case: name, Start: &result.Start{Planned: time.Unix(1000, 0).Add(time.Duration(at * float64(time.Second)))},
			Phases: []result.Phase{{Name: "measure", Seconds: 4, Observations: []result.Observation{
				{Name: "node.cpu_busy_percent", Source: "s1", Unit: "percent", Points: points(value)},
				{Name: "node.cpu_busy_percent", Source: "s2", Unit: "percent", Points: points(value + 10)},
				{Name: "node.net_sent", Source: "s1", Unit: "bytes/s", Points: points(1e6 * value)},
				{Name: "node.net_sent", Source: "s2", Unit: "bytes/s", Points: points(1e6)},
				{Name: "host.cpu_busy_percent", Source: "agent", Unit: "percent", Points: points(99)},
			}}},
		}
	}
	s := result.Suite{
		ID: "S", Runs: []result.Run{run("b", 10, 40), run("a", 0, 20), run("c", 20, 60)},
		Cases: []result.Case{{Name: "a", Scenario: "writes", Target: "A"}, {Name: "b", Scenario: "writes", Target: "B"}, {Name: "c", Scenario: "reads", Target: "A"}},
	}
	charts := draw.Suite(s).Course
	require.Equal(t, []string{"CPU busy (watched machines) over the whole suite", "Network, sent (watched machines) over the whole suite"}, titles(charts), "not the machines of agents")
	cpu := series(t, charts[0], "A")
	requireFloats(t, []float64{1, 2, 3, 4, 21, 22, 23, 24}, cpu.X)
	requireFloats(t, []float64{25, 25, 25, unknown, 65, 65, 65, unknown}, cpu.Y)
	require.Equal(t, "MB/s", charts[1].Y[0].Unit)
	requireFloats(t, []float64{41, 41, 41, unknown}, series(t, charts[1], "B").Y)
	require.Equal(t, []book.Mark{{From: 0, To: 14, Kind: book.Phase, Label: "writes"}, {From: 20, To: 24, Kind: book.Phase, Label: "reads"}}, charts[0].Marks)
}

func TestTheChartsOfASuiteAreTheSameEachTime(t *testing.T) {
	var cases []result.Case
	for i, threads := range []string{"1", "2", "3", "4", "5"} {
		for _, target := range []string{"A", "B", "C"} {
			c := aCase("s", target, axes("threadcount", threads, "codec", "x"), float64(i+1))
			c.Published = []map[string]any{{"target": target, "read_p99_ms": 1.0, "total_ms": 5.0, "read_avg_us": 3.0, "throughput_ops": 9.0}}
			cases = append(cases, c)
		}
	}
	s := result.Suite{Cases: cases}
	first := fmt.Sprint(draw.Suite(s))
	for range 20 {
		require.Equal(t, first, fmt.Sprint(draw.Suite(s)))
	}
}
