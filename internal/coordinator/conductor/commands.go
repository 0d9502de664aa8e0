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

// execute carries commands out.
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

// fix sets the instant at which a segment begins. It is archived before it is sent to anybody.
func (cd *Conductor) fix(phase int) {
	rec := &cd.run.State
	now, lead := cd.c.Clock.Now(), cd.agents.lead()
	if rec.Epoch == 0 {
		rec.Zero = cd.base.dateAt(now + int64(lead))
		cd.base.set(now + int64(lead))
		rec.Begun = make(map[plan.PhaseName]time.Duration)
	}
	rec.Begun[rec.Life.Phases[phase].Name] = time.Duration(now + int64(lead) - rec.Epoch)
	rec.Sends = nil // the skew that counts is that of the last start
	cd.timeline.note("phase", string(rec.Life.Phases[phase].Name)+" starts")
}

// start announces a segment's start to all agents that are to work.
func (cd *Conductor) start(phase int) {
	for i, sh := range cd.run.State.Life.Shards {
		if sh.State == lifecycle.Busy {
			cd.sendStart(i, phase)
		}
	}
}

// sendStart announces to one agent when a phase begins, in its own clock.
func (cd *Conductor) sendStart(shard, phase int) {
	m := cd.agents.of(shard)
	if m == nil || phase < 0 || !cd.restart.settled {
		return // see settle
	}
	name := cd.run.Phases[phase].Name
	at, ok := cd.run.State.Begun[name]
	line, known := cd.base.line(m)
	if !ok || !known {
		return // an agent whose clock is not known is not here: it hears of it when it is back
	}
	cd.agents.send(shard, &benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Start{Start: &benchdv1.Start{
		Id: cd.agents.shardID(shard), Phase: string(name), AtRunNs: int64(at), Timebase: wire.FromLine(cd.ID(), line),
	}}})
}

func (cd *Conductor) release(shard int) {
	cd.agents.release(shard)
	if m := cd.agents.of(shard); m != nil && m.Serving() == cd.ID() {
		m.Serve("")
		if !cd.archiver.sealed { // runEnded does it for all
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

// windowsMayCome reports whether it is too early to give up windows: some came within the time given, or an agent
// is away, or the archive does not take what has come.
func (cd *Conductor) windowsMayCome(within time.Duration) bool {
	return cd.windows.cameWithin(within) || len(cd.agents.away) > 0 || cd.c.Host.Stuck()
}

// seal checks a run that has ended, before its end is archived and shown. One whose shards all ended can still lack
// windows that never came, or have violated a limit too quickly to be stopped by it.
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
		switch text := record.Violations(cd.run.Settings.Limits, doc.Phases); {
		case err != nil:
			life.Status, life.Reason = result.Failed, err.Error()
		case text != "":
			life.Status, life.Reason, life.Failed, life.Violated = result.Failed, text, true, true
			cd.timeline.note("limit", text)
		case len(doc.Missing) > 0:
			life.Status = result.Partial
		}
	}
}
