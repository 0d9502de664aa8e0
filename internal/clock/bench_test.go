package clock_test

import (
	"math/rand/v2"
	"testing"

	"github.com/benchd/benchd/internal/clock"
)

// BenchmarkEstimate is a probe and the estimate that a coordinator makes then, each second for each agent.
func BenchmarkEstimate(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	var e clock.Estimator
	now := int64(0)
	probe := func() {
		now += 1e9
		away, back := int64(50_000+rng.IntN(100_000)), int64(50_000+rng.IntN(100_000))
		peer := now + away + now/100_000
		e.Add(clock.Probe{Sent: now, PeerReceived: peer, PeerSent: peer + 1000, Received: now + away + 1000 + back})
	}
	for range 64 {
		probe()
	}
	b.ReportAllocs()
	for b.Loop() {
		probe()
		if _, ok := e.Estimate(now); !ok {
			b.Fatal("no estimate")
		}
	}
}
