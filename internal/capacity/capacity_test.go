package capacity_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/capacity"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/search"
)

func objective(t *testing.T, text string) search.Objective {
	t.Helper()
	o, err := search.ParseObjective(text)
	require.NoError(t, err)
	return o
}

// figures are latencies around a p99 in milliseconds.
func figures(count uint64, p99 float64) result.Figures {
	us := func(share float64) *float64 {
		v := 1000 * p99 * share
		return &v
	}
	f := result.Figures{Count: count, Mean: *us(0.3), Min: *us(0.1), Max: *us(2), P50: us(0.25), P90: us(0.7), P95: us(0.8), P99: us(1)}
	if count < 662 {
		f.P99 = nil
	}
	return f
}

// ran is a complete run at an offered rate.
func ran(repeat int, rate, done, p99 float64) result.Run {
	return result.Run{
		ID: fmt.Sprintf("S.%d", repeat), Case: "c", Repeat: repeat, Status: result.Complete, Reconcile: result.Reconcile{OK: true},
		Resolved: map[string]string{"rate": strconv.FormatFloat(rate, 'f', -1, 64), "db": "store"},
		Start:    &result.Start{Planned: time.Date(2026, 1, 1, 0, 0, 15*repeat, 0, time.UTC)},
		Phases: []result.Phase{
			{Name: "warmup", Loop: "open", Seconds: 2},
			{Name: "measure", Loop: "open", Seconds: 10, Throughput: done, Offered: &rate, Ops: 20000, Operations: []result.Operation{
				{Op: "READ", Outcome: "OK", Figures: figures(15000, p99)},
				{Op: "UPDATE", Outcome: "OK", Figures: figures(4990, 2*p99)},
				{Op: "UPDATE", Outcome: "TIMEOUT", Figures: figures(10, 900)},
			}},
		},
	}
}

func with(run result.Run, change func(*result.Run)) result.Run {
	change(&run)
	return run
}

func yes(name, because string) func(*result.Run) {
	return func(r *result.Run) {
		r.Verdicts = append(r.Verdicts, result.Verdict{Name: name, Value: true, Because: because, Test: "a test"})
	}
}

func TestProbes(t *testing.T) {
	fine := ran(1, 2000, 1999, 4)
	tests := []struct {
		name    string
		keep    string
		run     result.Run
		outcome search.Outcome
		because string
	}{
		{"one operation", "p99(READ) < 5ms", fine, search.Kept, "p99(READ) is 4 ms"},
		{"every operation", "p99 < 5ms", fine, search.Missed, "p99(UPDATE) is 8 ms"},
		{"the limit itself", "p99(READ) < 4ms", fine, search.Missed, "p99(READ) is 4 ms"},
		{"including the limit", "p99(READ) <= 4ms", fine, search.Kept, "p99(READ) is 4 ms"},
		{"every term", "mean(READ) < 2ms and p50(READ) < 1.5ms and p90(READ) < 3ms and p95(READ) < 4ms and max(READ) < 9ms", fine, search.Kept, "mean(READ) is 1.2 ms; p50(READ) is 1 ms; p90(READ) is 2.8 ms; p95(READ) is 3.2 ms; max(READ) is 8 ms"},
		{"errors", "errors < 0.1%", fine, search.Kept, "errors are 0.05 % (10 of 20,000)"},
		{"errors of an operation", "errors(UPDATE) < 0.1%", fine, search.Missed, "errors(UPDATE) are 0.2 % (10 of 5,000)"},
		{"no objective", "", fine, search.Kept, ""},
		{"a lower limit", "throughput > 3000", fine, search.TooLow, "throughput is 1,999 ops/s"},
		{"a lower limit and a latency", "throughput > 3000 and p99(READ) < 1ms", fine, search.Missed, "throughput is 1,999 ops/s; p99(READ) is 4 ms"},
		{"another operation", "p99(SCAN) < 5ms", fine, search.TooFew, "p99(SCAN) < 5ms: the run has no operation SCAN"},
		{"too few samples", "p99.9(READ) < 5ms", with(ran(1, 20, 20, 1), func(r *result.Run) { r.Phases[1].Operations[0].Count = 200 }), search.TooFew, "p99.9(READ) needs 6636 operations, and the run has 200: measure for longer"},
		{"too few samples, and missed", "p99.9(READ) < 5ms and p99(READ) < 1ms", fine, search.Missed, "p99(READ) is 4 ms"},
		{"above all buckets", "p99.9(READ) < 5ms", fine, search.Missed, "p99.9(READ) is above one hour"},
		{"no success", "p99(READ) < 5ms", with(ran(1, 20, 20, 1), func(r *result.Run) { r.Phases[1].Operations[0].Outcome = "ERROR" }), search.Missed, "p99(READ): no READ succeeded"},
		{"the rate was not kept", "p99(READ) < 1s", with(ran(1, 5000, 4000, 4), yes("overloaded", "…")), search.Missed, "the offered rate was not kept: 4,000 of 5,000 ops/s"},
		{"the generator was the limit", "p99(READ) < 1ms", with(fine, yes("client_bound", "idle CPU 3 %")), search.ClientBound, "the load generator was the limit (idle CPU 3 %), so this does not count: p99(READ) is 4 ms"},
		{"kept with a busy generator", "p99(READ) < 5ms", with(fine, yes("client_bound", "idle CPU 3 %")), search.Kept, "p99(READ) is 4 ms"},
		{"failed", "p99(READ) < 5ms", with(fine, func(r *result.Run) { r.Status, r.Reason = result.Failed, "no agent is free" }), search.Failed, "no agent is free"},
		{"partial", "p99(READ) < 5ms", with(fine, func(r *result.Run) { r.Status, r.Missing = result.Partial, []string{"agent b"} }), search.Failed, "missing: agent b"},
		{"counts differ", "p99(READ) < 5ms", with(fine, func(r *result.Run) { r.Reconcile.OK = false }), search.Failed, "its counts do not reconcile: 0 issued, 0 recorded, 0 merged"},
		{"a limit on errors", "p99(READ) < 5ms", with(fine, func(r *result.Run) { r.Status, r.Violated, r.Reason = result.Failed, true, "3 % of operations failed" }), search.Missed, "3 % of operations failed"},
		{
			"a limit on missing rows", "p99(READ) < 5ms",
			with(with(fine, func(r *result.Run) { r.Status, r.Violated, r.Reason = result.Failed, true, "9 % found no row" }), yes("not_found", "9 %")),
			search.Failed, "9 % found no row",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			space := search.Space{Vary: search.Rate, From: 10, To: 10000}
			if test.keep != "" {
				space.Keep = objective(t, test.keep)
			}
			if test.name == "above all buckets" {
				test.run.Phases[1].Operations[0].Overflow = 1000
			}
			p := capacity.Probe(space, test.run)
			require.Equal(t, test.outcome, p.Outcome, p.Because)
			require.Equal(t, test.because, p.Because)
		})
	}
}

func TestValues(t *testing.T) {
	v, ok := capacity.Value(search.Rate, ran(1, 12.5, 12, 1))
	require.True(t, ok)
	require.InDelta(t, 12.5, v, 0)
	_, ok = capacity.Value(search.Rate, result.Run{Resolved: map[string]string{"rate": "10 for 1m, 20"}})
	require.False(t, ok)
	v, _ = capacity.Value(search.Threads, result.Run{Resolved: map[string]string{"threads.total": "48", "threadcount": "1"}})
	require.InDelta(t, 48, v, 0)
	v, _ = capacity.Value(search.Threads, result.Run{
		Resolved: map[string]string{"threads.total": "0", "threadcount": "8"}, Provenance: result.Provenance{Agents: []result.Agent{{Workers: 8}, {Workers: 8}}},
	})
	require.InDelta(t, 16, v, 0)
}

// play runs a search on a system that sustains a rate.
func play(t *testing.T, space search.Space, most float64) []result.Run {
	t.Helper()
	var runs []result.Run
	for {
		step := capacity.Decide(space, runs)
		if step.Done {
			return runs
		}
		require.Less(t, len(runs), 100)
		rate, p99 := step.Next, 4.0
		run := ran(len(runs)+1, rate, min(rate, most), p99)
		if rate > most {
			yes("overloaded", "…")(&run)
			run.Phases[1].Operations[0].Figures = figures(15000, 4000)
		}
		runs = append(runs, run)
	}
}

func TestTheDocumentOfASearch(t *testing.T) {
	space := search.Space{Vary: search.Rate, From: 1000, To: 50000, Keep: objective(t, "p99(READ) < 10ms")}
	runs := play(t, space, 12500)
	c := capacity.Of(space, runs)
	require.Equal(t, search.Found, c.Status)
	require.Equal(t, "highest rate that keeps p99(READ) < 10ms: 12,500 ops/s (kept at 12,500, missed at 12,800), kept in 3 of 3 confirmation runs, 15 probes in 3 min 42 s", c.Text)
	require.Equal(t, "S.3", c.Probes[2].Run)
	require.Equal(t, search.Scan, c.Probes[2].Purpose)
	require.InDelta(t, 4000, c.Probes[2].Value, 0)
	require.Equal(t, "READ", c.Probes[2].Op, "the operation of the objective, although another is slower")
	require.InDelta(t, 4000, *c.Probes[2].P99, 0)
	require.InDelta(t, 12, c.Probes[2].Seconds, 0)
	require.InDelta(t, 12500, *c.Throughput.Mean, 0)
	require.Equal(t, 3, c.Throughput.N)
	require.Equal(t, []string{"S.13", "S.14", "S.15"}, capacity.Confirming(c))

	c = capacity.Of(space, runs[:5])
	require.Equal(t, "highest rate that keeps p99(READ) < 10ms: unfinished after 5 probes in 1 min 12 s; kept so far at 8,000 ops/s, in 0 of 3 confirmation runs; the next run is at 32,000 (scan)", c.Text)
	c = capacity.Of(space, nil)
	require.Equal(t, "highest rate that keeps p99(READ) < 10ms: unfinished after 0 probes in 0.0 s; the next run is at 1,000 (scan)", c.Text)
	c = capacity.Of(search.Space{Vary: search.Rate, From: 1000, To: 8000}, play(t, search.Space{Vary: search.Rate, From: 1000, To: 8000}, 12500))
	require.Equal(t, "highest rate that is sustained: at least 8,000 ops/s (8,000 is the end of the search, and was kept), kept in 3 of 3 confirmation runs, 7 probes in 1 min 42 s", c.Text)
	low := search.Space{Vary: search.Rate, From: 20000, To: 50000, Keep: space.Keep}
	c = capacity.Of(low, play(t, low, 12500))
	require.Equal(t, "highest rate that keeps p99(READ) < 10ms: none from 20,000 to 50,000 ops/s (no value keeps the objective; 20,000 misses it: "+
		"the offered rate was not kept: 12,500 of 20,000 ops/s; p99(READ) is 4 s), 2 probes in 27 s", c.Text)
}

// A run in progress does not count, and one that was cancelled is asked for again.
func TestOnlyEndedRunsAreProbes(t *testing.T) {
	space := search.Space{Vary: search.Rate, From: 1000, To: 8000}
	first := ran(1, 1000, 1000, 4)
	for _, status := range []result.Status{result.Queued, result.Preparing, result.Running, result.Stopping, result.Cancelled} {
		other := with(ran(2, 2000, 2000, 4), func(r *result.Run) { r.Status = status })
		require.InDelta(t, 2000, capacity.Decide(space, []result.Run{other, first}).Next, 0, status)
	}
	second := ran(2, 2000, 2000, 4)
	require.InDelta(t, 4000, capacity.Decide(space, []result.Run{second, first}).Next, 0, "runs are ordered by repeat")
}
