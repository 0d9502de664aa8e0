package sqlite

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/archivetest"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
)

func TestConformance(t *testing.T) {
	archivetest.Run(t, func(tb testing.TB, dir string) archivetest.Archive { return openIn(tb, dir) })
}

// Removing a suite removes all its rows, and no row of another one.
func TestRemoveLeavesNoRows(t *testing.T) {
	a := openIn(t, t.TempDir())
	kept, gone := archivetest.Create(t, a, "kept"), archivetest.Create(t, a, "gone")
	for _, run := range []string{kept, gone} {
		archivetest.Add(t, a, archivetest.WindowOf(latency.WindowID{Run: run, Phase: "measure"}, 12))
		require.NoError(t, a.Apply(t.Context(), archive.Change{Events: []archive.Event{{Run: run}}}))
	}
	require.NoError(t, a.AddObservations(t.Context(), gone, []result.Observed{{Name: "regions", Source: "rs1", Unit: "1", At: []time.Duration{time.Second}, Values: []float64{3}}}))
	update := archivetest.RunOf("gone", "1")
	update.Agents = []archive.Agent{{Name: "a"}}
	require.NoError(t, a.Apply(t.Context(), archive.Change{Runs: []archive.RunRecord{update}, Suite: "gone", Status: result.Cancelled}))
	require.NoError(t, a.Remove(t.Context(), "gone"))
	for table, want := range map[string]int{"suite": 1, "run": 1, "agent": 0, "phase": 1, "window": 1, "measurement": 5, "error_sample": 1, "event": 1, "figure": 0, "observation": 0} {
		var rows int
		require.NoError(t, a.reader.QueryRowContext(t.Context(), `SELECT count(*) FROM "`+table+`"`).Scan(&rows))
		require.Equal(t, want, rows, table)
	}
}
