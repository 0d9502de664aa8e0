package draw_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/report/draw"
	"github.com/benchd/benchd/internal/result"
)

// long is the document of a run of two hours: 7200 intervals of five operations, six agents, and forty courses of telemetry.
func long() result.Run {
	const seconds, rate = 7200, 2000
	us := func(x float64) *float64 { return &x }
	p := result.Phase{Name: "measure", Loop: "open", Seconds: seconds, Throughput: 5 * rate, Ops: 5 * rate * seconds, Offered: us(5 * rate)}
	names := []string{"READ", "UPDATE", "INSERT", "SCAN", "READ-MODIFY-WRITE"}
	for _, name := range names {
		o := result.Operation{Op: name, Outcome: "OK", Figures: result.Figures{Count: rate * seconds, Mean: 900, Min: 90, Max: 90_000, P50: us(800), P99: us(4000)}}
		for a := range 6 {
			o.Agents = append(o.Agents, result.AgentOperation{Name: fmt.Sprint("agent", a), Count: rate * seconds / 6, P99: us(4000)})
		}
		p.Operations = append(p.Operations, o)
	}
	for a := range 6 {
		p.Generators = append(p.Generators, result.Generator{Name: fmt.Sprint("agent", a), Seconds: seconds})
	}
	for t := range seconds {
		point := result.Point{T: float64(t), Seconds: 1, Ops: 5 * rate}
		for i, name := range names {
			point.Operations = append(point.Operations, result.PointOperation{
				Op: name, Outcome: "OK", Count: rate, Mean: 900 + float64(t%97), P50: us(800), P99: us(4000 + float64((t*i)%1009)), Max: 90_000, ServiceMean: 700,
			})
		}
		p.Series = append(p.Series, point)
	}
	figures := []string{"node.cpu_busy_percent", "node.net_sent", "node.net_received", "node.disk_busy_percent", "db.server.requests", "db.server.heap_used", "db.server.calls", "db.server.call_queue"}
	for _, name := range figures {
		for s := range 5 {
			o := result.Observation{Name: name, Source: fmt.Sprint("server", s), Unit: "percent"}
			for t := range seconds {
				o.Points = append(o.Points, [2]float64{float64(t) + 0.1*float64(s), float64((t*s)%83) + 0.25})
			}
			p.Observations = append(p.Observations, o)
		}
	}
	for t := 60; t < seconds; t += 60 {
		p.Events = append(p.Events, result.Event{T: float64(t), Kind: result.HappenedFlush, Text: "5 flushes on 5 servers"})
	}
	return result.Run{ID: "L.1", Phases: []result.Phase{p}}
}

// intervals are the merged histograms of a long run, as a coordinator sends them: a few hundred.
func intervals(tb testing.TB, n int) []draw.Interval {
	tb.Helper()
	var out []draw.Interval
	step := 7200 * time.Second / time.Duration(n)
	for i := range n {
		iv := draw.Interval{Phase: "measure", Start: time.Duration(i) * step, End: time.Duration(i+1) * step}
		for k, name := range []string{"READ", "UPDATE", "INSERT", "SCAN", "READ-MODIFY-WRITE"} {
			iv.Series = append(iv.Series, samples(name, "OK", "", 2000, 300*(k+1+i%7)))
		}
		out = append(out, iv)
	}
	return out
}

// A long run has charts of bounded size: telemetry, heat maps and percentiles over time do not grow with its length.
func TestChartsOfALongRunAreBounded(t *testing.T) {
	run := long()
	h := draw.NewHistograms(run)
	for _, iv := range intervals(t, 720) {
		require.NoError(t, h.Add(iv))
	}
	p := draw.Run(run, draw.Options{Histograms: map[string]*draw.Histograms{run.ID: h}})
	require.Len(t, p.Telemetry, 7)
	for _, c := range append(p.Telemetry, p.Details...) {
		for _, s := range c.Series {
			require.LessOrEqual(t, len(s.Y), 2002, c.Title)
		}
	}
	require.Len(t, p.Distribution, 7)
	for _, c := range p.Distribution[1:] {
		require.LessOrEqual(t, len(c.Heat.Counts), 256)
		require.InDelta(t, 7200, c.Heat.X[len(c.Heat.X)-1], 20)
	}
	c := find(t, p.Course, "Response time of READ")
	require.Contains(t, c.How, "every 10 s")
	require.Len(t, seriesOf(t, c, "p95").Y, 721)
	require.Len(t, c.Marks, 40, "a hundred and nineteen waves of flushes, a minute apart, share marks of two minutes")
	require.Equal(t, "flush × 3", c.Marks[0].Label)
	require.Zero(t, c.Marks[0].To, "a flush has no length")
}

func BenchmarkRun(b *testing.B) {
	run, all := long(), intervals(b, 720)
	h := draw.NewHistograms(run)
	for _, iv := range all {
		require.NoError(b, h.Add(iv))
	}
	o := draw.Options{Histograms: map[string]*draw.Histograms{run.ID: h}}
	b.Run("charts", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			draw.Run(run, o)
		}
	})
	b.Run("histograms", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			h := draw.NewHistograms(run)
			for _, iv := range all {
				require.NoError(b, h.Add(iv))
			}
		}
	})
	b.Run("tables", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			draw.Intervals(run, o)
		}
	})
}
