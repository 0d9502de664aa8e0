package conductor

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/coordinator/roster"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/result"
)

// publishing returns the publisher of a run of agent a that has just started to measure.
func publishing(ycsb report.YCSB) *publisher {
	r := underWay(1, plan.Phase{Name: plan.Measure, Duration: time.Minute})
	r.YCSB = ycsb
	source, base := clock.NewSource(clock.Skew{}), new(timebase)
	base.begin(source, r)
	base.set(source.Now())
	all := roster.New()
	return &publisher{
		run: r, base: base, log: slog.New(slog.DiscardHandler), status: newStatus(r),
		changeover: &changeover{run: r, base: base, agents: newShardAgents(r, all, source), warmup: newWarmup(r)},
		progress:   &Progress{run: r, base: base, roster: all, clock: source},
	}
}

// Watchers do not see changes of the loop before they are published.
func TestWatchersSeeWhatWasPublished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := publishing(report.YCSB{})
		describe := func() *benchdv1.WatchResponse {
			msg := new(benchdv1.WatchResponse)
			p.progress.Describe(msg, make(map[string]int))
			return msg
		}
		p.publish(result.Snapshot{})
		<-time.After(4 * time.Second)
		life := p.run.State.Life
		life.Status, life.Shards[0].State = result.Complete, lifecycle.Over
		msg := describe()
		require.Equal(t, "running", msg.GetStatus())
		require.Equal(t, "measure", msg.GetPhase())
		require.Equal(t, 4*time.Second, msg.GetElapsed().AsDuration())
		require.Equal(t, time.Minute, msg.GetPlanned().AsDuration())
		require.Equal(t, "busy", msg.GetAgents()[0].GetState())
		require.Zero(t, msg.GetOps())

		p.renewed = true
		p.publish(result.Snapshot{Phase: "measure", Ops: 77})
		msg = describe()
		require.Equal(t, "stopping", msg.GetStatus(), "its end is not shown before the archive has it")
		require.Equal(t, "over", msg.GetAgents()[0].GetState())
		require.EqualValues(t, 77, msg.GetOps())
	})
}

// Windows are accepted for the shard that an agent holds, as long as the run has not ended.
func TestWindowsAreAcceptedFromTheirOwnAgentOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := publishing(report.YCSB{})
		p.publish(result.Snapshot{})
		own := latency.WindowID{Run: "S.1", Phase: "measure", Shard: 0, Attempt: 1}
		for name, test := range map[string]struct {
			agent, boot string
			bend        func(id *latency.WindowID)
			want        bool
		}{
			"its own":                        {"a", "1", func(*latency.WindowID) {}, true},
			"of another process of the name": {"a", "2", func(*latency.WindowID) {}, false},
			"of another agent":               {"b", "1", func(*latency.WindowID) {}, false},
			"of another attempt":             {"a", "1", func(id *latency.WindowID) { id.Attempt = 2 }, false},
			"of a phase of no run":           {"a", "1", func(id *latency.WindowID) { id.Phase = "warmup" }, false},
			"of a shard that is not":         {"a", "1", func(id *latency.WindowID) { id.Shard = 1 }, false},
		} {
			id := own
			test.bend(&id)
			require.Equal(t, test.want, p.progress.Holds(stream(t.Context(), nil, &benchdv1.Hello{Name: test.agent, BootId: test.boot}), id), name)
		}
		p.run.State.Life.Status, p.renewed = result.Cancelled, true
		p.publish(result.Snapshot{})
		require.False(t, p.progress.Holds(stream(t.Context(), nil, &benchdv1.Hello{Name: "a", BootId: "1"}), own), "the run has ended")
	})
}

// A status line is made for the start of each phase, for each interval, and at the end; none after that.
func TestStatusLinesOfARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := publishing(report.YCSB{Status: true, StatusInterval: 10 * time.Second})
		p.publish(result.Snapshot{})
		<-time.After(10*time.Second + statusPatience)
		p.publish(result.Snapshot{})
		require.True(t, p.due())
		p.run.State.Life.Status = result.Complete
		p.publish(result.Snapshot{})
		require.False(t, p.due())
		p.publish(result.Snapshot{})
		var texts []string
		msg := new(benchdv1.WatchResponse)
		require.Equal(t, 3, p.progress.AddStatuses(msg, 0))
		for _, s := range msg.GetStatuses() {
			texts = append(texts, s.GetText())
		}
		require.Equal(t, []string{"0 sec: 0 operations; ", "10 sec: 0 operations; ", "10 sec: 0 operations; "}, texts)
		msg = new(benchdv1.WatchResponse)
		require.Equal(t, 3, p.progress.AddStatuses(msg, 2))
		require.Len(t, msg.GetStatuses(), 1)
	})
}
