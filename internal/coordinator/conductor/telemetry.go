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
	// mostHosts is how many agents of a run watch their own hosts. Windows have the CPU and the network of all.
	mostHosts = 32
	// watcherWithin is how long the agent that watches the target may be away before another one does.
	watcherWithin = 5 * time.Second
	// keepEvery is how often what was observed goes to the archive: each time costs a disk flush.
	keepEvery = 2 * time.Second
	// mostHeld bounds the points that wait for an archive that does not take them.
	mostHeld = 1 << 18
	// mostHappenings bounds what happens to a target in a run, that its timeline has.
	mostHappenings = 5000
	// mostNotices bounds a run's warnings.
	mostNotices = 32
)

// telemetry has agents watch the target of a run and their hosts, and archives what they observe. It belongs to the
// conductor's loop.
type telemetry struct {
	run      *record.Run
	roster   *roster.Roster
	archive  Archive
	timeline *timeline
	log      *slog.Logger

	watcher    int               // the shard whose agent watches the target; −1 where none does yet
	ordered    map[int]watching  // by shard
	held       []result.Observed // not archived yet
	points     int               // of these
	kept       clock.Instant     // when some were archived last
	happenings int
}

// watching is what an agent was ordered to watch, and on which of its streams.
type watching struct {
	session *roster.Session
	target  bool
}

// watch has agents watch the target and their hosts. It runs at every tick: who comes back is asked again, and the target
// gets another watcher when the one before is lost. away has the shards whose agents are not connected, and since when.
func (t *telemetry) watch(now clock.Instant, away map[int]clock.Instant) {
	settings := t.run.Settings.Telemetry
	life := t.run.State.Life
	if !settings.On || life.Status != result.Running || t.run.State.Epoch == 0 {
		return
	}
	t.watcher = t.pickWatcher(now, away)
	for i := range life.Shards {
		if !life.Shards[i].Held() || i >= mostHosts && i != t.watcher {
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

// pickWatcher picks the shard whose agent watches the target: the one that does, as long as it is there, or else the first.
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

// hostEvery is how often the host of a shard's agent is looked at: with many of them more rarely.
func hostEvery(shard, shards int, settings plan.Telemetry) time.Duration {
	if shard >= mostHosts {
		return 0
	}
	return max(settings.Interval, time.Duration(min(shards, mostHosts))*100*time.Millisecond)
}

// observed takes what an agent has observed.
func (t *telemetry) observed(o result.Observations) {
	for _, f := range o.Figures {
		if t.points += len(f.At); t.points > mostHeld {
			t.points -= len(f.At)
			continue
		}
		t.held = append(t.held, f)
	}
	for _, h := range o.Happenings {
		if t.happenings++; t.happenings <= mostHappenings {
			t.timeline.noteAt(h.Kind, h.Text, h.At)
		} else if t.happenings == mostHappenings+1 {
			t.warn("more than that has happened to the target than the timeline tells")
		}
	}
	for _, w := range o.Warnings {
		t.warn(w)
	}
}

// warn adds a warning to the run's result, once.
func (t *telemetry) warn(text string) {
	rec := &t.run.State
	if slices.Contains(rec.Warnings, text) || len(rec.Warnings) >= mostNotices {
		return
	}
	rec.Warnings = append(rec.Warnings, text)
	t.timeline.note(result.HappenedTelemetry, text)
}

// keep archives what was observed. What the archive does not take is tried again with what comes next.
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
