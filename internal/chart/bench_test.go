package chart_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/benchd/benchd/internal/chart"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
)

// encodedWindows are the histograms of windows of an open loop with five operations, 500 samples each, as agents send them.
func encodedWindows(tb testing.TB, n int) (all [][5][2][]byte) {
	tb.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	for range n {
		var w [5][2][]byte
		for i := range w {
			response, service := new(latency.Histogram), new(latency.Histogram)
			for range 500 {
				ns := int64(float64(400_000*(i+1)) * math.Exp(0.5*rng.NormFloat64()))
				service.Record(ns)
				response.Record(ns + int64(50_000*rng.ExpFloat64()))
			}
			for j, h := range []*latency.Histogram{response, service} {
				b, err := h.AppendBinary(nil)
				if err != nil {
					tb.Fatal(err)
				}
				w[i][j] = b
			}
		}
		all = append(all, w)
	}
	return all
}

func decodedWindow(tb testing.TB, encoded *[5][2][]byte, shard, seq int) *latency.Window {
	tb.Helper()
	w := &latency.Window{
		ID: latency.WindowID{Phase: "measure", Shard: shard, Attempt: 1, Seq: seq}, Start: time.Duration(seq) * time.Second, End: time.Duration(seq+1) * time.Second,
	}
	for i, op := range [...]string{"READ", "UPDATE", "INSERT", "SCAN", "DELETE"} {
		var both [2]*latency.Histogram
		for j := range both {
			h, err := latency.TakeHistogram(encoded[i][j])
			if err != nil {
				tb.Fatal(err)
			}
			both[j] = h
		}
		w.Series = append(w.Series, latency.Series{Key: latency.Key{Op: op, Outcome: "OK"}, Response: both[0], Service: both[1]})
	}
	return w
}

// BenchmarkFleet is the work of a coordinator for a window of an agent of a large fleet, besides its messages and its archive: decoding, the
// live view, and the matrix of agents.
func BenchmarkFleet(b *testing.B) {
	const agents = 1000
	encoded := encodedWindows(b, 64)
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for n := 0; b.Loop(); n++ {
			decodedWindow(b, &encoded[n%len(encoded)], n%agents, n/agents)
		}
	})
	b.Run("live", func(b *testing.B) {
		config := result.BuilderConfig{Interval: time.Second, Phases: []result.PhaseInfo{{Name: "measure", Loop: "open", Planned: time.Hour}}, NotFoundShare: 1, LiveOnly: true}
		for i := range agents {
			config.Shards = append(config.Shards, result.ShardInfo{Index: i, Attempt: 1, Agent: fmt.Sprintf("agent-%04d", i)})
		}
		builder := result.NewBuilder(config)
		eachWindow(b, encoded, agents, func(w *latency.Window) error { _, err := builder.Add(w); return err })
	})
	for _, length := range []time.Duration{time.Minute, 10 * time.Minute} {
		b.Run("matrix of a run of "+length.String(), func(b *testing.B) {
			eachWindow(b, encoded, agents, chart.NewMatrix(agents, time.Second, length).Add)
		})
	}
}

// eachWindow measures do without decoding.
func eachWindow(b *testing.B, encoded [][5][2][]byte, agents int, do func(*latency.Window) error) {
	b.Helper()
	decoded := make([]*latency.Window, len(encoded))
	for i := range encoded {
		decoded[i] = decodedWindow(b, &encoded[i], 0, 0)
	}
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		w := *decoded[n%len(decoded)]
		w.ID.Shard, w.ID.Seq = n%agents, n/agents
		w.Start, w.End = time.Duration(w.ID.Seq)*time.Second, time.Duration(w.ID.Seq+1)*time.Second
		if err := do(&w); err != nil {
			b.Fatal(err)
		}
	}
}
