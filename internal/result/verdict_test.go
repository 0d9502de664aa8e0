package result_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
)

func verdict(t *testing.T, run result.Run, name string) *result.Verdict {
	t.Helper()
	for i := range run.Verdicts {
		if run.Verdicts[i].Name == name {
			require.NotEmpty(t, run.Verdicts[i].Because)
			require.NotEmpty(t, run.Verdicts[i].Test)
			return &run.Verdicts[i]
		}
	}
	return nil
}

// Law 7: the generator must prove that it was not the limit.
func TestClientBound(t *testing.T) {
	type spoil func(shard, second int, w *latency.Window)
	for _, tc := range []struct {
		name    string
		seconds int
		oneHost bool
		spoil   spoil
		value   bool
		because string // a part of it
		tested  string // a part of it
		none    bool
	}{
		{
			name: "idle enough", seconds: 30, spoil: func(int, int, *latency.Window) {},
			because: "lowest mean idle CPU 60 %", tested: "on measure, 30 s of agents a, b and c",
		},
		{
			name: "busy in a stretch", seconds: 30, value: true,
			spoil: func(shard, second int, w *latency.Window) {
				if shard == 1 && second >= 12 && second < 20 {
					w.Health.HostIdle = 0.04
				}
			},
			because: "measure: agent b: 4 % idle CPU from 12 s to 20 s",
		},
		{
			name: "a full network interface", seconds: 30, value: true,
			spoil: func(shard, second int, w *latency.Window) {
				w.Health.NetUse = 0.4
				if shard == 1 && second >= 12 && second < 20 {
					w.Health.NetUse = 0.97
				}
			},
			because: "measure: agent b: network interface at 97 % of its speed from 12 s to 20 s",
			tested:  "network interface above 90 % of its speed",
		},
		{
			name: "a network interface with room", seconds: 30,
			spoil:   func(_, _ int, w *latency.Window) { w.Health.NetUse = 0.4 },
			because: "network interfaces at most at 40 % of their speed (agent a)",
		},
		{
			name: "busy for a moment", seconds: 30,
			spoil: func(shard, second int, w *latency.Window) {
				if shard == 1 && second >= 12 && second < 14 {
					w.Health.HostIdle = 0.04
				}
			},
			because: "lowest mean idle CPU 56 % (agent b)",
		},
		{
			name: "busy in several stretches", seconds: 30, value: true,
			spoil: func(shard, second int, w *latency.Window) {
				if shard == 1 && second%10 < 4 {
					w.Health.HostIdle = 0.1
				}
			},
			because: "agent b: 10 % idle CPU from 0 s to 4 s (and in 2 more stretches)",
		},
		{
			name: "busy all the time", seconds: 30, value: true,
			spoil: func(_, _ int, w *latency.Window) {
				w.Health.HostIdle = 0.05
			},
			because: "measure: agent a: 5 % idle CPU over the whole phase; measure: agent b",
		},
		{
			name: "busy on the one host that all agents share", seconds: 30, oneHost: true, value: true,
			spoil: func(_, _ int, w *latency.Window) {
				w.Health.HostIdle = 0.05
			},
			because: "agents a, b and c, which share one host: 5 % idle CPU over the whole phase",
		},
		{
			name: "a short run", seconds: 1, value: true,
			spoil: func(_, _ int, w *latency.Window) {
				w.Health.HostIdle = 0.05
			},
			because: "5 % idle CPU over the whole phase",
			tested:  "measure, 1 s of",
		},
		{
			name: "late sends", seconds: 30, value: true,
			spoil: func(shard, second int, w *latency.Window) {
				if shard == 2 && second == 3 {
					w.Health.LateSends, w.Health.LateMax = 40, 12*time.Millisecond
				}
			},
			because: "agent c: 40 of 30,000 operations sent late although a worker was free, by up to 12 ms",
		},
		{
			name: "few late sends", seconds: 30,
			spoil: func(shard, second int, w *latency.Window) {
				if shard == 2 && second == 3 {
					w.Health.LateSends = 20
				}
			},
			because: "20 of 90,000 operations sent late",
		},
		{
			name: "scheduler lag that the operations feel", seconds: 30, value: true,
			spoil: func(shard, second int, w *latency.Window) {
				if shard == 0 && second < 10 {
					w.Health.SchedLagP99 = 3 * time.Millisecond
				}
			},
			because: "agent a: scheduler lag p99 of 3 ms from 0 s to 10 s, where the operations' p99 is 990 µs",
		},
		{
			name: "stopped for garbage collection", seconds: 30, value: true,
			spoil: func(shard, second int, w *latency.Window) {
				if shard == 0 && second < 10 {
					w.Health.GCPauseTotal = 80 * time.Millisecond
				}
			},
			because: "agent a: stopped for garbage collection for 8 % of the time from 0 s to 10 s",
		},
		{
			name: "idle CPU unknown: nothing is claimed", seconds: 30, none: true,
			spoil: func(_, _ int, w *latency.Window) { w.Health = latency.Health{} },
		},
		{
			name: "idle CPU of one agent unknown: nothing is claimed", seconds: 30, none: true,
			spoil: func(shard, _ int, w *latency.Window) {
				if shard == 1 {
					w.Health.HostIdle = -1
				}
			},
		},
		{
			name: "idle CPU unknown, but late", seconds: 30, value: true,
			spoil: func(shard, _ int, w *latency.Window) {
				w.Health = latency.Health{}
				if shard == 1 {
					w.Health.LateSends = 500
				}
			},
			because: "agent b: 15,000 of 30,000 operations sent late",
			tested:  "without the CPU of every agent",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cfg := config(3)
			for i := range cfg.Shards {
				if tc.oneHost {
					cfg.Shards[i].Host = "laptop"
				}
			}
			b := result.NewBuilder(cfg)
			for shard := range 3 {
				ws := of("measure", shard)
				for second := range tc.seconds {
					w := ws.next(series("READ", "OK", spread(1000)...))
					tc.spoil(shard, second, w)
					add(t, b, w)
				}
				w := ws.tail()
				w.Health.HostIdle = 0 // what came after the end says nothing
				add(t, b, w)
			}
			v := verdict(t, document(t, b), "client_bound")
			if tc.none {
				require.Nil(t, v)
				return
			}
			require.NotNil(t, v)
			require.Equal(t, tc.value, v.Value, v.Because)
			require.Contains(t, v.Because, tc.because)
			require.Contains(t, v.Test, tc.tested)
		})
	}
}

// Scheduler lag is compared with the latencies that it could distort: if operations take 100 ms, a lag of 3 ms is fine.
func TestHarmlessSchedulerLag(t *testing.T) {
	b := result.NewBuilder(config(1))
	ws := of("measure", 0)
	for range 30 {
		w := ws.next(series("READ", "OK", same(1000, 100_000)...))
		w.Health.SchedLagP99 = 3 * time.Millisecond
		add(t, b, w)
	}
	v := verdict(t, document(t, b), "client_bound")
	require.False(t, v.Value)
	require.Contains(t, v.Because, "scheduler lag p99 at most 3 ms")
}

// Law 1: an agent that alone owns the tail is named.
func TestTailOwner(t *testing.T) {
	slow := func(n, slow, v int) []int { return append(same(n-slow, 1000), same(slow, v)...) }
	for _, tc := range []struct {
		name    string
		agents  [][]int
		value   bool
		because string
		none    bool
	}{
		{name: "one agent has nobody to differ from", agents: [][]int{spread(1000)}, none: true},
		{name: "too few samples for a p99", agents: [][]int{spread(300), spread(300)}, none: true},
		{
			name: "all of one speed", agents: [][]int{same(1000, 5), same(1000, 5)},
			because: "largest share: agent a: 50 % of 2,000 samples at or above the p99 of READ in measure",
		},
		{
			name: "all alike", agents: [][]int{spread(10_000), spread(10_000), spread(10_000)},
			because: "largest share: agent a: 33 % of 315 samples at or above the p99 of READ in measure, with 33 % of the operations",
		},
		{
			name: "one odd client", agents: [][]int{slow(10_000, 0, 0), slow(10_000, 500, 9000), slow(10_000, 0, 0)}, value: true,
			because: "agent b: 100 % of the samples at or above the p99 of READ in measure, with 33 % of the operations; its p99 is 9 ms, the others' 1 ms",
		},
		{
			name: "one odd client of two, that did less", agents: [][]int{slow(50_000, 0, 0), slow(5_000, 1000, 9000)}, value: true,
			because: "agent b: 100 %",
		},
		{
			name: "two slow ones of three", agents: [][]int{slow(10_000, 0, 0), slow(10_000, 500, 9000), slow(10_000, 500, 9000)},
			because: "largest share: agent b: 50 %",
		},
		{
			name: "a tail that hardly differs", agents: [][]int{same(10_000, 1000), same(10_000, 1020)},
			because: "largest share: agent b: 100 %",
		},
		{
			name: "too few samples", agents: [][]int{append(same(400, 1000), 8000, 8000), append(same(400, 1000), 9000, 9000, 9000, 9000, 9000, 9000, 9000)},
			because: "largest share: agent b: 78 % of 9",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := result.NewBuilder(config(len(tc.agents)))
			for shard, us := range tc.agents {
				add(t, b, of("measure", shard).last(series("READ", "OK", us...), series("READ", "ERROR", same(1000*shard, 1_000_000)...)))
			}
			v := verdict(t, document(t, b), "tail_owner")
			if tc.none {
				require.Nil(t, v)
				return
			}
			require.NotNil(t, v)
			require.Equal(t, tc.value, v.Value, v.Because)
			require.Contains(t, v.Because, tc.because)
			require.Contains(t, v.Test, "binomial p below 0.001")
		})
	}
}

// Law 3: reads of missing rows measure nothing.
func TestNotFound(t *testing.T) {
	for _, tc := range []struct {
		missing int
		limit   float64
		value   bool
		because string
	}{
		{0, 0.001, false, "measure: 0 of 1,000 (0 %)"},
		{1, 0.001, false, "measure: 1 of 1,000 (0.1 %)"},
		{2, 0.001, true, "measure: 2 of 1,000 (0.2 %)"},
		{2, 0.5, false, "measure: 2 of 1,000 (0.2 %)"},
	} {
		cfg := config(1)
		cfg.NotFoundShare = tc.limit
		b := result.NewBuilder(cfg)
		add(t, b, of("measure", 0).last(
			series("READ", "OK", same(1000-tc.missing, 5)...), series("READ", "NOT_FOUND", same(tc.missing, 5)...)))
		v := verdict(t, document(t, b), "not_found")
		require.NotNil(t, v)
		require.Equal(t, tc.value, v.Value)
		require.Equal(t, tc.because, v.Because)
	}
	cfg := config(1)
	cfg.NotFoundShare = 1
	b := result.NewBuilder(cfg)
	add(t, b, of("measure", 0).last(series("READ", "NOT_FOUND", 1)))
	require.Nil(t, verdict(t, document(t, b), "not_found"), "what was not tested is not said")
}

// A wrong value has a verdict of its own: no operation's outcome shows it.
func TestWrongValues(t *testing.T) {
	verified := func(outcome string, n int) latency.Series {
		s := series("VERIFY", outcome, same(n, 1)...)
		s.Key.PartOf = "READ"
		return s
	}
	for wrong, want := range map[int]string{0: "measure: 0 of 1,000 rows", 1: "measure: 1 of 1,000 rows"} {
		b := result.NewBuilder(config(1))
		add(t, b, of("measure", 0).last(series("READ", "OK", same(1000, 5)...), verified("OK", 1000-wrong), verified("UNEXPECTED_STATE", wrong)))
		v := verdict(t, document(t, b), "wrong_values")
		require.NotNil(t, v)
		require.Equal(t, wrong > 0, v.Value)
		require.Equal(t, want, v.Because)
		require.Equal(t, wrong > 0, v.Bad())
	}
	b := result.NewBuilder(config(1))
	add(t, b, of("measure", 0).last(series("READ", "OK", 5)))
	require.Nil(t, verdict(t, document(t, b), "wrong_values"), "nobody looked")
}

// Law 9: a run that does not reconcile has a verdict that names the agents.
func TestReconcile(t *testing.T) {
	for _, tc := range []struct {
		name    string
		spoil   func(w *latency.Window) *latency.Window
		ok      bool
		because string
	}{
		{"all counts agree", func(w *latency.Window) *latency.Window { return w }, true, "20 issued, 20 recorded, 20 merged"},
		{
			"a window never came",
			func(*latency.Window) *latency.Window { return nil },
			false, "20 issued, 20 recorded, 15 merged; agent b: 10 issued, 10 recorded, 5 merged",
		},
		{
			"operations were begun and never recorded",
			func(w *latency.Window) *latency.Window { w.Issued += 2; return w },
			false, "22 issued, 20 recorded, 20 merged; agent b: 12 issued, 10 recorded, 10 merged",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := result.NewBuilder(config(2))
			five := series("READ", "OK", same(5, 10)...)
			a, c := of("measure", 0), of("measure", 1)
			add(t, b, a.next(five), a.last(five))
			first, second := c.next(five), c.last(five)
			if second = tc.spoil(second); second == nil {
				b.Ended(result.PhaseEnd{Shard: 1, Attempt: 1, Phase: "measure", Windows: 2, Issued: 10, Recorded: 10})
				add(t, b, first)
			} else {
				add(t, b, first, second)
			}
			run := document(t, b)
			v := verdict(t, run, "reconcile")
			require.NotNil(t, v)
			require.Equal(t, tc.ok, run.Reconcile.OK)
			require.Equal(t, tc.ok, v.Value)
			require.Equal(t, tc.because, v.Because)
		})
	}
}

// An operation that was begun in the warm-up and done in the measure phase reconciles over both.
func TestReconcileOverPhases(t *testing.T) {
	cfg := config(1)
	cfg.Phases = []result.PhaseInfo{{Name: "warmup"}, {Name: "measure"}}
	b := result.NewBuilder(cfg)
	w, m := of("warmup", 0).last(series("READ", "OK", 1, 2)), of("measure", 0).last(series("READ", "OK", 1, 2, 3))
	w.Issued, m.Issued = 3, 2
	add(t, b, w, m)
	require.Equal(t, result.Reconcile{Issued: 5, Recorded: 5, Merged: 5, OK: true}, document(t, b).Reconcile)
}

func open(cfg result.BuilderConfig, rate float64) result.BuilderConfig {
	cfg.Phases[0].Loop = "open"
	cfg.Phases[0].Intended = func(d time.Duration) float64 { return rate * d.Seconds() }
	return cfg
}

// The offered rate is the rate intended during the phase; a lost agent lowers it, a slow target does not.
func TestOffered(t *testing.T) {
	rate := func(cfg result.BuilderConfig, ws ...*latency.Window) *float64 {
		b := result.NewBuilder(cfg)
		add(t, b, ws...)
		return document(t, b).Phases[0].Offered
	}
	run := func(shard, seconds int) []*latency.Window {
		ws := of("measure", shard)
		var out []*latency.Window
		for range seconds {
			out = append(out, ws.next(series("READ", "OK", same(100, 10)...)))
		}
		return out
	}
	require.Nil(t, rate(config(1), run(0, 10)...), "a closed loop offers nothing")

	got := rate(open(config(2), 300), append(run(0, 10), run(1, 10)...)...)
	require.InDelta(t, 300.0, *got, 1e-9)

	got = rate(open(config(2), 300), append(run(0, 10), run(1, 5)...)...)
	require.InDelta(t, 225.0, *got, 1e-9, "half of the load was gone for half of the time")

	got = rate(open(config(2), 300), run(0, 10)...)
	require.InDelta(t, 150.0, *got, 1e-9, "an agent of which nothing came offered nothing")

	cfg := open(config(2), 1000)
	cfg.Phases[0].PlannedOps = 2000
	ws := append(run(0, 10), run(1, 8)...)
	ws[9].Last, ws[17].Last = true, true
	got = rate(cfg, ws...)
	require.InDelta(t, 1000.0, *got, 1, "the target took 10 s for what was offered within 2 s")
}

// If the target does not keep up with an open loop, percentiles are those of an overloaded system.
func TestOverloaded(t *testing.T) {
	for _, tc := range []struct {
		name    string
		done    int
		backlog uint64
		value   bool
	}{
		{"kept up", 100, 0, false},
		{"kept up after a stall", 100, 50, false},
		{"a few in flight at the end of a short phase", 98, 0, false},
		{"did not keep up", 70, 300, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := result.NewBuilder(open(config(1), 100))
			ws := of("measure", 0)
			for range 10 {
				w := ws.next(series("READ", "OK", same(tc.done, 10)...))
				w.Health.Backlog = tc.backlog
				add(t, b, w)
			}
			v := verdict(t, document(t, b), "overloaded")
			require.NotNil(t, v)
			require.Equal(t, tc.value, v.Value, v.Because)
			require.True(t, strings.HasPrefix(v.Because, "measure: offered 100 ops/s, achieved"), v.Because)
		})
	}
	b := result.NewBuilder(config(1))
	add(t, b, of("measure", 0).last(series("READ", "OK", 1)))
	require.Nil(t, verdict(t, document(t, b), "overloaded"), "a closed loop cannot be overloaded")
}
