package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"

	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/result"
)

// benchmark is a line as benchstat reads it.
type benchmark struct {
	name   string
	config map[string]string
	n      int
	values map[string]float64
}

// benchmarks reads text with the reader of benchstat, which must understand each line.
func benchmarks(t *testing.T, text string) (all []benchmark, units benchfmt.UnitMetadataMap) {
	t.Helper()
	r := benchfmt.NewReader(strings.NewReader(text), "report")
	for r.Scan() {
		switch record := r.Result().(type) {
		case *benchfmt.SyntaxError:
			require.Fail(t, record.Error())
		case *benchfmt.Result:
			one := benchmark{name: string(record.Name), config: make(map[string]string), n: record.Iters, values: make(map[string]float64)}
			for _, c := range record.Config {
				one.config[c.Key] = string(c.Value)
			}
			for _, v := range record.Values {
				one.values[v.Unit] = v.Value
			}
			all = append(all, one)
		}
	}
	require.NoError(t, r.Err())
	return all, r.Units()
}

// Benchstat reads the repeats of a case as samples of one benchmark, and runs that no mean includes are not among them.
func TestBenchmarksAreReadByBenchstat(t *testing.T) {
	runs := []result.Run{aRun("S.1", "one threads=8", 1, 1000, 812.5), aRun("S.2", "one threads=8", 2, 1010, 800), aRun("S.3", "one threads=8", 3, 500, 900)}
	runs[2].Status, runs[2].Missing = result.Partial, []string{"agent b:\nBenchmarkx 1 1 ns/op"}
	cases := []result.Case{{Name: "one threads=8", Scenario: "one", Target: "ssd", Axes: []plan.Setting{{Key: "threads", Value: "8"}}}}
	var out bytes.Buffer
	require.NoError(t, report.Benchmarks(&out, runs, cases))
	got, units := benchmarks(t, out.String())
	require.Len(t, got, 4, out.String())
	require.Equal(t, []benchmark{
		{
			name: "one/target=ssd/threads=8/phase=measure", config: map[string]string{"db": "sandbox", "loop": "closed"}, n: 10_000,
			values: map[string]float64{"ops/s": 1000},
		},
		{
			name: "one/target=ssd/threads=8/phase=measure/op=READ", config: map[string]string{"db": "sandbox", "loop": "closed"}, n: 1000,
			values: map[string]float64{"sec/op": 812.5e-6, "min-sec": 406.25e-6, "max-sec": 16250e-6, "p50-sec": 812.5e-6, "p99-sec": 3250e-6},
		},
	}, rounded(got[:2]))
	require.Equal(t, got[0].name, got[2].name, "repeats have one name")
	require.Equal(t, 1, units.GetBetter("ops/s"))
	require.Equal(t, -1, units.GetBetter("p99-sec"))
	require.Contains(t, out.String(), "# left out: missing: agent b: Benchmarkx")
}

// rounded removes the digits that factors of units add.
func rounded(all []benchmark) []benchmark {
	for _, b := range all {
		for unit, v := range b.values {
			b.values[unit] = float64(int64(v*1e9+0.5)) / 1e9
		}
	}
	return all
}

// An open loop has both clocks, under different names.
func TestBenchmarksOfAnOpenLoopHaveServiceTimes(t *testing.T) {
	run := build(t, result.Run{}, report.YCSB{}, offered(100, 20))
	var out bytes.Buffer
	require.NoError(t, report.Benchmarks(&out, []result.Run{run}, nil))
	got, _ := benchmarks(t, out.String())
	byName := make(map[string]benchmark)
	for _, b := range got {
		byName[b.name] = b
	}
	require.Equal(t, "open", got[0].config["loop"])
	require.InDelta(t, byName["workloada/phase=measure/op=READ"].values["sec/op"]/2, byName["workloada/phase=measure/op=READ/clock=service"].values["sec/op"], 1e-4)
}

// Comparisons are read, too.
func TestBenchmarksOfComparisonsAreReadByBenchstat(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, report.ComparisonBenchmarks(&out, []compare.Comparison{comparison()}))
	got, _ := benchmarks(t, out.String())
	require.Len(t, got, 2*2*5)
	require.Equal(t, "20260301-k7mp", got[0].config["side"])
	require.Equal(t, "20260302-x2ra", got[len(got)-1].config["side"])
}
