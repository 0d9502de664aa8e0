package result_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
)

// document makes the result of a phase of ten seconds, whose windows are spoiled.
func clientDocument(t *testing.T, cfg result.BuilderConfig, spoil func(shard, second int, w *latency.Window)) result.Run {
	t.Helper()
	b := result.NewBuilder(cfg)
	for shard := range cfg.Shards {
		ws := of("measure", shard)
		for second := range 10 {
			w := ws.next(series("READ", "OK", spread(1000)...))
			spoil(shard, second, w)
			_, err := b.Add(w)
			require.NoError(t, err)
		}
	}
	run, err := b.Document(result.Run{}, result.Notes{})
	require.NoError(t, err)
	return run
}

func clientTest(t *testing.T, run result.Run, resource string, agents ...string) result.ClientTest {
	t.Helper()
	all := run.Phases[0].Clients
	i := slices.IndexFunc(all, func(c result.ClientTest) bool { return c.Resource == resource && slices.Equal(c.Agents, agents) })
	require.GreaterOrEqual(t, i, 0, "%s of %v in %+v", resource, agents, all)
	return all[i]
}

func TestEachResourceOfAGeneratorIsTestedWindowByWindow(t *testing.T) {
	cfg := config(2)
	cfg.Phases[0].Loop, cfg.Phases[0].Intended = "open", func(d time.Duration) float64 { return 2000 * d.Seconds() }
	run := clientDocument(t, cfg, func(shard, second int, w *latency.Window) {
		if shard != 1 || second >= 4 {
			w.Health.NetUse = 0.1
			return
		}
		w.Health.HostIdle, w.Health.NetUse = 0.1, 0.99
		w.Health.SchedLagP99, w.Health.GCPauseTotal = 5*time.Millisecond, 100*time.Millisecond
		w.Health.LateSends = 600
	})
	for _, r := range result.ClientResources() {
		a, b := clientTest(t, run, r.Name, "a"), clientTest(t, run, r.Name, "b")
		require.Zero(t, a.Share, r.Name)
		require.InDelta(t, 0.4, b.Share, 1e-9, r.Name)
		require.Equal(t, 10, b.Points)
	}
	cpu := clientTest(t, run, result.ClientCPU, "b")
	require.InDelta(t, 40, cpu.Value, 1e-9, "mean of 10 % and 60 %")
	require.InDelta(t, 0.5/(4*0.6), cpu.Own, 1e-9)
	require.InDelta(t, 24, clientTest(t, run, result.ClientTiming, "b").Value, 1e-9)
	require.InDelta(t, 4, clientTest(t, run, result.ClientPauses, "b").Value, 1e-9)
	require.InDelta(t, 45.6, clientTest(t, run, result.ClientNetwork, "b").Value, 1e-9)
	require.InDelta(t, 5, clientTest(t, run, result.ClientScheduler, "b").Value, 1e-9)
}

// The idle time of a processor that an agent may not use does not make up for the busy one that it may.
func TestAgentsOnDifferentProcessorsOfAHost(t *testing.T) {
	cfg := config(3)
	for i := range cfg.Shards {
		cfg.Shards[i].Host = "one"
	}
	cfg.Shards[0].CPUs = "0"
	run := clientDocument(t, cfg, func(shard, _ int, w *latency.Window) {
		if shard == 0 {
			w.Health.Cores, w.Health.HostIdle = 1, 0.05
		}
	})
	pinned := clientTest(t, run, result.ClientCPU, "a")
	require.Equal(t, "0", pinned.CPUs)
	require.InDelta(t, 1, pinned.Share, 1e-9)
	require.Zero(t, clientTest(t, run, result.ClientCPU, "b", "c").Share)
	v := verdict(t, run, "client_bound")
	require.True(t, v.Value)
	require.Equal(t, "measure: agent a: 5 % idle CPU over the whole phase", v.Because)
}
