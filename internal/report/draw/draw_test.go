package draw_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/report/draw"
	"github.com/benchd/benchd/internal/result"
)

// fixture describes a run of two agents with a warm-up and a measured phase.
type fixture struct {
	seconds int  // of the measured phase
	open    bool // at a fixed rate
	reads   int  // of an agent in a second
}

// samples is a series of n operations that took us microseconds and more, up to twice that; service times are half of it.
func samples(op, outcome, partOf string, n, us int) latency.Series {
	s := latency.Series{Key: latency.Key{Op: op, Outcome: outcome, PartOf: partOf}, Response: new(latency.Histogram), Service: new(latency.Histogram)}
	for i := range n {
		ns := int64(us)*1000 + int64(us)*1000*int64(i)/int64(n)
		s.Response.Record(ns)
		s.Service.Record(ns / 2)
	}
	return s
}

// make makes the document of the run, and its histograms, which are added as the writer of a report does.
func (f fixture) make(t testing.TB) (result.Run, *draw.Histograms) {
	t.Helper()
	cfg := result.BuilderConfig{Run: "S.1", Interval: time.Second, NotFoundShare: 1}
	agents := []string{"a", "b"}
	for i, name := range agents {
		cfg.Shards = append(cfg.Shards, result.ShardInfo{Index: i, Attempt: 1, Agent: name, Host: name, Workers: 8})
	}
	loop, length := "closed", time.Duration(f.seconds)*time.Second
	var intended func(time.Duration) float64
	if f.open {
		loop, intended = "open", func(d time.Duration) float64 { return 500 * d.Seconds() }
	}
	cfg.Phases = []result.PhaseInfo{
		{Name: "warmup", Loop: loop, Planned: 2 * time.Second, Intended: intended},
		{Name: "measure", Loop: loop, Planned: length, Intended: intended},
	}
	b := result.NewBuilder(cfg)
	var intervals []draw.Interval
	for _, phase := range []struct {
		name    string
		windows int
	}{{"warmup", 2}, {"measure", f.seconds}} {
		done := make([]uint64, len(agents))
		for seq := range phase.windows + 1 {
			tail := seq == phase.windows
			iv := draw.Interval{Phase: phase.name, Start: time.Duration(seq) * time.Second, End: time.Duration(seq+1) * time.Second, Tail: tail}
			if tail {
				iv.End = iv.Start + 5*time.Millisecond
			}
			var merged latency.Merged
			for shard := range agents {
				w := &latency.Window{
					ID:    latency.WindowID{Run: "S.1", Phase: phase.name, Shard: shard, Attempt: 1, Seq: seq},
					Start: iv.Start, End: iv.End, Tail: tail, Last: tail,
					Health: latency.Health{Cores: 4, HostIdle: 0.5, LateSends: uint64(shard)},
				}
				if tail {
					w.Series = []latency.Series{samples("READ", "OK", "", 1, 700)}
				} else {
					w.Series = []latency.Series{
						samples("READ", "OK", "", f.reads, 400*(seq%3+1)),
						samples("READ-MODIFY-WRITE", "OK", "", f.reads/4, 2000),
						samples("UPDATE", "OK", "READ-MODIFY-WRITE", f.reads/4, 900),
					}
					if seq == 1 {
						w.Series = append(w.Series, samples("READ", "TIMEOUT", "", 3, 5_000_000))
						w.Retries = map[string]uint64{"NotServingRegionException": 2}
					}
				}
				done[shard] += latency.Ops(w.Series)
				w.Issued, w.Recorded = done[shard], done[shard]
				_, err := b.Add(w)
				require.NoError(t, err)
				require.NoError(t, merged.Add(w.Series))
			}
			iv.Series = merged.Series()
			intervals = append(intervals, iv)
		}
	}
	run, err := b.Document(result.Run{ID: "S.1", Name: "demo", Status: result.Complete}, f.notes())
	require.NoError(t, err)
	h := draw.NewHistograms(run)
	for _, iv := range intervals {
		require.NoError(t, h.Add(iv))
	}
	return run, h
}

// notes are telemetry of servers that are polled together and of agents that poll themselves, and events.
func (f fixture) notes() result.Notes {
	n := result.Notes{Events: map[string][]result.Event{"measure": {
		{T: 3, Kind: result.HappenedServer, Text: "rs2 was lost"},
		{T: 3.1, Kind: result.HappenedServer, Text: "rs3 was lost"},
	}}, Observations: map[string][]result.Observation{}}
	for i, source := range []string{"rs1:16020", "rs2:16020"} {
		cpu := result.Observation{Name: "db.server.cpu_percent", Source: source, Unit: "percent"}
		heap := result.Observation{Name: "db.server.heap_used", Source: source, Unit: "bytes"}
		calls := result.Observation{Name: "db.server.calls", Source: source, Unit: "1/s"}
		host := result.Observation{Name: "host.net_sent", Source: source[:3], Unit: "bytes/s"}
		for t := range f.seconds {
			cpu.Points = append(cpu.Points, [2]float64{float64(t) + 0.25, float64(10*i + t)})
			calls.Points = append(calls.Points, [2]float64{float64(t) + 0.25, float64(100 * t)})
			heap.Points = append(heap.Points, [2]float64{float64(t) + 0.25, 3e9})
			host.Points = append(host.Points, [2]float64{float64(t) + 0.5*float64(i), 2e6})
		}
		n.Observations["measure"] = append(n.Observations["measure"], cpu, heap, calls, host)
	}
	return n
}

func find(t testing.TB, charts []book.Chart, title string) book.Chart {
	t.Helper()
	var titles []string
	for _, c := range charts {
		if c.Title == title {
			return c
		}
		titles = append(titles, c.Title)
	}
	require.Fail(t, "no such chart", "%q is not among %q", title, titles)
	return book.Chart{}
}

func seriesOf(t testing.TB, c book.Chart, name string) book.Series {
	t.Helper()
	var names []string
	for _, s := range c.Series {
		if s.Name == name {
			return s
		}
		names = append(names, s.Name)
	}
	require.Fail(t, "no such series", "%q is not among %q of %q", name, names, c.Title)
	return book.Series{}
}

func sum(values []float64) float64 {
	var total float64
	for _, v := range values {
		if !math.IsNaN(v) {
			total += v
		}
	}
	return total
}

// The throughput over time adds up to the document's: of all operations without those after the end.
func TestThroughputOverTimeAddsUpToTheDocument(t *testing.T) {
	run, h := fixture{seconds: 10, reads: 100}.make(t)
	measured := run.Phases[1]
	c := find(t, draw.Run(run, draw.Options{Histograms: map[string]*draw.Histograms{run.ID: h}}).Course, "Throughput")
	all := c.Series[0]
	require.Equal(t, "all operations", all.Name)
	require.Len(t, all.X, 13, "two intervals of the warm-up, ten of the measurement, and the end")
	require.InDelta(t, -2, all.X[0], 1e-9, "the measurement begins at 0")
	require.InDelta(t, measured.Throughput*measured.Seconds, sum(all.Y[2:]), 1e-6)
	require.InDelta(t, float64(measured.Operations[0].Count-2), sum(seriesOf(t, c, "READ").Y[2:]), 1e-6)
	require.Equal(t, run.ID, c.Group)
}

// The heat map counts each operation that succeeded in the measured phase once, also those after its end.
func TestTheHeatMapCountsEachOperationOnce(t *testing.T) {
	for _, seconds := range []int{1, 10, 450} {
		run, h := fixture{seconds: seconds, reads: 8}.make(t)
		charts := draw.Run(run, draw.Options{Histograms: map[string]*draw.Histograms{run.ID: h}}).Distribution
		for title, operations := range map[string][]string{
			"all operations": {"READ", "READ-MODIFY-WRITE"}, "READ": {"READ"}, "READ-MODIFY-WRITE": {"READ-MODIFY-WRITE"},
		} {
			heat := find(t, charts, "Distribution of response times over time: "+title).Heat
			var counted, done uint64
			for _, column := range heat.Counts {
				require.Len(t, column, len(heat.Y)-1)
				for _, n := range column {
					counted += n
				}
			}
			for _, o := range run.Phases[1].Operations {
				if o.PartOf == nil && o.Outcome == "OK" && (o.Op == operations[0] || o.Op == operations[len(operations)-1]) {
					done += o.Count
				}
			}
			require.Equal(t, done, counted, "%s over %d s", title, seconds)
			require.Len(t, heat.X, len(heat.Counts)+1)
			require.LessOrEqual(t, len(heat.Counts), 256)
			require.LessOrEqual(t, len(heat.Y), 41)
			require.IsIncreasing(t, heat.Y)
			require.IsIncreasing(t, heat.X)
			if operations[0] == "READ" {
				require.LessOrEqual(t, heat.Y[0], run.Phases[1].Operations[0].Min)
			}
		}
	}
}
