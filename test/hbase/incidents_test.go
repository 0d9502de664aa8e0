//go:build hbase

package hbase

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/test/testcluster"
)

// R4's actions: a major compaction, splits, and the restart of one of three region servers during reads. The depth of each
// dip, the recovery and the lost operations agree with a count by hand from the raw points. The restart shows a dip, and
// the same run without actions shows none.
func TestWhatActionsCost(t *testing.T) {
	s := share(t, three)
	restart := filepath.Join(t.TempDir(), "restart")
	require.NoError(t, os.WriteFile(restart, fmt.Appendf(nil, `#!/usr/bin/env bash
set -euo pipefail
kill -KILL "$('%[1]s' pids --dir '%[2]s' | sed -n 's/^regionserver-2 //p')"
exec '%[1]s' add --dir '%[2]s'
`, script(), s.dir), 0o700))
	h := testcluster.New(t)
	for _, name := range []string{"a", "b"} {
		h.Agent(name, "--hook", "restart="+restart)
	}
	h.Connected(2)
	const table = "incidents"
	base := property("recordcount", 10_000, "fieldcount", 10, "fieldlength", 100)
	faultless(t, submit(t, h, 2, s, table, slices.Concat(base, property("hbase.splits", 5, "hbase.table.create", "recreate", "after.load", "flush"),
		[]string{"--phase", "load", "--threads", "8"})...))
	reads := slices.Concat(base, property("readproportion", 1, "updateproportion", 0, "operationcount", 0, "target", 400, "threadcount", 10,
		"before.run", "wait_for_quiet", "limit.errors", 1, "limit.notfound", 1, "measurementtype", "raw"))

	t.Run("without actions", func(t *testing.T) {
		p := submit(t, h, 2, s, table, slices.Concat(reads, []string{"--duration", "40s"})...).Phases[0]
		require.Empty(t, p.Actions)
		for _, i := range p.Incidents {
			t.Logf("%.1f s: %s: %s", i.T, i.Cause, i.Because)
			require.False(t, i.Dip != nil && *i.Dip, i.Because)
		}
	})
	t.Run("with actions", func(t *testing.T) {
		r := submit(t, h, 2, s, table, slices.Concat(reads, property("actions", "30s major_compact; 60s split key=user5; 80s hook restart"),
			[]string{"--duration", "150s"})...)
		p := r.Phases[0]
		require.Len(t, p.Actions, 3, "%+v", p.Actions)
		for _, a := range p.Actions {
			require.Equal(t, "done", a.Outcome, a.Do)
		}
		counts := secondsOf(t, h, r)
		for _, a := range p.Actions {
			k := slices.IndexFunc(p.Incidents, func(i result.Incident) bool { return i.Kind == result.ByAction && i.Cause == a.Do })
			require.GreaterOrEqual(t, k, 0, "%s has an incident: %+v", a.Do, p.Incidents)
			agree(t, p, k, counts)
		}
		last := p.Incidents[slices.IndexFunc(p.Incidents, func(i result.Incident) bool { return i.Cause == "hook restart" })]
		require.NotNil(t, last.Dip, last.Because)
		require.True(t, *last.Dip, last.Because)
		require.True(t, slices.ContainsFunc(last.Events, func(e result.Event) bool { return e.Kind == result.HappenedServer }),
			"the loss of the server belongs to its restart: %+v", last.Events)
	})
}

// secondsOf counts the successful operations of each second of a run from its raw points.
func secondsOf(t *testing.T, h *testcluster.Cluster, r result.Run) []float64 {
	t.Helper()
	dir := t.TempDir()
	_, stderr, code := h.Ctl("report", r.ID, "--format", "raw", "--out", dir)
	require.Zero(t, code, stderr)
	file, err := os.Open(filepath.Join(dir, r.ID+"-raw.csv"))
	require.NoError(t, err)
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	counts := make([]float64, int(r.Phases[0].Seconds))
	for _, row := range rows[1:] {
		done, err := strconv.ParseInt(row[5], 10, 64)
		require.NoError(t, err)
		second := int(time.Unix(0, done).Sub(r.Start.Planned) / time.Second)
		if row[3] == "OK" && row[4] == "" && second >= 0 && second < len(counts) {
			counts[second]++
		}
	}
	return counts
}

// byHand is what is counted from the seconds around an incident.
type byHand struct {
	before, worst, depth, lost float64
	dip                        bool
	recovery                   float64 // -1 if the throughput did not recover
}

// agree compares an incident with a count by hand.
func agree(t *testing.T, p result.Phase, k int, counts []float64) {
	t.Helper()
	i := p.Incidents[k]
	t.Logf("%s: dip %v: %s\n%.0f", i.Cause, i.Dip, i.Because, counts)
	require.NotNil(t, i.Dip, i.Because)
	want := countByHand(t, p, k, counts)
	t.Logf("by hand: %+v", want)
	require.InEpsilon(t, want.before, i.Before.Mean, 0.01, "before")
	require.Equal(t, want.dip, *i.Dip, "dip")
	if !want.dip {
		return
	}
	require.InDelta(t, want.depth, *i.Depth, 2, "depth, %%")
	require.InEpsilon(t, want.lost, *i.Lost, 0.05, "lost operations")
	if want.recovery < 0 {
		require.Nil(t, i.Recovery)
		return
	}
	require.NotNil(t, i.Recovery)
	require.InDelta(t, want.recovery, *i.Recovery, 1, "recovery, s")
	t.Logf("%s: throughput fell by %.0f %% to %.0f ops/s at %.0f s, recovered after %.1f s, %.0f operations lost; effect: worst %v, recovery %v", i.Cause,
		*i.Depth, *i.Worst, i.WorstAt, *i.Recovery, *i.Lost, *effectOf(p, i).Worst, *effectOf(p, i).Recovery)
}

func effectOf(p result.Phase, i result.Incident) *result.Effect {
	return p.Actions[slices.IndexFunc(p.Actions, func(a result.Action) bool { return a.T == i.T })].Effect
}

// countByHand applies the documented rules to the seconds of a phase, simply.
func countByHand(t *testing.T, p result.Phase, k int, counts []float64) byHand {
	t.Helper()
	i := p.Incidents[k]
	// The seconds before it, without the first and those of earlier incidents.
	var usual []float64
	for s := 1; float64(s+1) <= i.T; s++ {
		free := true
		for _, a := range p.Actions {
			free = free && (a.T >= i.T || float64(s+1) <= a.T || float64(s) >= a.T+a.Seconds)
		}
		for _, e := range p.Incidents[:k] {
			if e.Dip != nil && *e.Dip {
				require.NotNil(t, e.Recovery, "this machine is too busy: %s has not recovered", e.Cause)
				free = free && (float64(s+1) <= *e.DipAt || float64(s) >= min(e.T, *e.DipAt)+*e.Recovery)
			}
		}
		if free {
			usual = append(usual, counts[s])
		}
	}
	median := func(x []float64) float64 {
		y := slices.Sorted(slices.Values(x))
		return (y[len(y)/2] + y[(len(y)-1)/2]) / 2
	}
	for len(usual) >= 20 {
		early, late := median(usual[:len(usual)/2]), median(usual[len(usual)/2:])
		if abs(early-late) <= 0.05*max(early, late) {
			break
		}
		usual = usual[len(usual)/2:]
	}
	var sum, deviation float64
	for _, n := range usual {
		sum += n
	}
	mean := sum / float64(len(usual))
	var deviations []float64
	for _, n := range usual {
		deviations = append(deviations, abs(n-median(usual)))
		deviation += abs(n - median(usual))
	}
	noise := max(1.4826*median(deviations), 1.2533*deviation/float64(len(usual)))
	floor := min(0.9*mean, mean-3*(1+3/float64(len(usual)))*noise)

	// Its causes end, and ten seconds later no dip can begin any more.
	var end float64
	for _, a := range p.Actions {
		if a.T == i.T || slices.ContainsFunc(i.Events, func(e result.Event) bool { return e.T == a.T && e.Text == a.Do }) {
			end = max(end, a.T+a.Seconds)
		}
	}
	for _, e := range i.Events {
		switch {
		case e.Kind == result.HappenedServer || e.Kind == result.HappenedSplit:
			end = max(end, e.T)
		case e.Kind == result.HappenedCompaction && !result.CompactionEnded(e):
			until := e.T
			for _, other := range p.Events {
				if other.Kind == result.HappenedCompaction && other.T > e.T {
					until = other.T
					break
				}
			}
			end = max(end, until)
		}
	}
	until := len(counts)
	if k+1 < len(p.Incidents) {
		until = int(p.Incidents[k+1].T)
	}
	low := func(s int) bool { return s < until && counts[s] < floor }
	out := byHand{before: mean, recovery: -1}
	first, back := -1, until
	for s := int(i.T); s < until && float64(s) < end+10; s++ {
		if !low(s) || !low(s+1) && (counts[s] > 0 || slices.Contains(usual, 0)) {
			continue
		}
		if first < 0 {
			first = s
		}
		for back = s + 1; back < until; back++ {
			if back+3 <= until && min(counts[back], counts[back+1], counts[back+2]) >= 0.9*mean {
				break
			}
		}
		s = back - 1
	}
	if first < 0 {
		return out
	}
	for first > int(i.T) && counts[first-1] < 0.9*mean {
		first--
	}
	out.dip, out.worst = true, slices.Min(counts[first:back])
	out.depth = 100 * (1 - out.worst/mean)
	for _, n := range counts[first:back] {
		out.lost += mean - n
	}
	if back+3 <= until {
		out.recovery = float64(back) - i.T
	}
	return out
}

func abs(x float64) float64 { return max(x, -x) }
