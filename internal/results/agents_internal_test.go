//go:build !race

package results

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/chart"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/results/resultstest"
)

// The course of agents is that of the windows as they come, also after a restart and if it is read from a file.
func TestTheCourseOfAgents(t *testing.T) {
	const windows = 400
	stored := &countingArchive{Archive: resultstest.Open(t)}
	dir := filepath.Join(t.TempDir(), "computed")
	restart := func() *Store {
		s := newStore(stored, Keep{})
		s.sealed = newSealed(dir, nil, s.log)
		s.sealed.windows = fewWindows
		stored.reads = 0
		return s
	}
	l := resultstest.NewRun(t, stored, "S", 3, windows, 2, 400)
	live := chart.NewMatrix(3, time.Second, windows*time.Second)
	for _, w := range windowsOf(l, 0, windows) {
		require.NoError(t, live.Add(&w))
	}
	_, err := stored.AddWindows(t.Context(), windowsOf(l, 0, windows))
	require.NoError(t, err)
	shards := []chart.AgentShard{{Name: "agent-0", Attempt: 1}, {Name: "agent-1", Shard: 1, Attempt: 1}, {Name: "agent-2", Shard: 2, Attempt: 1}}
	read := func(s *Store, live *chart.Matrix, points int) chart.AgentSeries {
		t.Helper()
		r, err := s.One(t.Context(), "S")
		require.NoError(t, err)
		d, err := s.Agents(t.Context(), r, live, shards, points)
		require.NoError(t, err)
		return d
	}
	s := restart()
	want := read(s, live, 100)
	require.Zero(t, stored.reads)
	require.Equal(t, result.Running, want.Status)
	require.Len(t, want.Times, 80)
	require.Len(t, want.Agents, 3)
	require.InDelta(t, 800, *want.Agents[1].Rate[50], 0)
	require.NotNil(t, want.Agents[1].P99[50])
	require.Equal(t, want, read(s, nil, 100))
	require.Len(t, read(s, nil, 7).Times, 7)

	complete(t, stored.Archive, l)
	want.Status = result.Complete
	s = restart()
	require.Equal(t, want, read(s, nil, 100))
	require.FileExists(t, filepath.Join(dir, "S.1."+sealedAgents))
	s = restart()
	require.Equal(t, want, read(s, nil, 100))
	require.Zero(t, stored.reads)
	text, err := os.ReadFile(filepath.Join(dir, "S.1."+sealedAgents))
	require.NoError(t, err)
	text[len(text)/2] ^= 1
	require.NoError(t, os.WriteFile(filepath.Join(dir, "S.1."+sealedAgents), text, 0o600))
	require.Equal(t, want, read(restart(), nil, 100), "a damaged file is not used")
}

func TestTelemetryOfAPart(t *testing.T) {
	s, stored := onArchive(t, Keep{})
	l := resultstest.NewRun(t, stored, "S", 1, 3, 1, 1)
	o := result.Observed{Name: "store_files", Source: "rs1:16020", Unit: "1"}
	for i := range 1000 {
		o.At, o.Values = append(o.At, time.Duration(i)*time.Second), append(o.Values, float64(i))
	}
	require.NoError(t, stored.AddObservations(t.Context(), "S.1", []result.Observed{o}))
	read := func(of chart.Request) chart.Telemetry {
		t.Helper()
		r, err := s.One(t.Context(), "S")
		require.NoError(t, err)
		d, err := s.Telemetry(t.Context(), r, of)
		require.NoError(t, err)
		return d
	}
	d := read(chart.Request{})
	require.Equal(t, l.Record.Archived.ID, d.ID)
	require.Len(t, d.Sources, 1)
	require.Equal(t, "rs1:16020", d.Sources[0].Source)
	require.True(t, len(d.Sources[0].Times) <= 360 && len(d.Sources[0].Times) > 300)
	part := read(chart.Request{From: 100 * time.Second, To: 110 * time.Second}).Sources[0]
	require.Equal(t, []float64{100, 101, 102, 103, 104, 105, 106, 107, 108, 109}, part.Times)
	require.InDelta(t, 100, *part.Values[0], 0)
	require.Empty(t, read(chart.Request{From: time.Hour}).Sources[0].Times)
}
