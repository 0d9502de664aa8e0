package result_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
)

var update = flag.Bool("update", false, "rewrite the files in testdata")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	if string(want) == got {
		return
	}
	old, now := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	for i := range min(len(old), len(now)) {
		require.Equal(t, old[i], now[i], "line %d of %s; run the test with -update if that is meant", i+1, path)
	}
	require.Len(t, now, len(old), "lines of %s; run the test with -update if that is meant", path)
}

// The JSON of a result is a contract: fields are only ever added.
func TestDocumentJSON(t *testing.T) {
	cfg := open(config(2), 1500)
	cfg.Phases[0].Planned = 3 * time.Second
	b := result.NewBuilder(cfg)
	for shard := range 2 {
		ws := of("measure", shard)
		for range 3 {
			w := ws.next(
				series("READ", "OK", spread(700)...),
				series("READ", "NOT_FOUND", 40),
				series("READ-MODIFY-WRITE", "OK", 80, 90, 100),
				inRMW(series("READ", "OK", 30, 40, 50)),
				inRMW(series("UPDATE", "OK", 50, 50, 50)))
			add(t, b, w)
		}
		add(t, b, ws.tail(series("READ", "OK", 30_000)))
	}
	planned := time.Date(2026, 11, 21, 12, 0, 0, 123456789, time.UTC)
	run, err := b.Document(result.Run{
		ID: "S.1", Name: "demo", Case: "workloada", Status: result.Complete,
		Spec: []byte(`{"properties":{"recordcount":"1000"}}`), Resolved: map[string]string{"recordcount": "1000"},
		Provenance: result.Provenance{
			Benchd: "1.0.0+abc", Created: planned.Add(-time.Second), Seed: 7,
			Agents: []result.Agent{{Name: "a", Workers: 4}, {Name: "b", Shard: 1, Workers: 4}},
		},
		Start: result.NewStart(planned, []result.FirstSend{
			{Name: "a", At: planned.Add(100 * time.Microsecond), Uncertainty: 20 * time.Microsecond},
			{Name: "b", At: planned.Add(410 * time.Microsecond), Uncertainty: 30 * time.Microsecond},
		}),
	}, result.Notes{
		Events: map[string][]result.Event{"measure": {{T: 1.2, Kind: "action", Text: "flush usertable"}}},
		Observations: map[string][]result.Observation{"measure": {{
			Name: "heap", Source: "rs1:16030", Unit: "bytes", Points: [][2]float64{{1, 100}},
		}}},
	})
	require.NoError(t, err)
	golden(t, "run.json", text(t, run)+"\n")
}

// A run that never began has a document too, without null lists.
func TestDocumentOfNothing(t *testing.T) {
	golden(t, "queued.json", text(t, document(t, result.NewBuilder(config(1))))+"\n")
}
