package conductor

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/coordinator/roster"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/wire"
)

const (
	// maxHosts is the maximum number of agents of a run that watch their own hosts. Windows have the CPU and the network
	// of all hosts.
	maxHosts = 32
	// watcherWithin is how long the agent that watches the target may be away before another one replaces it.
	watcherWithin = 5 * time.Second
	// keepEvery is the interval at which observations are archived: each write costs a disk flush.
	keepEvery = 2 * time.Second
	// maxHeld bounds the points that are kept while the archive accepts none.
	maxHeld = 1 << 18
	// maxObserved bounds the points of a run, as the points of an imported run are bounded.
	maxObserved = 1 << 24
	// maxHappenings bounds the events of the target in a run's timeline.
	maxHappenings = 5000
	// maxNotices bounds a run's warnings.
	maxNotices = 32
)

// telemetry orders agents to watch the target of a run and their hosts, and archives their observations. It belongs to
// the conductor's loop.
type telemetry struct {
	run      *record.Run
	roster   *roster.Roster
	archive  Archive
	timeline *timeline
	log      *slog.Logger

	watcher    int               // the shard whose agent watches the target; −1 for none
	ordered    map[int]watching  // what each shard's agent watches
	held       []result.Observed // observations that are not archived yet
	points     int               // points of held
	total      int               // points so far
	kept       clock.Instant     // when observations were archived last
	happenings int
}

// watching is what an agent was ordered to watch, and the stream on which it was ordered.
type watching struct {
	session *roster.Session
	target  bool
}

// watch orders agents to watch the target and their hosts. It runs at every tick: a returning agent gets its order again,
// and the target gets another watcher when the current one is lost. away has the times at which the agents of shards
// disconnected.
func (t *telemetry) watch(now clock.Instant, away map[int]clock.Instant) {
	settings := t.run.Settings.Telemetry
	life := t.run.State.Life
	if !settings.On || life.Status != result.Running || t.run.State.Epoch == 0 {
		return
	}
	t.watcher = t.pickWatcher(now, away)
	for i := range life.Shards {
		if !life.Shards[i].Held() || i >= maxHosts && i != t.watcher {
			continue
		}
		m := t.roster.Get(life.Shards[i].Agent)
		if m == nil || m.Boot() != life.Shards[i].Boot {
			continue
		}
		s, ok := m.Connected()
		if want := (watching{s, i == t.watcher}); ok && t.ordered[i] != want {
			t.ordered[i] = want
			s.Send(&benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Observe{Observe: &benchdv1.Observe{
				Id: wire.FromShard(t.run.Archived.ID, i, life.Shards[i].Attempt), Target: want.target, HostEveryNs: int64(hostEvery(i, len(life.Shards), settings)),
			}}})
		}
	}
}

// pickWatcher picks the shard whose agent watches the target: the current one as long as it is connected, or else the
// first.
func (t *telemetry) pickWatcher(now clock.Instant, away map[int]clock.Instant) int {
	shards := t.run.State.Life.Shards
	there := func(i int) bool {
		since, missing := away[i]
		return shards[i].Held() && (!missing || i == t.watcher && now.Sub(since) < watcherWithin)
	}
	if w := t.watcher; w >= 0 && w < len(shards) && there(w) {
		return w
	}
	for i := range shards {
		if there(i) {
			return i
		}
	}
	return t.watcher // it may come back
}

// hostEvery returns the interval at which the host of a shard's agent is watched. It grows with the number of agents.
func hostEvery(shard, shards int, settings plan.Telemetry) time.Duration {
	if shard >= maxHosts {
		return 0
	}
	return max(settings.Interval, time.Duration(min(shards, maxHosts))*100*time.Millisecond)
}

// observed records the observations of an agent.
func (t *telemetry) observed(o result.Observations) {
	for _, f := range o.Figures {
		n := max(len(f.At), 1) // a figure without a point has a cost, too
		if t.points+n > maxHeld {
			continue
		}
		if t.total += n; t.total > maxObserved {
			t.warn("the telemetry is incomplete: agents have sent more points than a run can hold")
			continue
		}
		t.points += n
		t.held = append(t.held, f)
	}
	for _, h := range o.Happenings {
		if t.happenings++; t.happenings <= maxHappenings {
			t.timeline.noteAt(h.Kind, h.Text, h.At)
		} else if t.happenings == maxHappenings+1 {
			t.warn("the timeline is incomplete: the target had more events than it can hold")
		}
	}
	for _, w := range o.Warnings {
		t.warn(w)
	}
}

// warn adds a warning to the run's result, once.
func (t *telemetry) warn(text string) {
	rec := &t.run.State
	if slices.Contains(rec.Warnings, text) || len(rec.Warnings) >= maxNotices {
		return
	}
	rec.Warnings = append(rec.Warnings, text)
	t.timeline.note(result.HappenedTelemetry, text)
}

// keep archives observations. What cannot be archived is retried with the next observations.
func (t *telemetry) keep(ctx context.Context, now clock.Instant) {
	if len(t.held) == 0 {
		return
	}
	t.kept = now
	if err := t.archive.AddObservations(ctx, t.run.Archived.ID, t.held); err != nil {
		t.log.Error("archive observations", "figures", len(t.held), "error", err)
		return
	}
	t.held, t.points = nil, 0
}
