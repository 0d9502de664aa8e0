package coordinator

import (
	"context"
	"slices"
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/coordinator/roster"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
)

const (
	// mostHosts is how many agents of a run watch their own hosts. Windows tell of the CPU and the network of all.
	mostHosts = 32
	// watcherWithin is how long the agent that watches the target may be away before another one does.
	watcherWithin = 5 * time.Second
	// keepEvery is how often what was observed goes to the archive: each time costs a disk flush.
	keepEvery = 2 * time.Second
	// mostHeld bounds the points that wait for an archive that does not take them.
	mostHeld = 1 << 18
	// mostHappenings bounds what happens to a target in a run, as its timeline tells it.
	mostHappenings = 5000
	// mostNotices bounds a run's warnings.
	mostNotices = 32
)

// telemetry is what a conductor knows of the watching of its run. It belongs to the loop.
type telemetry struct {
	watcher    int               // the shard whose agent watches the target; −1 where none does yet
	told       map[int]watchTold // by shard
	held       []result.Observed // not archived yet
	points     int               // of these
	kept       clock.Instant     // when some were archived last
	happenings int
}

// watchTold is what an agent was told to watch, and on which of its streams.
type watchTold struct {
	session *roster.Session
	target  bool
}

func newTelemetry() telemetry { return telemetry{watcher: -1, told: make(map[int]watchTold)} }

// watch has agents watch the target and their hosts. It runs at every tick: who comes back is told again, and the target
// gets another watcher when the one before is lost.
func (cd *conductor) watch(now clock.Instant) {
	settings := cd.run.Settings.Telemetry
	life := cd.run.State.Life
	if !settings.On || life.Status != result.Running || cd.epoch.Load() == 0 {
		return
	}
	t := &cd.telemetry
	t.watcher = cd.pickWatcher(now)
	for i := range life.Shards {
		if !life.Shards[i].Held() || i >= mostHosts && i != t.watcher {
			continue
		}
		m := cd.member(i)
		if m == nil || m.Boot() != life.Shards[i].Boot {
			continue
		}
		s, ok := m.Connected()
		if want := (watchTold{s, i == t.watcher}); ok && t.told[i] != want {
			t.told[i] = want
			s.Send(&benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Observe{Observe: &benchdv1.Observe{
				Id: cd.shardID(i), Target: want.target, HostEveryNs: int64(hostEvery(i, len(life.Shards), settings)),
			}}})
		}
	}
}

// pickWatcher picks the shard whose agent watches the target: the one that does, as long as it is there, or else the first.
func (cd *conductor) pickWatcher(now clock.Instant) int {
	shards := cd.run.State.Life.Shards
	there := func(i int) bool {
		since, away := cd.away[i]
		return shards[i].Held() && (!away || i == cd.telemetry.watcher && now.Sub(since) < watcherWithin)
	}
	if w := cd.telemetry.watcher; w >= 0 && w < len(shards) && there(w) {
		return w
	}
	for i := range shards {
		if there(i) {
			return i
		}
	}
	return cd.telemetry.watcher // it may come back
}

// hostEvery is how often the host of a shard's agent is looked at: with many of them more rarely.
func hostEvery(shard, shards int, settings plan.Telemetry) time.Duration {
	if shard >= mostHosts {
		return 0
	}
	return max(settings.Interval, time.Duration(min(shards, mostHosts))*100*time.Millisecond)
}

// observed takes what an agent has observed.
func (cd *conductor) observed(o result.Observations) {
	if cd.sealed {
		return
	}
	t := &cd.telemetry
	for _, f := range o.Figures {
		if t.points += len(f.At); t.points > mostHeld {
			t.points -= len(f.At)
			continue
		}
		t.held = append(t.held, f)
	}
	for _, h := range o.Happenings {
		if t.happenings++; t.happenings <= mostHappenings {
			cd.noteAt(h.Kind, h.Text, h.At)
		} else if t.happenings == mostHappenings+1 {
			cd.warn("more than that has happened to the target than the timeline tells")
		}
	}
	for _, w := range o.Warnings {
		cd.warn(w)
	}
}

// warn adds a warning to the run's result, once.
func (cd *conductor) warn(text string) {
	rec := &cd.run.State
	if slices.Contains(rec.Warnings, text) || len(rec.Warnings) >= mostNotices {
		return
	}
	rec.Warnings = append(rec.Warnings, text)
	cd.note(result.HappenedTelemetry, text)
}

// keepObserved archives what was observed. What the archive does not take is tried again with what comes next.
func (cd *conductor) keepObserved(ctx context.Context, now clock.Instant) {
	t := &cd.telemetry
	if len(t.held) == 0 {
		return
	}
	t.kept = now
	if err := cd.c.archive.AddObservations(ctx, cd.id, t.held); err != nil {
		cd.log.Error("archive observations", "figures", len(t.held), "error", err)
		return
	}
	t.held, t.points = nil, 0
}

// noteAt writes what happened at an instant of the run's time into the timeline.
func (cd *conductor) noteAt(kind, text string, at time.Duration) {
	e := archive.Event{Run: cd.id, At: cd.run.State.Zero.Add(at), Kind: kind, Text: text}
	phase, since := cd.run.PhaseAt(at)
	e.Phase, e.Offset = string(phase), since
	cd.addEvent(e)
}
