package result_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/figure"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/stats"
	"github.com/benchd/benchd/internal/workload"
)

// everything is a run that has everything: each operation, in an open loop, with an action, watched.
func everything() result.Run {
	us := 1.0
	of := result.Figures{Count: 1, Mean: us, Min: us, Max: us, P50: &us, P90: &us, P95: &us, P99: &us, P999: &us, P9999: &us}
	phase := result.Phase{
		Name: "measure", Loop: "open", Seconds: 10, Throughput: 1, Ops: 10, Offered: &us, Generators: []result.Generator{{Name: "a", Seconds: 10}},
		Actions: []result.Action{{Do: "flush", T: 3, Seconds: 1, Outcome: "done", Effect: &result.Effect{Worst: &us, Recovery: &us}}},
		Observations: []result.Observation{
			{Name: "hbase.master.regions", Points: [][2]float64{{0, 1}}},
			{Name: "hbase.master.servers", Points: [][2]float64{{0, 1}}},
			{Name: "hbase.master.regions_in_transition", Points: [][2]float64{{0, 1}}},
		},
	}
	for k := range workload.NumKinds {
		o := result.Operation{Op: k.String(), Outcome: "OK", Figures: of, Service: of, Agents: []result.AgentOperation{{
			Name: "a", Count: 1, Mean: us, Min: us, Max: us, P50: &us, P95: &us, P99: &us,
		}}}
		if k == workload.Verify || k == workload.Cleanup {
			part := k.String()
			o.PartOf = &part
		}
		phase.Operations = append(phase.Operations, o)
	}
	for i := range 10 {
		phase.Series = append(phase.Series, result.Point{T: float64(i), Seconds: 1, Ops: 1})
	}
	return result.Run{
		Phases:     []result.Phase{phase},
		Provenance: result.Provenance{Target: map[string]string{"hbase.table.regions": "1"}},
	}
}

// The vocabulary has exactly the figures that can be read from a run: it validates the tables of a suite before anything
// runs.
func TestAMeasurementHasEveryFigureOfTheVocabulary(t *testing.T) {
	run := everything()
	vocabulary := figure.New([]descriptor.Column{
		{Name: "regions", Read: descriptor.Fact("hbase.table.regions")}, {Name: "servers_before", Read: descriptor.First("hbase.master.servers")},
	})
	values, ofAgent := vocabulary.Values(run.Measurement()), run.AgentMeasurement("a").AgentValues()
	for name := range values {
		require.True(t, vocabulary.Parse(name).Measured(), "%s is a figure", name)
	}
	for _, name := range vocabulary.Names() {
		c := vocabulary.Parse(name)
		if c.Class == figure.Identity || name == figure.RowThroughput {
			continue // the latter is of runs that only insert
		}
		_, ok := values.Get(name)
		require.True(t, ok && c.Measured(), "a run has %s", name)
		_, ok = ofAgent.Get(name)
		require.Equal(t, c.OfAgent(), ok, "an agent has %s", name)
	}
}

// A run that only inserts has the rate of its rows; one that does anything else has none.
func TestTheRateOfRowsIsThatOfInserts(t *testing.T) {
	part := "CLEANUP"
	run := result.Run{Phases: []result.Phase{{Name: "load", Ops: 40, Rows: 12_000, Throughput: 20, Operations: []result.Operation{
		{Op: "INSERT", Outcome: "OK"}, {Op: "INSERT", Outcome: "ERROR"}, {Op: "CLEANUP", Outcome: "OK", PartOf: &part},
	}}}}
	rate, ok := figure.New(nil).Values(run.Measurement()).Get("throughput_rows")
	require.True(t, ok)
	require.InDelta(t, 6000, rate, 0)
	run.Phases[0].Operations = append(run.Phases[0].Operations, result.Operation{Op: "READ", Outcome: "OK"})
	_, ok = figure.New(nil).Values(run.Measurement()).Get("throughput_rows")
	require.False(t, ok)
}

// Cases are compared by their rows only if the batches of their inserts differ.
func TestCasesWithDifferentBatchesAreComparedByRows(t *testing.T) {
	of := func(ops, rows float64) (c result.Case) {
		for name, v := range map[string]float64{"throughput_ops": ops, "throughput_rows": rows} {
			if v > 0 {
				c.Figures = append(c.Figures, result.Figure{Name: name, Spread: stats.Spread{Mean: &v}})
			}
		}
		return c
	}
	for want, cases := range map[string][]result.Case{
		"throughput_ops ops/s":   {of(1000, 1000), of(2000, 2000), of(0, 0)},
		"throughput_rows rows/s": {of(1000, 1000), of(20, 6000)},
	} {
		name, unit := result.ThroughputOf(cases...)
		require.Equal(t, want, name+" "+unit)
	}
	name, _ := result.ThroughputOf(of(1000, 0), of(20, 6000))
	require.Equal(t, "throughput_ops", name, "one of them does not only insert")
	name, _ = result.ThroughputOf(of(20, 6000), of(30, 9000))
	require.Equal(t, "throughput_ops", name, "all have the same batches")
}

// The percentiles of the vocabulary are those of the JSON, by the same names.
func TestPercentilesOfTheVocabularyAreThoseOfTheDocument(t *testing.T) {
	var f result.Figures
	fields := reflect.ValueOf(&f).Elem()
	percentiles := 0
	for i := range fields.NumField() {
		name, _, _ := strings.Cut(fields.Type().Field(i).Tag.Get("json"), ",")
		if !figure.IsPercentile("read_" + name) {
			continue
		}
		percentiles++
		us := float64(i)
		fields.Field(i).Set(reflect.ValueOf(&us))
		at := slices.IndexFunc(figure.Percentiles(), func(s figure.Stat) bool { return s.Name+"_us" == name })
		require.GreaterOrEqual(t, at, 0, name)
		got, known := f.Percentile(figure.Percentiles()[at].Percentile)
		require.True(t, known, name)
		require.Same(t, &us, got, name)
	}
	require.Len(t, figure.Percentiles(), percentiles)
	_, known := f.Percentile(75)
	require.False(t, known)
}
