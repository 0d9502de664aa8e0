package result_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
)

// The coordinator merges each window of each agent, and makes a document of all of them.

func benchWindows(agents, count int) []*latency.Window {
	r := rand.New(rand.NewPCG(1, 2))
	var out []*latency.Window
	makers := make([]*windows, agents)
	for i := range makers {
		makers[i] = of("measure", i)
	}
	for range count {
		for _, ws := range makers {
			var all []latency.Series
			for _, op := range []string{"READ", "UPDATE"} {
				s := latency.Series{
					Key: latency.Key{Op: op, Outcome: "OK"}, Response: new(latency.Histogram), Service: new(latency.Histogram),
				}
				for range 5000 {
					ns := int64(200_000 * (1 + r.ExpFloat64()))
					s.Response.Record(ns)
					s.Service.Record(ns / 2)
				}
				all = append(all, s)
			}
			out = append(out, ws.next(all...))
		}
	}
	return out
}

func BenchmarkAdd(b *testing.B) {
	for _, agents := range []int{1, 8} {
		b.Run(fmt.Sprintf("agents=%d", agents), func(b *testing.B) {
			all := benchWindows(agents, 20)
			b.ReportAllocs()
			builder := result.NewBuilder(config(agents))
			next := 0
			for b.Loop() {
				w := *all[next%len(all)]
				w.ID.Seq += 20 * (next / len(all))
				w.Start += 20 * time.Second * time.Duration(next/len(all))
				w.End = w.Start + time.Second
				if _, err := builder.Add(&w); err != nil {
					b.Fatal(err)
				}
				next++
			}
		})
	}
}

func BenchmarkLive(b *testing.B) {
	cfg := config(8)
	cfg.LiveOnly = true
	builder := result.NewBuilder(cfg)
	for _, w := range benchWindows(8, 20) {
		if _, err := builder.Add(w); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if builder.Live().Ops == 0 {
			b.Fatal("nothing was merged")
		}
	}
}

func BenchmarkDocument(b *testing.B) {
	builder := result.NewBuilder(config(8))
	for _, w := range benchWindows(8, 60) {
		if _, err := builder.Add(w); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := builder.Document(result.Run{}, result.Notes{}); err != nil {
			b.Fatal(err)
		}
	}
}
