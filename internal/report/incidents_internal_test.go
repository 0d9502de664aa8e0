package report

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
)

func TestAnUnfinishedActionHasALowerBoundOfItsTime(t *testing.T) {
	phase := result.Phase{Actions: []result.Action{
		{Do: "major_compact", T: 3, Seconds: 7, Outcome: result.StillGoing},
		{Do: "flush", T: 3, Seconds: 7, Outcome: "done"},
		{Do: "split", T: 4, Seconds: 0.25, Outcome: "no such region"},
		{Do: "balance", T: 5},
	}}
	for do, want := range map[string]string{
		"major_compact": "took over 7.0 s: " + result.StillGoing, "flush": "took 7.0 s", "split": "after 0.2 s: no such region", "balance": "not ended",
	} {
		for _, a := range phase.Actions {
			if a.Do == do {
				require.Equal(t, want, took(phase, a.T, do))
			}
		}
	}
}

// fallen is an incident of a compaction with a dip.
func fallen() result.Incident {
	dip, worst, depth, at, recovery, lost, p99, slow := true, 8123.4, 34.0, 62.0, 21.0, 41_234.0, 2100.0, 45_200.0
	return result.Incident{
		T: 60, Seconds: 21, Kind: result.ByAction, Cause: "major_compact", Before: &result.Baseline{Mean: 12_308, Intervals: 58}, Dip: &dip,
		Because: "19 of 21", Test: "dip: deep; recovered: back", Worst: &worst, WorstAt: 63, Depth: &depth, DipAt: &at, Recovery: &recovery,
		Measured: 60, Lost: &lost, Errors: map[string]uint64{},
		Latency: []result.IncidentLatency{{Op: "READ", P99Before: &p99, P99Worst: &slow}, {Op: "SCAN"}, {Op: "UPDATE", P99Before: &p99, P99Worst: &p99}},
	}
}

func TestAnIncidentIsASentence(t *testing.T) {
	calm, later, worst := false, 38_000.0, 11_800.0
	low, high := 12_208.0, 12_408.0
	long := fallen()
	long.Before.Low, long.Before.High, long.Latency = &low, &high, nil
	still := fallen()
	still.Recovery, still.Latency, still.Errors = nil, nil, map[string]uint64{"ERROR": 3, "TIMEOUT": 1200}
	open := fallen()
	open.CaughtUp, open.Latency = &later, nil
	with := fallen()
	with.Latency, with.Events = nil, []result.Event{{T: 61, Kind: "server", Text: "is lost"}, {T: 62.5, Kind: result.ByAction, Text: "flush"}}
	none := result.Incident{T: 60, Kind: result.ByAction, Cause: "split", Before: &result.Baseline{Mean: 12_308}, Dip: &calm, Worst: &worst, WorstAt: 64}
	unknown := result.Incident{T: 2, Kind: result.HappenedServer, Cause: "a server\x1b is lost", Because: "2 usable intervals before it, 5 needed"}
	quiet := result.Incident{T: 70, Kind: result.HappenedSplit, Cause: "a region was split", Before: none.Before, Dip: &calm, Worst: &worst}
	phase := result.Phase{Loop: "closed", Actions: []result.Action{
		{Do: "major_compact", T: 60, Seconds: 12.34, Outcome: "done"}, {Do: "split", T: 60, Seconds: 1, Outcome: "done"}, {Do: "flush", T: 62.5},
	}}
	for _, tc := range []struct {
		name     string
		loop     string
		incident result.Incident
		want     string
	}{
		{"a dip", "closed", fallen(), "major_compact at 60.0 s (took 12.3 s): throughput fell by 34 % (12,308 → 8,123 ops/s at 63 s), recovered after 21.0 s; " +
			"41,230 operations fewer, 0 errors; p99 of READ up to 45.2 ms (2.10 ms before)"},
		{"a dip without end", "closed", still, "major_compact at 60.0 s (took 12.3 s): throughput fell by 34 % (12,308 → 8,123 ops/s at 63 s), " +
			"not recovered within the 60 s that were measured; 41,230 operations fewer, 1,203 errors (TIMEOUT 1,200, ERROR 3)"},
		{"with the interval of the mean", "closed", long, "major_compact at 60.0 s (took 12.3 s): throughput fell by 34 % (12,308 ± 100 → 8,123 ops/s at 63 s), " +
			"recovered after 21.0 s; 41,230 operations fewer, 0 errors"},
		{"a dip in an open loop", "open", open, "major_compact at 60.0 s (took 12.3 s): throughput fell by 34 % (12,308 → 8,123 ops/s at 63 s), recovered after 21.0 s; " +
			"41,230 operations fewer, 38,000 of them done later, 0 errors"},
		{"several causes", "closed", with, "major_compact at 60.0 s (took 12.3 s, is lost at 61.0 s, flush at 62.5 s not ended): throughput fell by 34 % " +
			"(12,308 → 8,123 ops/s at 63 s), recovered after 21.0 s; 41,230 operations fewer, 0 errors"},
		{"no dip", "closed", none, "split at 60.0 s (took 1.0 s): no dip shown (12,308 ops/s before, lowest interval 11,800 at 64 s), 0 errors"},
		{"not determined", "closed", unknown, "a server  is lost at 2.0 s: not determined: 2 usable intervals before it, 5 needed; 0 errors"},
		{"an event without a dip", "closed", quiet, "no dip shown after split at 70.0 s"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := phase
			p.Loop, p.Incidents = tc.loop, []result.Incident{tc.incident}
			require.Equal(t, []string{tc.want}, incidents(p))
		})
	}
}

func TestIncidentsAsCSV(t *testing.T) {
	run := result.Run{ID: "S.1", Phases: []result.Phase{{Name: "measure", Loop: "closed", Incidents: []result.Incident{
		fallen(), {T: 2, Kind: result.HappenedServer, Cause: "a server, lost", Because: "2 intervals", Errors: map[string]uint64{"ERROR": 3, "TIMEOUT": 4}},
	}}}}
	var out strings.Builder
	require.NoError(t, IncidentsCSV(&out, run))
	rows, err := csv.NewReader(strings.NewReader(out.String())).ReadAll()
	require.NoError(t, err)
	require.Equal(t, [][]string{
		{"S.1", "measure", "closed", "60", "21", "action", "major_compact", "", "0", "12308", "", "", "58", "true", "34", "8123.4", "63", "62", "21", "60", "41234", "", "0", "19 of 21"},
		{"S.1", "measure", "closed", "2", "0", "server", "a server, lost", "", "0", "", "", "", "", "", "", "", "", "", "", "0", "", "", "7", "2 intervals"},
	}, rows[1:])
}
