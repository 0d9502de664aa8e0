package agent_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/agent"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/null"
)

// fickle is a target whose client retries now and then.
type fickle struct {
	load.Target
	retries atomic.Uint64
}

func (f *fickle) Counts() map[string]uint64 {
	return map[string]uint64{"retry": f.retries.Add(7), "reconnect": 1}
}

func openFickle(ctx context.Context, s load.Settings) (load.Target, error) {
	target, err := null.Open(ctx, s)
	return &fickle{Target: target}, err
}

// counter is the value of the one series of a name that has a label.
func counter(t *testing.T, r prometheus.Gatherer, name, label, value string) float64 {
	t.Helper()
	families, err := r.Gather()
	require.NoError(t, err)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if f.GetName() == name && l.GetName() == label && l.GetValue() == value {
					return m.GetCounter().GetValue()
				}
			}
		}
	}
	require.Failf(t, "no such series", "%s{%s=%q}", name, label, value)
	return 0
}

// Events of the target's client are counted over all shards of the run on the agent; the load of the generator is
// exported while the run is in progress.
func TestAnAgentShowsHowItsRunFares(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewPedanticRegistry()
	b := newFakeCoordinator(t)
	r := newRig(t, b, func(c *agent.Config) {
		c.Registerer = registry
		c.Drivers = map[string]load.Driver{"null": openFickle}
	})
	s := b.next()
	id := s.order("S.1", map[string]string{"arrival": "fixed", "rate": "500"}, &benchdv1.Phase{Name: "measure", Open: true, DurationNs: int64(300 * time.Millisecond)})
	require.Empty(t, await(s, (*benchdv1.SessionRequest).GetPrepared).GetError())
	s.start(r, id, "measure")
	windows := s.windows(true)
	await(s, (*benchdv1.SessionRequest).GetPhaseEnded)

	count := func(name string) int {
		t.Helper()
		n, err := testutil.GatherAndCount(registry, name)
		require.NoError(t, err)
		return n
	}
	require.Equal(t, 1, count("benchd_agent_backlog_operations"))
	require.Equal(t, 1, count("benchd_agent_scheduler_lag_seconds"))
	require.Equal(t, 1, count("benchd_agent_send_lateness_seconds"))
	for event, want := range map[string]int{"reconnect": 1, "retry": 7 * len(windows)} {
		require.Equal(t, float64(want), counter(t, registry, "benchd_agent_client_events_total", "event", event))
	}

	problems, err := testutil.GatherAndLint(registry)
	require.NoError(t, err)
	require.Empty(t, problems)

	s.release(id)
	s.prepare("S.2") // the release was received
	require.Zero(t, count("benchd_agent_backlog_operations"))
	require.Zero(t, count("benchd_agent_host_idle_ratio"))
	require.Equal(t, 2, count("benchd_agent_client_events_total"), "counters stay for a while")
}
