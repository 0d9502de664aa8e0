package results

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/chart"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/results/resultstest"
)

// BenchmarkEndedRun shows an ended run of 600 windows of 4 agents: made from its windows, and kept.
func BenchmarkEndedRun(b *testing.B) {
	stored := resultstest.Open(b)
	l := resultstest.NewRun(b, stored, "S", 4, 600, 2, 1000)
	l.Add(b, stored, 0, 600)
	archived, err := l.Record.ToArchive()
	require.NoError(b, err)
	archived.Status, archived.Ended = result.Complete, time.Unix(1, 0)
	require.NoError(b, stored.Apply(b.Context(), archive.Change{Runs: []archive.RunRecord{archived}, Suite: "S", Status: result.Complete}))
	for name, limit := range map[string]int64{"made": 0, "kept": mostDocuments} {
		b.Run(name, func(b *testing.B) {
			s := newStore(stored, Keep{})
			s.documents = newDocuments(limit)
			text, err := s.JSON(b.Context(), "S")
			require.NoError(b, err)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.JSON(b.Context(), "S"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSeries reads parts of a run of 100 hours in windows of a second: in progress, and when it has ended.
func BenchmarkSeries(b *testing.B) {
	const windows, agents = 100 * 3600, 2
	stored := resultstest.Open(b)
	l := resultstest.NewRun(b, stored, "S", agents, windows, 2, 20)
	late := l.Add(b, stored, 0, windows)
	_, err := stored.AddWindows(b.Context(), late)
	require.NoError(b, err)
	s := newStore(stored, Keep{})
	s.sealed = newSealed(b.TempDir(), nil, s.log)
	rollUpAll(b, s)
	parts := func(state string) {
		for name, of := range map[string]chart.Request{
			"whole": {}, "tenth": {From: windows / 2 * time.Second, To: windows * 6 / 10 * time.Second}, "newest minute": {From: (windows - 60) * time.Second},
		} {
			b.Run(state+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					r, err := s.One(b.Context(), "S")
					require.NoError(b, err)
					series, err := s.Series(b.Context(), r, of)
					require.NoError(b, err)
					require.NotEmpty(b, series.Phases[0].Points)
				}
			})
		}
	}
	parts("in progress")
	l.Record.State.Life.Status = result.Complete
	archived, err := l.Record.ToArchive()
	require.NoError(b, err)
	require.NoError(b, stored.Apply(b.Context(), archive.Change{Runs: []archive.RunRecord{archived}, Suite: "S", Status: result.Complete}))
	rollUpAll(b, s)
	require.NoError(b, s.LookAfter(b.Context()))
	parts("ended")
}
