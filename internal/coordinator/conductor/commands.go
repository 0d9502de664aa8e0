package conductor

import (
	"time"

	"github.com/benchd/benchd/internal/clock"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/wire"
)

// execute executes commands.
func (cd *Conductor) execute(commands []lifecycle.Command) {
	for _, c := range commands {
		switch c := c.(type) {
		case lifecycle.Prepare:
			cd.prepare(c.Shard)
		case lifecycle.Rehand:
			cd.handover.orphaned(c.Shard, clock.Mono())
		case lifecycle.Probe:
			cd.probe()
		case lifecycle.Start:
			cd.start(c.Phase)
		case lifecycle.Join:
			cd.start(c.Phase)
		case lifecycle.Restart:
			cd.sendStart(c.Shard, c.Phase)
		case lifecycle.Stop:
			cd.agents.stop(c.Shard, c.Reason)
		case lifecycle.Release:
			cd.release(c.Shard)
		case lifecycle.DoAction:
			cd.actions.Do(c)
		case lifecycle.Arm:
			cd.arm(c.Timer, c.After)
		case lifecycle.Note, lifecycle.Seal: // done before the state was archived
		}
	}
}

// fix sets the instant at which a segment starts. It is archived before it is sent.
func (cd *Conductor) fix(phase int) {
	rec := &cd.run.State
	now, lead := cd.c.Clock.Now(), cd.agents.lead()
	if rec.Epoch == 0 {
		rec.Zero = cd.base.dateAt(now + int64(lead))
		cd.base.set(now + int64(lead))
		rec.Begun = make(map[plan.PhaseName]time.Duration)
	}
	rec.Begun[rec.Life.Phases[phase].Name] = time.Duration(now + int64(lead) - rec.Epoch)
	rec.Sends, cd.sends = nil, nil // only the skew of the last start counts
	cd.timeline.note("phase", string(rec.Life.Phases[phase].Name)+" starts")
}

// start announces the start of a segment to all agents that take part.
func (cd *Conductor) start(phase int) {
	for i, sh := range cd.run.State.Life.Shards {
		if sh.State == lifecycle.Busy {
			cd.sendStart(i, phase)
		}
	}
}

// sendStart announces the start of a phase to one agent, in its own clock.
func (cd *Conductor) sendStart(shard, phase int) {
	m := cd.agents.of(shard)
	if m == nil || phase < 0 || !cd.restart.settled {
		return // see settle
	}
	name := cd.run.Phases[phase].Name
	at, ok := cd.run.State.Begun[name]
	line, known := cd.base.line(m)
	if !ok || !known {
		return // the clock of a disconnected agent: it gets the start when it returns
	}
	cd.agents.send(shard, &benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Start{Start: &benchdv1.Start{
		Id: cd.agents.shardID(shard), Phase: string(name), AtRunNs: int64(at), Timebase: wire.FromLine(cd.ID(), line),
	}}})
}

func (cd *Conductor) release(shard int) {
	cd.agents.release(shard)
	if m := cd.agents.of(shard); m != nil && m.Serving() == cd.ID() {
		m.Serve("")
		if !cd.archiver.sealed { // runEnded schedules for all
			cd.c.Host.Schedule()
		}
	}
}

func (cd *Conductor) arm(timer lifecycle.Timer, after time.Duration) {
	if t := cd.timers[timer]; t != nil {
		t.Stop()
	}
	cd.timers[timer] = time.AfterFunc(after, func() {
		cd.mail.post(func() {
			if timer == lifecycle.Stragglers && cd.windowsMayCome(after) {
				cd.arm(timer, after)
				return
			}
			cd.step(lifecycle.Fired{Timer: timer})
		})
	})
}

// windowsMayCome reports whether it is too early to abandon missing windows: some came within the given time, or an agent
// is away, or the archive accepts no windows.
func (cd *Conductor) windowsMayCome(within time.Duration) bool {
	return cd.windows.cameWithin(within) || len(cd.agents.away) > 0 || cd.c.Host.Stuck()
}

// seal checks an ended run before its end is archived and published. Although all shards have ended, the run may lack
// windows that never came, or may have violated a limit too late to be stopped by it.
func (cd *Conductor) seal() {
	if cd.base.provisional() {
		cd.timeline.anchorAt(cd.base.reckoned())
	}
	cd.run.Archived.Ended = cd.base.stamp()
	cd.archiver.sealed = true
	cd.telemetry.keep(cd.c.Life, clock.Mono())
	cd.actions.Finish()
	cd.run.State.InsertedBelow = cd.inserted.smallest(len(cd.run.State.Life.Shards))
	life := cd.run.State.Life
	if life.Status == result.Complete || life.Status == result.Partial {
		doc, err := cd.builder.Document(cd.run.Header(cd.c.Version), result.Notes{})
		switch text := record.Violations(cd.run.Settings, doc.Phases); {
		case err != nil:
			life.Status, life.Reason = result.Failed, err.Error()
		case text != "":
			life.Status, life.Reason, life.Failed, life.Violated = result.Failed, text, true, true
			cd.timeline.note("limit", text)
		case len(doc.Missing) > 0:
			life.Status, cd.missing = result.Partial, doc.Missing
		}
	}
}
