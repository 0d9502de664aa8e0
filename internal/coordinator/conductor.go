package coordinator

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/coordinator/roster"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
)

// tick is how often watchers get a new view, and an archive that could not be written is tried again.
const tick = 250 * time.Millisecond

const (
	// lastWord bounds the last write to the archive when the coordinator detaches.
	lastWord = time.Second
	// maxEvents is how many events of a run are kept for watchers at least.
	maxEvents = 1000
)

// conductor owns one run from the moment it has agents. All its state belongs to its loop; the methods in
// messages.go post into it.
type conductor struct {
	c   *Coordinator
	id  string
	log *slog.Logger

	mail chan func()
	done chan struct{} // closed when the run is sealed, or the coordinator detaches

	// These are read by sessions, which tell agents how their clocks map to the run's time.
	epoch    atomic.Int64
	anchored atomic.Bool // the epoch is of this coordinator's clock
	ahead    int64       // how far the run's dates are ahead of the coordinator's clock

	// What follows belongs to the loop.
	run      *record.Run
	shards   []plan.Shard
	builder  *result.Builder
	status   *status // nil where nobody wants status lines, and at the end
	warmup   *warmup
	merged   map[slot]int // how many windows are safe
	timers   map[lifecycle.Timer]*time.Timer
	events   []archive.Event       // not archived yet
	undated  []int                 // those of them whose dates are provisional
	away     map[int]clock.Instant // shards whose agents are not connected, since when
	orphans  map[int]clock.Instant // shards that wait for another agent, since when
	missed   clock.Instant         // since when the agent that does an action is not connected
	ordered  clock.Instant         // when the pending action was; zero where that was before a restart
	newest   clock.Instant         // when windows came last
	inserted inserted

	telemetry telemetry

	board     *board
	shown     clock.Instant // when the board was last put up
	unshown   bool          // something has happened since
	lateSends uint64

	probing bool
	settled bool          // it is known where the run stands: false after a restart, until settle
	unsure  bool          // whether anybody had heard of the segment's start before the restart
	unheard bool          // whether anybody had heard of the change-over; likewise
	dirty   bool          // there is something to archive
	retry   clock.Instant // but not before
	known   result.Status // that the archive has
	agents  int           // how many of the run's agents the archive has
	renewed bool          // the lifecycle's state is newer than what watchers see
	stale   bool          // watchers have not seen all
	sealed  bool

	view sync.Mutex
	live liveView
}

// slot names a shard's phase.
type slot struct {
	shard, attempt int
	phase          string
}

// liveView is what watchers see; it is replaced whole.
type liveView struct {
	state  *lifecycle.State
	live   result.Snapshot
	events []archive.Event // of the run so far; of very many, the newest
	before int             // how many older ones were let go
	began  map[plan.PhaseName]time.Duration
	steady string // how far a warm-up is from being so

	statuses  []statusLine // the last ones
	forgotten int          // how many there were before them
}

func newConductor(c *Coordinator, r *record.Run) *conductor {
	cd := &conductor{
		c: c, id: r.Archived.ID, run: r, log: c.log.With("run", r.Archived.ID),
		mail: make(chan func(), 1024), done: make(chan struct{}),
		merged: make(map[slot]int), timers: make(map[lifecycle.Timer]*time.Timer),
		away: make(map[int]clock.Instant), orphans: make(map[int]clock.Instant), settled: true, known: r.Archived.Status,
		telemetry: newTelemetry(),
	}
	cd.epoch.Store(r.State.Epoch)
	cd.beginDates()
	cd.board = c.metrics.runs.Begin(cd.id, new(board))
	cd.builder, cd.status, cd.warmup = r.LiveBuilder(), newStatus(r), newWarmup(r)
	cd.publish(cd.builder.Live())
	return cd
}

// post hands work to the loop; it is dropped when the run is over.
func (cd *conductor) post(do func()) {
	select {
	case cd.mail <- do:
	case <-cd.done:
	}
}

// loop carries the run to its end, or until ctx ends: then the run is left as it is in the archive. Coordinator.perform
// calls it, and closes done.
func (cd *conductor) loop(ctx context.Context) {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	defer func() {
		for _, t := range cd.timers {
			t.Stop()
		}
	}()
	for !cd.sealed || cd.dirty {
		select {
		case <-ctx.Done():
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWord)
			cd.keepObserved(ctx, clock.Mono())
			if cd.dirty {
				cd.persist(ctx)
			}
			cancel()
			return
		case do := <-cd.mail:
			do()
			cd.stale, cd.unshown = true, true
		case <-ticker.C:
			if cd.dirty && clock.Mono().After(cd.retry) {
				cd.persist(ctx)
			}
			cd.followWarmup()
			cd.handOver(clock.Mono())
			cd.missDoer(clock.Mono())
			cd.doActions()
			cd.watch(clock.Mono())
			if now := clock.Mono(); now.Sub(cd.telemetry.kept) >= keepEvery {
				cd.keepObserved(ctx, now)
			}
			if cd.stale || cd.status != nil {
				live := cd.builder.Live()
				cd.judgeLimits(live)
				cd.publish(live)
				cd.stale = false
			}
			if cd.unshown && cd.shown.Elapsed() >= showEvery {
				cd.show(cd.builder.Live())
			}
			cd.tellInserted(clock.Mono())
		}
	}
	live := cd.builder.Live()
	cd.publish(live)
	cd.show(live)
	cd.log.Info("run ended", "status", cd.run.State.Life.Status, "reason", cd.run.State.Life.Reason)
}

// step tells the lifecycle of an event, archives what it has become, and does what follows. News from which nothing
// follows yet is archived with what comes soon after, at the next tick: each of a thousand agents has some at about
// the same time, and tells it again after a restart.
func (cd *conductor) step(e lifecycle.Event) {
	before := cd.run.State.Life.Status
	commands := cd.run.State.Life.Step(e)
	cd.renewed = true
	if cd.run.State.Life.Status == before && !slices.ContainsFunc(commands, follows) {
		cd.dirty = true
		cd.execute(commands)
		return
	}
	for _, c := range commands {
		switch c := c.(type) {
		case lifecycle.Note:
			cd.note(c.Kind, c.Text)
		case lifecycle.Start:
			cd.fix(c.Phase)
		case lifecycle.Seal:
			cd.seal()
		}
	}
	cd.persist(cd.c.life)
	if cd.run.State.Life.Status != before {
		cd.publish(cd.builder.Live())
	}
	cd.execute(commands)
}

// follows reports whether a command does anything that the archive must know of before.
func follows(c lifecycle.Command) bool {
	_, timer := c.(lifecycle.Arm)
	return !timer
}

// persist archives the run. When that fails (a full disk) the run goes on, and it is tried again.
func (cd *conductor) persist(ctx context.Context) {
	cd.dirty = true
	archived, err := cd.run.ToArchive()
	agents := len(archived.Agents)
	if agents == cd.agents { // it has them all
		archived.Agents = nil
	}
	events := cd.events
	if cd.provisional() {
		events = nil // until they have their dates
	}
	if err == nil {
		err = cd.c.apply(ctx, archived, events, archived.Status != cd.known)
	}
	switch {
	case err == nil, errors.Is(err, archive.ErrNotFound): // an ended suite may have been removed
		cd.dirty, cd.known, cd.agents = false, archived.Status, agents
		cd.events = cd.events[len(events):]
	case ctx.Err() == nil:
		cd.log.Error("archive run", "error", err, "next_try", retryArchive)
		cd.retry = clock.Mono().Add(retryArchive)
	}
}

// note writes an event into the timeline.
func (cd *conductor) note(kind, text string) {
	e := archive.Event{Run: cd.id, At: cd.stamp(), Kind: kind, Text: text}
	if phase, at := cd.now(); phase != "" {
		e.Phase, e.Offset = string(phase), at
	}
	if cd.provisional() {
		cd.undated = append(cd.undated, len(cd.events))
	}
	cd.addEvent(e)
}

func (cd *conductor) addEvent(e archive.Event) {
	cd.events = append(cd.events, e)
	cd.dirty = true
	cd.tell(e)
	cd.log.Info("timeline", "kind", e.Kind, "text", e.Text)
}

// tell lets watchers know of events.
func (cd *conductor) tell(events ...archive.Event) {
	cd.view.Lock()
	defer cd.view.Unlock()
	cd.live.events = append(cd.live.events, events...)
	if n := len(cd.live.events) - maxEvents; n > maxEvents {
		cd.live.events = slices.Clone(cd.live.events[n:]) // watchers may still read the old ones
		cd.live.before += n
	}
}

// now is the phase that the run is in and how long it has been, by the clock.
func (cd *conductor) now() (plan.PhaseName, time.Duration) {
	return cd.run.PhaseAt(time.Duration(cd.c.clock.Now() - cd.epoch.Load()))
}

// line is how an agent's clock maps to the run's time, as far as is known; false before the first start.
func (cd *conductor) line(m *roster.Agent) (clock.Line, bool) {
	epoch := cd.epoch.Load()
	now := cd.c.clock.Now()
	est, ok := m.Estimate(now)
	if epoch == 0 || !ok || !cd.anchored.Load() {
		return clock.Line{}, false
	}
	// est.Line maps our clock to the agent's; the run's time is ours, counted from the epoch.
	return clock.Line{X: est.Line.Y, Y: est.Line.X - epoch, Rate: 1/(1+est.Line.Rate) - 1}, true
}

// publish lets watchers see how the run stands.
func (cd *conductor) publish(live result.Snapshot) {
	if cd.renewed || cd.live.state == nil {
		state := cd.run.State.Life.Clone()
		cd.view.Lock()
		cd.live.state = state
		cd.view.Unlock()
		cd.renewed = false
	}
	began := make(map[plan.PhaseName]time.Duration)
	for _, p := range cd.run.Phases {
		if at, ok := cd.run.Began(p.Name); ok {
			began[p.Name] = at
		}
	}
	cd.tellStatus(live)
	cd.view.Lock()
	defer cd.view.Unlock()
	cd.live.live, cd.live.began = live, began
	cd.live.steady = cd.warmingUp()
}

// holds reports whether a window is of a phase and a shard that the agent has in hand. Those of a run that is
// sealed are refused: its result must not change.
func (cd *conductor) holds(agent string, id latency.WindowID) bool {
	cd.view.Lock()
	state := cd.live.state
	cd.view.Unlock()
	shards := state.Shards
	return !state.Status.Ended() &&
		slices.ContainsFunc(state.Phases, func(p plan.Phase) bool { return string(p.Name) == id.Phase }) &&
		id.Shard < len(shards) && shards[id.Shard].Agent == agent && shards[id.Shard].Attempt == id.Attempt
}

// merge takes windows that the archive has just got for the first time.
func (cd *conductor) merge(windows []*latency.Window) {
	cd.newest = clock.Mono()
	now := cd.c.clock.Now()
	touched := make(map[slot]bool)
	for _, w := range windows {
		if began, ok := cd.run.Began(plan.PhaseName(w.ID.Phase)); ok {
			cd.c.metrics.arrived(time.Duration(now-cd.epoch.Load())-began-w.End, cd.run.Settings.Interval)
		}
		if _, err := cd.builder.Add(w); err != nil {
			cd.log.Error("merge window", "window", w.ID, "error", err)
		}
		cd.addStatus(w)
		cd.warmup.add(w)
		touched[cd.mark(w)] = true
	}
	cd.followWarmup()
	for at := range touched {
		cd.checkMerged(at.shard, plan.PhaseName(at.phase))
	}
}

// mark counts a window that is safe. The archive has let each through once.
func (cd *conductor) mark(w *latency.Window) slot {
	at := slot{w.ID.Shard, w.ID.Attempt, w.ID.Phase}
	cd.merged[at]++
	cd.inserted.note(w)
	cd.lateSends += w.Health.LateSends
	return at
}

// checkMerged tells the lifecycle when all windows of a shard's ended phase are safe.
func (cd *conductor) checkMerged(shard int, phase plan.PhaseName) {
	life := cd.run.State.Life
	if shard >= len(life.Shards) {
		return
	}
	sh := &life.Shards[shard]
	for _, e := range sh.Ended {
		if e.Phase == phase && !e.Merged && cd.merged[slot{shard, sh.Attempt, string(phase)}] >= e.Windows {
			cd.step(lifecycle.WindowsMerged{Shard: shard, Phase: phase})
			return
		}
	}
}

// member is the agent of a shard.
func (cd *conductor) member(shard int) *roster.Agent {
	return cd.c.roster.Get(cd.run.State.Life.Shards[shard].Agent)
}

// send sends to a shard's agent, if it is there: what it misses is sent again when it is back.
func (cd *conductor) send(shard int, msg *benchdv1.SessionResponse) {
	if m := cd.member(shard); m != nil && m.Boot() == cd.run.State.Life.Shards[shard].Boot {
		if s, ok := m.Connected(); ok {
			s.Send(msg)
		}
	}
}
