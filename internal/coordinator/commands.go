package coordinator

import (
	"context"
	"sync"
	"time"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/coordinator/roster"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/wire"
)

const (
	// startLead is how far ahead a start is announced; agents whose round trips are long get more.
	startLead = 300 * time.Millisecond
	mostLead  = 5 * time.Second
	// clocksWithin bounds the probing before a start.
	clocksWithin = 5 * time.Second
)

// execute carries commands out.
func (cd *conductor) execute(commands []lifecycle.Command) {
	for _, c := range commands {
		switch c := c.(type) {
		case lifecycle.Prepare:
			cd.prepare(c.Shard)
		case lifecycle.Rehand:
			cd.orphans[c.Shard] = clock.Mono()
		case lifecycle.Probe:
			cd.probe()
		case lifecycle.Start:
			cd.start(c.Phase)
		case lifecycle.Join:
			cd.start(c.Phase)
		case lifecycle.Restart:
			cd.tellStart(c.Shard, c.Phase)
		case lifecycle.Stop:
			cd.send(c.Shard, &benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Stop{
				Stop: &benchdv1.Stop{Id: cd.shardID(c.Shard), Reason: c.Reason},
			}})
		case lifecycle.Release:
			cd.release(c.Shard)
		case lifecycle.Act:
			cd.act(c)
		case lifecycle.Arm:
			cd.arm(c.Timer, c.After)
		case lifecycle.Note, lifecycle.Seal: // done before the state was archived
		}
	}
}

func (cd *conductor) shardID(shard int) *benchdv1.ShardId {
	return wire.FromShard(cd.id, shard, cd.run.State.Life.Shards[shard].Attempt)
}

// prepare hands a shard out.
func (cd *conductor) prepare(shard int) {
	again := cd.run.State.Life.Shards[shard].Attempt > 1
	if again {
		cd.shards = nil // they are of other agents now
	}
	if cd.shards == nil {
		var err error
		if cd.shards, err = cd.run.Shards(); err != nil {
			cd.step(lifecycle.Prepared{Shard: shard, Error: err.Error()})
			return
		}
	}
	if again {
		var err error
		if cd.shards[shard].Loaded, err = cd.c.archive.HandOver(cd.c.life, cd.id, shard, cd.shards[shard].Attempt); err != nil {
			cd.log.Error("hand over a load", "shard", shard, "error", err, "next_try", retryArchive)
			time.AfterFunc(retryArchive, func() { // only the archive can tell where to go on
				cd.post(func() {
					if cd.run.State.Life.Shards[shard].State == lifecycle.Assigned {
						cd.prepare(shard)
					}
				})
			})
			return
		}
	}
	cd.send(shard, &benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Prepare{
		Prepare: wire.FromPlan(cd.shards[shard], shard == lifecycle.Steward && !again), // what was set up is there
	}})
}

// probe measures the clocks of all live agents until it knows them, then says so. An agent that is away is waited
// for: it comes back, or is lost.
func (cd *conductor) probe() {
	if cd.probing {
		return
	}
	cd.probing = true
	var sessions []*roster.Session
	for i, sh := range cd.run.State.Life.Shards {
		if m := cd.member(i); m != nil && sh.Held() {
			if s, ok := m.Connected(); ok {
				sessions = append(sessions, s)
			}
		}
	}
	cd.c.task(func() {
		cd.ofRun(func() {
			ctx, cancel := context.WithTimeout(cd.c.life, clocksWithin)
			defer cancel()
			var wg sync.WaitGroup
			for _, s := range sessions {
				wg.Go(func() { cd.ofRun(func() { s.Burst(ctx) }) })
			}
			wg.Wait()
			cd.post(cd.probed)
		})
	})
}

func (cd *conductor) probed() {
	cd.probing = false
	if cd.clocksKnown() {
		cd.step(lifecycle.ClocksKnown{})
		return
	}
	time.AfterFunc(roster.ProbeEvery, func() {
		cd.post(func() {
			if status := cd.run.State.Life.Status; status == result.Preparing || status == result.Running {
				cd.probe()
			}
		})
	})
}

func (cd *conductor) clocksKnown() bool {
	now := cd.c.clock.Now()
	for i, sh := range cd.run.State.Life.Shards {
		if !sh.Held() {
			continue
		}
		m := cd.member(i)
		if m == nil {
			return false
		}
		if _, known := m.Estimate(now); !known {
			return false
		}
	}
	return len(cd.away) == 0
}

// fix sets the instant at which a segment begins. It is archived before anybody is told.
func (cd *conductor) fix(phase int) {
	rec := &cd.run.State
	now, lead := cd.c.clock.Now(), cd.lead()
	if rec.Epoch == 0 {
		rec.Zero = cd.dateAt(now + int64(lead))
		rec.Epoch = now + int64(lead)
		cd.epoch.Store(rec.Epoch)
		cd.anchored.Store(true)
		rec.Begun = make(map[plan.PhaseName]time.Duration)
	}
	rec.Begun[rec.Life.Phases[phase].Name] = time.Duration(now + int64(lead) - rec.Epoch)
	rec.Sends = nil // the skew that counts is that of the last start
	cd.note("phase", string(rec.Life.Phases[phase].Name)+" starts")
}

// lead is how far ahead an instant must be announced.
func (cd *conductor) lead() time.Duration {
	lead := startLead
	now := cd.c.clock.Now()
	for i, sh := range cd.run.State.Life.Shards {
		if m := cd.member(i); m != nil && sh.Held() {
			if est, ok := m.Estimate(now); ok {
				lead = min(max(lead, 10*time.Duration(est.Bound)), mostLead)
			}
		}
	}
	return lead
}

// start tells all agents that are to work of a segment's start.
func (cd *conductor) start(phase int) {
	for i, sh := range cd.run.State.Life.Shards {
		if sh.State == lifecycle.Busy {
			cd.tellStart(i, phase)
		}
	}
}

// tellStart tells one agent when a phase begins, in its own clock.
func (cd *conductor) tellStart(shard, phase int) {
	m := cd.member(shard)
	if m == nil || phase < 0 || !cd.settled {
		return // see settle
	}
	name := cd.run.Phases[phase].Name
	at, ok := cd.run.State.Begun[name]
	line, known := cd.line(m)
	if !ok || !known {
		return // an agent whose clock is not known is not here: it is told when it is back
	}
	cd.send(shard, &benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Start{Start: &benchdv1.Start{
		Id: cd.shardID(shard), Phase: string(name), AtRunNs: int64(at), Timebase: wire.FromLine(cd.id, line),
	}}})
}

func (cd *conductor) release(shard int) {
	cd.send(shard, &benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Release{
		Release: &benchdv1.Release{Id: cd.shardID(shard)},
	}})
	if m := cd.member(shard); m != nil && m.Serving() == cd.id {
		m.Serve("")
		if !cd.sealed { // runEnded does it for all
			cd.c.schedule()
		}
	}
}

func (cd *conductor) arm(timer lifecycle.Timer, after time.Duration) {
	if t := cd.timers[timer]; t != nil {
		t.Stop()
	}
	cd.timers[timer] = time.AfterFunc(after, func() {
		cd.post(func() {
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
func (cd *conductor) windowsMayCome(within time.Duration) bool {
	return cd.newest.Elapsed() < within || len(cd.away) > 0 || cd.c.ingest.stuck.Load()
}

// seal judges a run that has ended, before its end is archived and told. One whose shards all ended can still lack
// windows that never came, or have violated a limit too quickly to be stopped by it.
func (cd *conductor) seal() {
	if cd.provisional() {
		cd.reckon()
	}
	cd.run.Archived.Ended = cd.stamp()
	cd.sealed = true
	cd.keepObserved(cd.c.life, clock.Mono())
	cd.giveUpDeed()
	cd.clearFaults()
	cd.run.State.InsertedBelow = cd.inserted.smallest(len(cd.run.State.Life.Shards))
	life := cd.run.State.Life
	if life.Status == result.Complete || life.Status == result.Partial {
		doc, err := cd.builder.Document(cd.run.Header(cd.c.config.Version), result.Notes{})
		switch text := record.Violations(cd.run.Settings.Limits, doc.Phases); {
		case err != nil:
			life.Status, life.Reason = result.Failed, err.Error()
		case text != "":
			life.Status, life.Reason, life.Failed, life.Violated = result.Failed, text, true, true
			cd.note("limit", text)
		case len(doc.Missing) > 0:
			life.Status = result.Partial
		}
	}
}
