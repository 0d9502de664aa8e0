package results

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
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
