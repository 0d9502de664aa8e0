package result_test

import (
	"encoding/json"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
)

func add(t *testing.T, b *result.Builder, all ...*latency.Window) {
	t.Helper()
	for _, w := range all {
		added, err := b.Add(w)
		require.NoError(t, err)
		require.True(t, added, "window %d of shard %d", w.ID.Seq, w.ID.Shard)
	}
}

func document(t *testing.T, b *result.Builder) result.Run {
	t.Helper()
	run, err := b.Document(result.Run{ID: "S.1", Status: result.Complete}, result.Notes{})
	require.NoError(t, err)
	return run
}

// reads are the figures of the good reads that are not part of a larger operation.
func reads(t *testing.T, p result.Phase) result.Operation {
	t.Helper()
	for _, o := range p.Operations {
		if o.Op == "READ" && o.Outcome == "OK" && o.PartOf == nil {
			return o
		}
	}
	require.Fail(t, "there are no good reads")
	return result.Operation{}
}

func text(t *testing.T, doc any) string {
	t.Helper()
	out, err := json.MarshalIndent(doc, "", "  ")
	require.NoError(t, err)
	return string(out)
}

// A window that comes twice, as after a broken stream, is merged once.
func TestAddMergesEachWindowOnce(t *testing.T) {
	b := result.NewBuilder(config(1))
	w := of("measure", 0).last(series("READ", "OK", 10, 20, 30))
	add(t, b, w)
	for range 3 {
		added, err := b.Add(w)
		require.NoError(t, err)
		require.False(t, added)
	}
	run := document(t, b)
	require.Equal(t, uint64(3), run.Phases[0].Ops)
	require.Equal(t, result.Reconcile{Issued: 3, Recorded: 3, Merged: 3, OK: true}, run.Reconcile)
}

// The result does not depend on the order of the windows.
func TestAddInAnyOrder(t *testing.T) {
	var all []*latency.Window
	for shard := range 3 {
		ws := of("measure", shard)
		for i := range 12 {
			all = append(all, ws.next(series("READ", "OK", spread(500+i)...), series("READ", "ERROR", 5, 6)))
			all[len(all)-1].Samples = []latency.ErrorSample{{Op: "READ", Outcome: "ERROR", Message: string(rune('A' + i))}}
		}
		all = append(all, ws.tail(series("READ", "OK", 5000)))
	}
	b := result.NewBuilder(config(3))
	add(t, b, all...)
	want := text(t, document(t, b))
	for seed := range uint64(5) {
		shuffled := append([]*latency.Window{}, all...)
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(shuffled), func(i, j int) {
			shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
		})
		b := result.NewBuilder(config(3))
		add(t, b, shuffled...)
		require.Equal(t, want, text(t, document(t, b)))
	}
}

// A window that arrives hours late counts exactly in the totals and in its interval, which has no percentiles then.
func TestAddVeryLateWindow(t *testing.T) {
	b := result.NewBuilder(config(2))
	a, late := of("measure", 0), of("measure", 1)
	for range 100 {
		add(t, b, a.next(series("READ", "OK", spread(1000)...)))
	}
	add(t, b, late.next(series("READ", "OK", 2000, 4000), series("READ", "TIMEOUT", 9000)))
	run := document(t, b)
	first := run.Phases[0].Series[0]
	require.Equal(t, uint64(1003), first.Ops)
	require.Len(t, first.Operations, 2)
	require.Equal(t, uint64(1002), first.Operations[0].Count)
	require.InDelta(t, (500500.0+6000)/1002, first.Operations[0].Mean, 0.001)
	require.InDelta(t, (500500.0+6000)/1002, first.Operations[0].ServiceMean, 0.001)
	require.InDelta(t, 4000.0, first.Operations[0].Max, 0)
	require.Nil(t, first.Operations[0].P50)
	require.Equal(t, "TIMEOUT", first.Operations[1].Outcome)
	require.Equal(t, uint64(1), first.Operations[1].Count)
	require.NotNil(t, run.Phases[0].Series[1].Operations[0].P50)
	require.Equal(t, uint64(100002), reads(t, run.Phases[0]).Count)
}

// A window that no result can hold is refused whole.
func TestAddRefusesWindows(t *testing.T) {
	for name, spoil := range map[string]func(w *latency.Window){
		"of another run":         func(w *latency.Window) { w.ID.Run = "T.1" },
		"of an unknown phase":    func(w *latency.Window) { w.ID.Phase = "lunch" },
		"of an unknown shard":    func(w *latency.Window) { w.ID.Shard = 7 },
		"of an unknown attempt":  func(w *latency.Window) { w.ID.Attempt = 2 },
		"with a negative number": func(w *latency.Window) { w.ID.Seq = -1 },
		"that ends first":        func(w *latency.Window) { w.End = w.Start - 1 },
		"before the start":       func(w *latency.Window) { w.Start = -1 },
		"without response times": func(w *latency.Window) { w.Series[1].Response = nil },
		"without service times":  func(w *latency.Window) { w.Series[1].Service = nil },
		"with fewer service times": func(w *latency.Window) {
			w.Series[1].Service = series("READ", "OK", 1).Response
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := result.NewBuilder(config(1))
			w := of("measure", 0).last(series("READ", "OK", 1, 2), series("UPDATE", "OK", 1, 2))
			spoil(w)
			added, err := b.Add(w)
			require.Error(t, err)
			require.False(t, added)
			require.Empty(t, document(t, b).Phases)
		})
	}
}

// Law 3: failed operations have series of their own and leave the figures of the good ones alone.
func TestFailedOperationsAreSeparate(t *testing.T) {
	b := result.NewBuilder(config(1))
	add(t, b, of("measure", 0).last(
		series("READ", "OK", same(100, 1000)...),
		series("READ", "ERROR", same(100, 1)...),
		series("READ", "NOT_FOUND", same(100, 2)...)))
	p := document(t, b).Phases[0]
	ok := reads(t, p)
	require.Equal(t, uint64(100), ok.Count)
	require.InDelta(t, 1000.0, ok.Mean, 0)
	require.InDelta(t, 1000.0, ok.Min, 0)
	require.InDelta(t, 1000.0, *ok.P50, 1)
	require.Equal(t, uint64(300), p.Ops)
	require.Equal(t, []string{"OK", "ERROR", "NOT_FOUND"},
		[]string{p.Operations[0].Outcome, p.Operations[1].Outcome, p.Operations[2].Outcome})
}

// Law 5: the warm-up is a phase of its own. It is in the series and in no total of the measure phase.
func TestWarmupIsExcluded(t *testing.T) {
	cfg := config(1)
	cfg.Phases = []result.PhaseInfo{{Name: "warmup", Loop: "closed"}, {Name: "measure", Loop: "closed"}}
	b := result.NewBuilder(cfg)
	add(t, b,
		of("warmup", 0).last(series("READ", "OK", same(500, 9000)...)),
		of("measure", 0).last(series("READ", "OK", same(100, 10)...)))
	run := document(t, b)
	require.Len(t, run.Phases, 2)
	require.Equal(t, "warmup", run.Phases[0].Name)
	require.Len(t, run.Phases[0].Series, 1)
	require.Equal(t, uint64(100), run.Phases[1].Ops)
	require.InDelta(t, 10.0, reads(t, run.Phases[1]).Max, 0)
	for _, v := range run.Verdicts {
		require.NotContains(t, v.Because, "warmup")
	}
	require.Equal(t, uint64(600), run.Reconcile.Merged, "the counts of all phases reconcile")
}

// Law 6: a percentile that has too few samples is null.
func TestPercentilesNeedSamples(t *testing.T) {
	for _, tc := range []struct{ count, known int }{
		{10, 0},
		{11, 1},
		{63, 1},
		{64, 2},
		{129, 2},
		{130, 3},
		{661, 3},
		{662, 4},
		{6635, 4},
		{6636, 5},
		{66380, 5},
		{66381, 6},
	} {
		b := result.NewBuilder(config(1))
		add(t, b, of("measure", 0).last(series("READ", "OK", spread(tc.count)...)))
		o := reads(t, document(t, b).Phases[0])
		for i, p := range []*float64{o.P50, o.P90, o.P95, o.P99, o.P999, o.P9999} {
			require.Equal(t, i < tc.known, p != nil, "percentile %d of %d samples", i, tc.count)
		}
		require.Equal(t, tc.known > 0, o.Agents[0].P50 != nil)
		require.Equal(t, tc.known > 3, o.Agents[0].P99 != nil)
	}
}

// Law 4: a percentile among the samples above one hour is left out, not clamped.
func TestPercentilesAmongTheOverflow(t *testing.T) {
	b := result.NewBuilder(config(1))
	s := series("READ", "OK", same(50, 100)...)
	for range 50 {
		s.Response.Record(int64(2 * time.Hour))
	}
	add(t, b, of("measure", 0).last(s))
	o := reads(t, document(t, b).Phases[0])
	require.NotNil(t, o.P50)
	require.Nil(t, o.P90)
	require.Equal(t, uint64(50), o.Overflow)
	require.InDelta(t, 7200e6, o.Max, 0)
}

// Operations in flight at the end are recorded, and count for no throughput.
func TestTailDoesNotCountForThroughput(t *testing.T) {
	b := result.NewBuilder(config(2))
	for shard := range 2 {
		ws := of("measure", shard)
		for range 10 {
			add(t, b, ws.next(series("READ", "OK", same(100, 50)...)))
		}
		add(t, b, ws.tail(series("READ", "OK", 90_000, 90_000)))
	}
	p := document(t, b).Phases[0]
	require.InDelta(t, 10.0, p.Seconds, 0)
	require.Equal(t, uint64(2004), p.Ops)
	require.Equal(t, uint64(4), p.OpsAfter)
	require.InDelta(t, 200.0, p.Throughput, 1e-9)
	o := reads(t, p)
	require.Equal(t, uint64(2004), o.Count)
	require.InDelta(t, 90_000.0, o.Max, 0)
	require.Len(t, p.Series, 11)
	require.True(t, p.Series[10].Tail)
	require.Equal(t, uint64(4), p.Series[10].Ops)
}

// A phase that its operations end lasts until the last of them was done.
func TestSecondsOfPhaseEndedByOperations(t *testing.T) {
	b := result.NewBuilder(config(2))
	slow, quick := of("measure", 0), of("measure", 1)
	add(t, b, slow.next(series("READ", "OK", same(100, 50)...)), quick.last(series("READ", "OK", same(150, 50)...)))
	w := slow.last(series("READ", "OK", same(50, 50)...))
	w.End = w.Start + 500*time.Millisecond
	add(t, b, w)
	p := document(t, b).Phases[0]
	require.InDelta(t, 1.5, p.Seconds, 1e-9)
	require.InDelta(t, 200.0, p.Throughput, 1e-9)
	require.InDelta(t, 0.5, p.Series[1].Seconds, 1e-9)
}

// The parts of a larger operation are not counted again.
func TestPartsAreNotCounted(t *testing.T) {
	b := result.NewBuilder(config(1))
	add(t, b, of("measure", 0).last(
		series("READ", "OK", 1, 2),
		series("READ-MODIFY-WRITE", "OK", 10, 20, 30),
		inRMW(series("READ", "OK", 4, 5, 6)),
		inRMW(series("UPDATE", "OK", 4, 5, 6))))
	run := document(t, b)
	p := run.Phases[0]
	require.Equal(t, uint64(5), p.Ops)
	require.Equal(t, uint64(5), p.Series[0].Ops)
	require.True(t, run.Reconcile.OK)
	var sum uint64
	for _, o := range p.Operations {
		if o.PartOf == nil {
			sum += o.Count
		}
	}
	require.Equal(t, p.Ops, sum)
	require.Equal(t, "READ-MODIFY-WRITE", *p.Operations[2].PartOf, "parts follow their whole")
}

// The per-agent figures add up to the merged ones.
func TestAgentsAddUp(t *testing.T) {
	b := result.NewBuilder(config(3))
	for shard := range 3 {
		add(t, b, of("measure", shard).last(series("READ", "OK", same(1000*(shard+1), 100*(shard+1))...)))
	}
	o := reads(t, document(t, b).Phases[0])
	require.Len(t, o.Agents, 3)
	var sum uint64
	for i, a := range o.Agents {
		sum += a.Count
		require.Equal(t, string(rune('a'+i)), a.Name)
		require.InEpsilon(t, 100.0*float64(i+1), *a.P99, 0.001)
	}
	require.Equal(t, o.Count, sum)
}

// Response and service time are two clocks.
func TestServiceTime(t *testing.T) {
	b := result.NewBuilder(config(1))
	ws := of("measure", 0)
	s := series("READ", "OK", same(20, 500)...)
	s.Service = series("READ", "OK", same(20, 100)...).Response
	add(t, b, ws.next(series("READ", "OK", same(20, 300)...)), ws.last(s))
	o := reads(t, document(t, b).Phases[0])
	require.InDelta(t, 400.0, o.Mean, 1e-9)
	require.InDelta(t, 200.0, o.Service.Mean, 1e-9)
	require.Equal(t, o.Count, o.Service.Count)
	second := document(t, b).Phases[0].Series[1].Operations[0]
	require.InDelta(t, 500.0, second.Mean, 1e-9)
	require.InDelta(t, 100.0, second.ServiceMean, 1e-9)
}

// The first message of each kind of error is kept, over all agents.
func TestErrorSamples(t *testing.T) {
	b := result.NewBuilder(config(2))
	later, first := of("measure", 0), of("measure", 1)
	later.seq = 1
	w := later.next()
	w.Samples = []latency.ErrorSample{{Op: "READ", Outcome: "ERROR", Message: "later"}}
	v := first.next()
	v.Samples = []latency.ErrorSample{
		{Op: "READ", Outcome: "ERROR", Message: "first"},
		{Op: "READ", Outcome: "TIMEOUT", Message: "slow"},
	}
	add(t, b, w, v)
	require.Equal(t, []result.ErrorSample{
		{Op: "READ", Outcome: "ERROR", Agent: "b", Message: "first"},
		{Op: "READ", Outcome: "TIMEOUT", Agent: "b", Message: "slow"},
	}, document(t, b).Phases[0].Errors)
}

// A shard that is handed out again continues: its windows begin in the middle of the phase.
func TestSecondAttempt(t *testing.T) {
	b := result.NewBuilder(config(2))
	a, first := of("measure", 0), of("measure", 1)
	second := &windows{phase: "measure", shard: 1, attempt: 2}
	b.Shard(result.ShardInfo{Index: 1, Attempt: 2, Agent: "c"})
	for i := range 60 {
		add(t, b, a.next(series("READ", "OK", 1)))
		if i < 10 {
			add(t, b, first.next(series("READ", "OK", 1)))
		}
		if i >= 30 {
			w := second.next(series("READ", "OK", 1))
			w.Start, w.End = time.Duration(i)*time.Second, time.Duration(i+1)*time.Second
			w.Last = i == 59
			add(t, b, w)
		}
	}
	b.Ended(result.PhaseEnd{Shard: 0, Attempt: 1, Phase: "measure", Windows: 60, Issued: 60, Recorded: 60})
	b.Lost(result.Loss{Shard: 1, Attempt: 1, Phase: "measure", At: 12300 * time.Millisecond})
	run := document(t, b)
	p := run.Phases[0]
	require.Len(t, p.Series, 60)
	require.Equal(t, uint64(2), p.Series[5].Ops)
	require.Equal(t, uint64(1), p.Series[20].Ops)
	require.Equal(t, uint64(2), p.Series[40].Ops)
	require.Equal(t, []string{"agent b: lost at 12.3 s of 60 s"}, run.Missing)
}

// A load that another agent continues is complete: the second agent repeats the operations in flight at the handover.
func TestAnAttemptThatIsHandedOver(t *testing.T) {
	b := result.NewBuilder(result.BuilderConfig{
		Interval: time.Second, Phases: []result.PhaseInfo{{Name: "load", Loop: "closed", PlannedOps: 50}},
		Shards: []result.ShardInfo{{Index: 0, Attempt: 1, Agent: "a"}},
	})
	first, second := &windows{phase: "load", shard: 0, attempt: 1}, &windows{phase: "load", shard: 0, attempt: 2}
	for i := range 3 {
		w := first.next(series("INSERT", "OK", 1))
		if i == 2 {
			w.Issued += 4 // in flight when it was killed
		}
		add(t, b, w)
	}
	b.Lost(result.Loss{Shard: 0, Attempt: 1, Phase: "load", At: 3300 * time.Millisecond, Why: "killed"})
	require.Equal(t, []string{"agent a: lost at 3.3 s: killed"}, document(t, b).Missing)
	require.False(t, document(t, b).Reconcile.OK)

	b.Shard(result.ShardInfo{Index: 0, Attempt: 2, Agent: "b", GoesOn: true})
	w := second.next(series("INSERT", "OK", 1))
	w.Start, w.End, w.Last = 7*time.Second, 8*time.Second, true
	add(t, b, w)
	b.Ended(result.PhaseEnd{Shard: 0, Attempt: 2, Phase: "load", Windows: 1, Issued: w.Issued, Recorded: w.Recorded})
	run := document(t, b)
	require.Empty(t, run.Missing)
	require.True(t, run.Reconcile.OK, "%+v", run.Reconcile)
	require.InDelta(t, 8.0, run.Phases[0].Seconds, 1e-9)
}

func TestGeneratorsContainClientEvents(t *testing.T) {
	b := result.NewBuilder(config(2))
	for shard := range 2 {
		w := of("measure", shard).next(series("READ", "OK", 1))
		w.Last = true
		add(t, b, w)
		end := result.PhaseEnd{Shard: shard, Attempt: 1, Phase: "measure", Windows: 1, Issued: w.Issued, Recorded: w.Recorded}
		if shard == 1 {
			end.Client = map[string]uint64{"retry": 3, "connect": 1}
		}
		b.Ended(end)
	}
	g := document(t, b).Phases[0].Generators
	require.Nil(t, g[0].Client, "nobody counts")
	require.Equal(t, map[string]uint64{"retry": 3, "connect": 1}, g[1].Client)
}
