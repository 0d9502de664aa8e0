package compare_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/result"
)

// ofYCSB turns a run into one that YCSB measured, and printed p95 and p99 of.
func ofYCSB(change func(*result.Run)) func(*result.Run) {
	return func(r *result.Run) {
		r.Provenance = result.Provenance{Foreign: &result.Foreign{Program: "YCSB", Version: "0.17.0", Latency: result.ServiceLatency}}
		r.Resolved = map[string]string{"db": "site.ycsb.db.hbase2.HBaseClient2", "workload": "site.ycsb.workloads.CoreWorkload", "threads": "9"}
		r.Reconcile = result.Reconcile{Unknown: true}
		o := &r.Phases[0].Operations[0]
		p95 := 5000.0
		o.P50, o.P95 = nil, &p95
		if change != nil {
			change(r)
		}
	}
}

func TestForeignResultsAreComparedByWhatBothHave(t *testing.T) {
	a := made{repeats: 5, factor: 1, change: func(r *result.Run) {
		r.Start = nil
		ofYCSB(nil)(r)
	}}
	b := made{repeats: 5, factor: 2}
	a.id, b.id, a.name, b.name = "A", "B", "reads", "c"
	c := compare.New(side(t, "A", suite(a)), side(t, "B", suite(b)), compare.Settings{Smallest: 0.05})
	require.Equal(t, []compare.Difference{
		{What: "agents", B: "0", Cases: []string{}},
		{What: "benchd", B: "v1", Cases: []string{}},
		{What: "program", A: "YCSB 0.17.0", B: "benchd", Cases: []string{}},
		{What: "setting db", A: "site.ycsb.db.hbase2.HBaseClient2", B: "hbase", Cases: []string{}},
		{What: "setting threads", A: "9", B: "8", Cases: []string{}},
		{What: "setting workload", A: "site.ycsb.workloads.CoreWorkload", Cases: []string{}},
		{What: "target version", B: "2.6.4", Cases: []string{}},
	}, sorted(c.Differences))
	require.Equal(t, map[string]compare.Verdict{"throughput_ops": compare.Worse, "read_p99_us": compare.Worse}, verdicts(c.Cases[0]), "A has no median")
	require.Contains(t, c.Cases[0].Notes[0], "A: measured by YCSB 0.17.0, not by benchd")
}

func sorted(all []compare.Difference) []compare.Difference {
	out := slices.Clone(all)
	slices.SortFunc(out, func(a, b compare.Difference) int { return strings.Compare(a.What, b.What) })
	return out
}

func TestLatenciesOfDifferentClocksAreNotCompared(t *testing.T) {
	throttled := func(r *result.Run) { r.Resolved["target"] = "5000" }
	both := func(r *result.Run) { r.Provenance.Foreign.Latency = result.BothLatencies }
	response := func(r *result.Run) { r.Provenance.Foreign.Latency = result.ResponseLatency }
	noCommandLine := func(r *result.Run) {
		response(r)
		r.Resolved = map[string]string{}
	}
	for name, tc := range map[string]struct {
		foreign, own func(*result.Run)
		compared     bool
	}{
		"service times and an unthrottled loop":  {nil, nil, true},
		"service times and a throttled loop":     {throttled, throttled, false},
		"both and a throttled loop":              {both, throttled, true},
		"both and an unthrottled loop":           {both, nil, true},
		"response times and a throttled loop":    {response, throttled, true},
		"a known lack of a throttle":             {nil, throttled, true},
		"response times, throttle unknown":       {noCommandLine, nil, true},
		"service times, throttled by YCSB alone": {throttled, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			c := compared(t, made{repeats: 5, factor: 1, change: ofYCSB(tc.foreign)}, made{repeats: 5, factor: 1, change: tc.own})
			require.Empty(t, c.Refused)
			_, has := verdicts(c)["read_p99_us"]
			require.Equal(t, tc.compared, has)
			require.Contains(t, verdicts(c), "throughput_ops")
			if !tc.compared {
				require.Contains(t, c.Notes, "latencies are left out: of A they are service times, of B response times; a throttle or an open loop makes these differ")
			}
		})
	}
}

func TestAThrottleOfOneSideIsNamed(t *testing.T) {
	throttled := func(r *result.Run) { r.Resolved["target"] = "1200" }
	for name, other := range map[string]func(*result.Run){"both foreign": ofYCSB(nil), "against benchd": nil} {
		t.Run(name, func(t *testing.T) {
			a := suite(made{id: "A", name: "reads", repeats: 5, factor: 1, change: ofYCSB(throttled)})
			b := suite(made{id: "B", name: "reads", repeats: 5, factor: 1, change: other})
			var found []string
			for _, d := range compare.New(side(t, "A", a), side(t, "B", b), compare.Settings{Smallest: 0.05}).Differences {
				found = append(found, d.What)
			}
			require.Contains(t, found, "setting target")
		})
	}
}

func TestForeignResultsAreRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*result.Run)
		want   string
	}{
		"unknown loop": {func(r *result.Run) { r.Phases[0].Loop = result.UnknownLoop }, "A does not name its loop"},
		"open loop":    {func(r *result.Run) { r.Phases[0].Loop = "open" }, "A ran in an open loop and B in a closed loop"},
		"BasicDB":      {func(r *result.Run) { r.Resolved["db"] = "site.ycsb.BasicDB" }, "which is no database"},
	} {
		t.Run(name, func(t *testing.T) {
			c := compared(t, made{repeats: 5, factor: 1, change: ofYCSB(tc.change)}, made{repeats: 5, factor: 1})
			require.Contains(t, c.Refused, tc.want)
			require.Empty(t, c.Figures)
		})
	}
}
