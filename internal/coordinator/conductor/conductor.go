package conductor

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/chart"
	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/coordinator/conductor/actions"
	"github.com/benchd/benchd/internal/coordinator/roster"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/quarantine"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
)

// tick is the interval at which watchers get a new view and a failed write to the archive is retried.
const tick = 250 * time.Millisecond

// lastWord bounds the last write to the archive when the coordinator detaches.
const lastWord = time.Second

// Archive is what a conductor reads from and writes to the archive, besides the run's own record.
type Archive interface {
	Runs(ctx context.Context, suite string) ([]archive.RunRecord, error)
	HandOver(ctx context.Context, run string, shard, attempt int) ([]int64, error)
	AddObservations(ctx context.Context, run string, observed []result.Observed) error
}

// Host is the coordinator as its conductors use it.
type Host interface {
	// Apply archives the progress of the run, and the status of its suite if the run's status has changed.
	Apply(ctx context.Context, run archive.RunRecord, events []archive.Event, changed bool) error
	// Schedule assigns free agents to other runs.
	Schedule()
	// Adopt marks an agent as serving the run, which has an orphaned shard; it returns nil if no agent is free.
	Adopt(run *record.Run, shard int, spare bool) *roster.Agent
	// Task runs do in a goroutine, unless the coordinator is detaching.
	Task(do func())
	// Stuck reports whether the archive accepts no windows.
	Stuck() bool
}

// Config configures a conductor. All fields must be set.
type Config struct {
	Host       Host
	Archive    Archive
	Roster     *roster.Roster
	Metrics    *Metrics
	Quarantine *quarantine.List
	Clock      *clock.Source
	Grace      time.Duration // how long an agent may be away
	Version    string        // of this build
	Logger     *slog.Logger
	Life       context.Context //nolint:containedctx // ends when the coordinator detaches
}

// Conductor owns one run from the moment it has agents. All its state belongs to its loop.
type Conductor struct {
	c         Config // its Logger is the run's
	mail      *mailbox
	base      timebase
	publisher *publisher
	unmerged  atomic.Int64 // bytes of windows in the mailbox
	observing atomic.Int64 // points of observations in the mailbox

	// The fields below belong to the loop.
	run     *record.Run // except for its ID
	agents  *shardAgents
	builder *result.Builder
	missing []string                     // what the result of the ended run lacks
	matrix  atomic.Pointer[chart.Matrix] // what each agent does; it may be read at any time
	windows windows
	timers  map[lifecycle.Timer]*time.Timer

	timeline   timeline
	archiver   *archiver
	changeover changeover
	handover   handover
	telemetry  telemetry
	inserted   inserted
	figures    figures
	actions    *actions.Actions

	probing bool
	restart restart
	sends   map[string]bool // the agents whose first operations are known; nil before the first one
}

// New returns the conductor of a run.
func New(config Config, r *record.Run) *Conductor {
	config.Logger = config.Logger.With("run", r.Archived.ID)
	cd := &Conductor{
		c: config, run: r, mail: newMailbox(), agents: newShardAgents(r, config.Roster, config.Clock),
		windows: windows{merged: make(map[slot]int)}, timers: make(map[lifecycle.Timer]*time.Timer), restart: restart{settled: true},
	}
	cd.base.begin(config.Clock, r)
	cd.changeover = changeover{run: r, base: &cd.base, agents: cd.agents, warmup: newWarmup(r)}
	cd.publisher = &publisher{
		run: r, base: &cd.base, changeover: &cd.changeover, log: cd.c.Logger, status: newStatus(r),
		progress: &Progress{run: r, base: &cd.base, roster: config.Roster, clock: config.Clock},
	}
	cd.archiver = &archiver{run: r, host: config.Host, timeline: &cd.timeline, log: cd.c.Logger, status: r.Archived.Status}
	cd.timeline = timeline{run: cd.ID(), base: &cd.base, progress: cd.Progress(), log: cd.c.Logger, dirty: &cd.archiver.dirty}
	cd.telemetry = telemetry{
		run: r, roster: config.Roster, archive: config.Archive, timeline: &cd.timeline, log: cd.c.Logger,
		watcher: -1, ordered: make(map[int]watching),
	}
	cd.inserted = inserted{run: r, agents: cd.agents}
	cd.figures = config.Metrics.begin(cd.ID())
	cd.actions = actions.New(actions.Config{Run: r, Conductor: forActions{cd}, Roster: config.Roster, Grace: config.Grace, Life: config.Life})
	cd.handover = handover{run: r, host: config.Host, archive: config.Archive, grace: config.Grace, orphans: make(map[int]clock.Instant)}
	cd.build()
	cd.publisher.publish(cd.builder.Live())
	return cd
}

// build begins the live view of the run, of the shards that are known.
func (cd *Conductor) build() {
	cd.builder = cd.run.LiveBuilder()
	var length time.Duration
	for _, p := range cd.run.Phases {
		length += p.Duration
	}
	cd.matrix.Store(chart.NewMatrix(max(cd.run.State.Want, len(cd.run.State.Life.Shards)), cd.run.Settings.Interval, length))
}

// add adds a window to the live view.
func (cd *Conductor) add(w *latency.Window) error {
	if added, err := cd.builder.Add(w); err != nil || !added {
		return err
	}
	return cd.matrix.Load().Add(w)
}

// Matrix returns what each agent has done so far. It may be called at any time.
func (cd *Conductor) Matrix() *chart.Matrix { return cd.matrix.Load() }

// ID returns the run's id.
func (cd *Conductor) ID() string { return cd.run.Archived.ID }

// Progress returns the published view of the run. It may be called at any time.
func (cd *Conductor) Progress() *Progress { return cd.publisher.progress }

// Done is closed when the run is sealed, or the coordinator detaches.
func (cd *Conductor) Done() <-chan struct{} { return cd.mail.done }

// Perform executes the run to its end, and reports whether the end is reached and archived. Otherwise the coordinator is
// detaching, and the run stays in the archive as it is. A run whose conductor panics fails.
func (cd *Conductor) Perform() (ended bool) {
	if err := quarantine.Guard(func() error { cd.loop(cd.c.Life); return nil }); err != nil {
		if err := quarantine.Guard(func() error { cd.abandon(err); return nil }); err != nil {
			cd.c.Logger.Error("abandon run", "error", err)
		}
	}
	// Both are large, and a stopped timer keeps the conductor until it would have fired.
	cd.builder = nil
	cd.matrix.Load().Settle()
	close(cd.mail.done)
	return cd.archiver.over()
}

func (cd *Conductor) loop(ctx context.Context) {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	defer func() {
		for _, t := range cd.timers {
			t.Stop()
		}
	}()
	for !cd.archiver.over() {
		select {
		case <-ctx.Done():
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWord)
			cd.telemetry.keep(ctx, clock.Mono())
			if cd.archiver.dirty {
				cd.archiver.persist(ctx)
			}
			cancel()
			return
		case do := <-cd.mail.work:
			do()
			cd.publisher.stale, cd.figures.stale = true, true
		case <-ticker.C:
			cd.tick()
		}
	}
	live := cd.builder.Live()
	cd.publisher.publish(live)
	cd.figures.show(cd.run, cd.builder, live)
	life := cd.run.State.Life
	cd.c.Logger.Info("run ended", "status", life.Status, "reason", cmp.Or(life.Reason, lacks(cd.missing)))
}

// mostLacks is how many parts of a result that are missing are in the log.
const mostLacks = 5

// lacks describes what a result lacks, or returns "": a partial run has no other reason.
func lacks(missing []string) string {
	if len(missing) == 0 {
		return ""
	}
	text := "missing: " + strings.Join(missing[:min(len(missing), mostLacks)], "; ")
	if more := len(missing) - mostLacks; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// tick does the periodic work.
func (cd *Conductor) tick() {
	now := clock.Mono()
	due := cd.archiver.due(now)
	if now.Sub(cd.telemetry.kept) >= keepEvery || due && cd.archiver.sealed {
		cd.telemetry.keep(cd.c.Life, now) // before the end, after which nothing is archived
	}
	if due {
		cd.archiver.persist(cd.c.Life)
	}
	cd.followWarmup()
	cd.handover.adopt(clock.Mono(), cd.takeOver)
	cd.actions.Tick(clock.Mono())
	cd.telemetry.watch(clock.Mono(), cd.agents.away)
	if cd.publisher.due() {
		live := cd.builder.Live()
		cd.checkLimits(live)
		cd.publisher.publish(live)
		cd.publisher.stale = false
	}
	if cd.figures.due() {
		cd.figures.show(cd.run, cd.builder, cd.builder.Live())
	}
	cd.inserted.announce(clock.Mono())
}

// step applies an event to the lifecycle, archives the new state, and executes the commands. A state without effects is
// archived with the next event or tick: each of a thousand agents causes some at about the same time, and repeats it
// after a restart.
func (cd *Conductor) step(e lifecycle.Event) {
	before := cd.run.State.Life.Status
	commands := cd.run.State.Life.Step(e)
	cd.publisher.renewed = true
	if cd.run.State.Life.Status == before && !slices.ContainsFunc(commands, follows) {
		cd.archiver.dirty = true
		cd.execute(commands)
		return
	}
	for _, c := range commands {
		switch c := c.(type) {
		case lifecycle.Note:
			cd.timeline.note(c.Kind, c.Text)
		case lifecycle.Start:
			cd.fix(c.Phase)
		case lifecycle.Seal:
			cd.seal()
		}
	}
	cd.archiver.persist(cd.c.Life)
	if cd.run.State.Life.Status != before {
		cd.publisher.publish(cd.builder.Live())
	}
	cd.execute(commands)
}

// follows reports whether a command has an effect that must be archived first.
func follows(c lifecycle.Command) bool {
	_, timer := c.(lifecycle.Arm)
	return !timer
}

// maxUnmerged bounds the windows in the mailbox, in bytes, before Merge waits for them.
const maxUnmerged = 16 << 20

// Merge adds windows that have just been archived for the first time. It waits for the loop while that has too many.
func (cd *Conductor) Merge(windows []*latency.Window) {
	bytes := 0
	for _, w := range windows {
		bytes += w.Footprint()
	}
	total, merged := cd.unmerged.Add(int64(bytes)), make(chan struct{})
	cd.mail.post(func() {
		defer close(merged)
		cd.merge(windows)
		cd.unmerged.Add(int64(-bytes))
	})
	if total <= maxUnmerged {
		return
	}
	select {
	case <-merged:
	case <-cd.mail.done:
	}
}

func (cd *Conductor) merge(windows []*latency.Window) {
	cd.windows.newest = clock.Mono()
	now := cd.base.elapsed()
	touched := make(map[slot]bool)
	for _, w := range windows {
		if began, ok := cd.run.Began(plan.PhaseName(w.ID.Phase)); ok {
			cd.c.Metrics.arrived(now-began-w.End, cd.run.Settings.Interval)
		}
		if err := cd.add(w); err != nil {
			cd.c.Logger.Error("merge window", "window", w.ID, "error", err)
		}
		cd.publisher.add(w)
		touched[cd.mark(w)] = true
	}
	cd.followWarmup()
	for at := range touched {
		cd.checkMerged(at.shard, at.phase)
	}
}

// mark records a window that is archived.
func (cd *Conductor) mark(w *latency.Window) slot {
	cd.inserted.note(w)
	cd.changeover.warmup.add(w)
	cd.figures.lateSends += w.Health.LateSends
	return cd.windows.add(w)
}

// checkMerged continues the lifecycle when all windows of a shard's ended phase are archived.
func (cd *Conductor) checkMerged(shard int, phase plan.PhaseName) {
	life := cd.run.State.Life
	if shard >= len(life.Shards) {
		return
	}
	sh := &life.Shards[shard]
	for _, e := range sh.Ended {
		if e.Phase == phase && !e.Merged && cd.windows.have(slot{shard, sh.Attempt, phase}, e.Windows) {
			cd.step(lifecycle.WindowsMerged{Shard: shard, Phase: phase})
			return
		}
	}
}

// abandon ends a run whose conductor has panicked: it fails with that reason, and its agents become free. Its
// measurements are archived. It is called in place of the loop.
func (cd *Conductor) abandon(cause error) {
	life := cd.run.State.Life
	cd.c.Quarantine.Add(cd.run.Suite.ID, "conduct run "+cd.ID(), cause)
	reason := cd.c.Quarantine.Reason(cd.run.Suite.ID)
	life.Status, life.Reason, life.Failed = result.Failed, reason, true
	cd.archiver.abandon(cd.c.Life, reason, cd.base.stamp())
	cd.Progress().setState(life.Clone()) // from now on its windows are refused
	for i := range life.Shards {
		cd.agents.stop(i, "the run was set aside")
		cd.agents.release(i)
	}
	cd.archiver.sealed, cd.archiver.dirty = true, false
}

// forActions implements actions.Conductor.
type forActions struct{ *Conductor }

func (f forActions) Post(do func())             { f.mail.post(do) }
func (f forActions) Step(event lifecycle.Event) { f.step(event) }
func (f forActions) Note(kind, text string)     { f.timeline.note(kind, text) }
func (f forActions) Persist()                   { f.archiver.persist(f.c.Life) }
func (f forActions) Persisted() bool            { return !f.archiver.dirty }
func (f forActions) Settled() bool              { return f.restart.settled && f.base.anchored.Load() }
func (f forActions) Sealed() bool               { return f.archiver.sealed }
func (f forActions) Date() time.Time            { return f.base.date() }
func (f forActions) Elapsed() time.Duration     { return f.base.elapsed() }
