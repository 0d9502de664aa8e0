package chart_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/chart"
	"github.com/benchd/benchd/internal/latency"
)

// windowOf is a window of a second with some operations, whose time depends on shard and number.
func windowOf(phase string, shard, seq, ops int) *latency.Window {
	good, failed := new(latency.Histogram), new(latency.Histogram)
	for i := range ops {
		good.Record(int64((1+shard)*1_000_000 + (seq*100+i)*1000))
	}
	failed.Record(int64(time.Minute))
	return &latency.Window{
		ID: latency.WindowID{Phase: phase, Shard: shard, Attempt: 1, Seq: seq}, Start: time.Duration(seq) * time.Second, End: time.Duration(seq+1) * time.Second,
		Series: []latency.Series{
			{Key: latency.Key{Op: "READ", Outcome: "OK"}, Response: good, Service: good},
			{Key: latency.Key{Op: "READ", Outcome: "TIMEOUT"}, Response: failed, Service: failed},
			{Key: latency.Key{Op: "PART", Outcome: "OK", PartOf: "READ"}, Response: failed, Service: failed},
		},
	}
}

// p99Of is the percentile of the good operations of some windows.
func p99Of(t *testing.T, windows ...*latency.Window) time.Duration {
	t.Helper()
	var sum latency.Histogram
	for _, w := range windows {
		require.NoError(t, sum.Merge(w.Series[0].Response))
	}
	if !sum.Supports(0.99) {
		return 0
	}
	return time.Duration(sum.Quantile(0.99))
}

// If the length of a run is known, each cell has the percentile of all its operations, in whatever order windows come.
func TestACellIsExactIfTheLengthIsKnown(t *testing.T) {
	const seconds, agents, ops, length = 720, 3, 100, 10
	m := chart.NewMatrix(agents, time.Second, seconds*time.Second)
	for seq := range seconds {
		for shard := range agents {
			require.NoError(t, m.Add(windowOf("measure", shard, seq, ops)))
		}
	}
	tail := windowOf("measure", 0, seconds, ops)
	tail.Tail = true
	require.NoError(t, m.Add(tail))
	g := m.Grid()
	require.Equal(t, length*time.Second, g.Step)
	require.Len(t, g.Phases, 1)
	require.Equal(t, seconds/length, g.Phases[0].Columns)
	require.Len(t, g.Phases[0].Rows, agents)
	for shard, r := range g.Phases[0].Rows {
		require.Equal(t, shard, r.Shard)
		require.Len(t, r.Cells, seconds/length)
		for i, c := range r.Cells {
			var of []*latency.Window
			for k := range length {
				of = append(of, windowOf("measure", shard, length*i+k, ops))
			}
			require.NotZero(t, c.P99)
			require.Equal(t, chart.Cell{Ops: length * (ops + 1), Time: length * time.Second, P99: p99Of(t, of...)}, c)
		}
	}
	require.Equal(t, g, m.Grid(), "reading changes nothing")
	m.Settle()
	require.Equal(t, g, m.Grid(), "settling changes nothing")
	require.NoError(t, m.Add(windowOf("measure", 0, seconds-1, ops)))
	require.EqualValues(t, (length+1)*(ops+1), m.Grid().Phases[0].Rows[0].Cells[seconds/length-1].Ops, "a late window counts")
}

// A run that lasts longer than expected has longer columns, with the highest percentile of what they have been merged of.
func TestColumnsBecomeLonger(t *testing.T) {
	const ops = 700
	m := chart.NewMatrix(1, time.Second, 0)
	windows := 0
	for _, want := range []time.Duration{2 * time.Second, 10 * time.Second, 20 * time.Second} {
		for m.Grid().Step < want {
			require.NoError(t, m.Add(windowOf("measure", 0, windows, ops)))
			windows++
		}
		g := m.Grid()
		require.Equal(t, want, g.Step)
		require.LessOrEqual(t, g.Phases[0].Columns, chart.Columns(1))
		var sum uint64
		var length time.Duration
		for i, c := range g.Phases[0].Rows[0].Cells {
			sum, length = sum+c.Ops, length+c.Time
			last := min((i+1)*int(want/time.Second), windows) - 1
			require.GreaterOrEqual(t, c.P99, p99Of(t, windowOf("measure", 0, max(last-10, 0), ops)), "column %d of %s", i, want)
		}
		require.EqualValues(t, windows*(ops+1), sum)
		require.Equal(t, time.Duration(windows)*time.Second, length)
	}
}

func TestLateWindowsCount(t *testing.T) {
	m := chart.NewMatrix(2, time.Second, 10*time.Second)
	for _, seq := range []int{0, 1, 4, 3, 5, 2, 0} {
		require.NoError(t, m.Add(windowOf("measure", 1, seq, 800)))
	}
	cells := m.Grid().Phases[0].Rows[0].Cells
	require.Len(t, cells, 6)
	for seq, c := range cells {
		require.Equal(t, p99Of(t, windowOf("measure", 1, seq, 800)), c.P99, "%d", seq)
	}
	require.Equal(t, 2*time.Second, cells[0].Time)
}

func TestAFleetHasBoundedCells(t *testing.T) {
	require.Equal(t, 120, chart.Columns(1000))
	require.Equal(t, 1, chart.Columns(1_000_000))
	require.Equal(t, 120, chart.Columns(1))
	m := chart.NewMatrix(1000, time.Second, 0)
	for seq := range 130 {
		require.NoError(t, m.Add(windowOf("measure", seq%1000, seq, 1)))
	}
	require.LessOrEqual(t, m.Grid().Phases[0].Columns, 120)
}

func TestAgentsAreShownByName(t *testing.T) {
	m := chart.NewMatrix(3, time.Second, 8*time.Second)
	for seq := range 4 {
		require.NoError(t, m.Add(windowOf("warmup", 0, seq, 700)))
		require.NoError(t, m.Add(windowOf("measure", 0, seq, 700)))
		if seq < 2 {
			require.NoError(t, m.Add(windowOf("measure", 1, seq, 100)))
			continue
		}
		w := windowOf("measure", 1, seq, 100)
		w.ID.Attempt = 2 // another agent has taken it over
		require.NoError(t, m.Add(w))
	}
	shards := []chart.AgentShard{
		{Name: "b", Shard: 0, Attempt: 1, State: "busy", Connected: true},
		{Name: "a", Shard: 1, Attempt: 1, State: "lost"},
		{Name: "c", Shard: 1, Attempt: 2, State: "busy"},
		{Name: "d", Shard: 2, Attempt: 1, State: "ready"},
	}
	begin := func(phase string) time.Duration {
		return map[string]time.Duration{"warmup": 0, "measure": 4 * time.Second}[phase]
	}
	var d chart.AgentSeries
	d.Fill(m.Grid(), shards, 0, begin)
	require.Equal(t, []chart.AgentPhase{{"warmup", 0, 4}, {"measure", 4, 4}}, d.Phases)
	require.Equal(t, []float64{0, 1, 2, 3, 4, 5, 6, 7}, d.Times)
	require.InDelta(t, 1, d.Step, 0)
	var lines []string
	for _, a := range d.Agents {
		parts := append([]string{a.Name, a.State}, texts(a.Rate)...)
		for i := range a.Rate {
			require.Equal(t, a.Rate[i] != nil && *a.Rate[i] > 700, a.P99[i] != nil, "a percentile without enough operations is null")
		}
		lines = append(lines, strings.Join(parts, " "))
	}
	require.Equal(t, []string{
		"a lost - - - - 101 101 - -", "b busy 701 701 701 701 701 701 701 701", "c busy - - - - - - 101 101", "d ready - - - - - - - -",
	}, lines)

	d.Fill(m.Grid(), shards, 3, begin)
	require.Equal(t, []float64{0, 3, 4, 7}, d.Times, "phases have columns of their own")
	require.InDelta(t, 3, d.Step, 0)
	require.Equal(t, "701", shown(d.Agents[1].Rate[0]))
}

func shown(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprint(*v)
}
