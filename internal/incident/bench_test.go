package incident_test

import (
	"math/rand/v2"
	"testing"

	"github.com/benchd/benchd/internal/incident"
	"github.com/benchd/benchd/internal/result"
)

// BenchmarkManyEvents is a phase with as many intervals as a result has, and with an event every eight of them.
func BenchmarkManyEvents(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	p := measured(noisy(r, 10_000, 0.1, 0.5, 0)...)
	kinds := []string{result.HappenedFlush, result.HappenedSplit, result.HappenedCompaction, result.HappenedServer}
	for t := 10; t < 10_000; t += 8 {
		p.Events = append(p.Events, event(float64(t), kinds[r.IntN(len(kinds))], "x"))
	}
	for b.Loop() {
		incident.Of(p)
	}
}
