package coordinator

import (
	"context"
	"sync"
	"time"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/wire"
)

const (
	// startLead is how far ahead a start is announced; agents whose round trips are long get more.
	startLead = 300 * time.Millisecond
	// clocksWithin bounds the probing before a start.
	clocksWithin = 5 * time.Second
)

// execute carries commands out.
func (cd *conductor) execute(commands []lifecycle.Command) {
	for _, c := range commands {
		switch c := c.(type) {
		case lifecycle.Prepare:
			cd.prepare(c.Shard)
		case lifecycle.Probe:
			cd.probe()
		case lifecycle.Start:
			cd.start(c.Phase)
		case lifecycle.Restart:
			cd.tellStart(c.Shard, c.Phase)
		case lifecycle.Stop:
			cd.send(c.Shard, &benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Stop{
				Stop: &benchdv1.Stop{Id: cd.shardID(c.Shard), Reason: c.Reason},
			}})
		case lifecycle.Release:
			cd.release(c.Shard)
		case lifecycle.Arm:
			cd.arm(c.Timer, c.After)
		case lifecycle.Note: // written when the state was archived
		case lifecycle.Seal:
			cd.seal()
		}
	}
}

func (cd *conductor) shardID(shard int) *benchdv1.ShardId {
	return wire.FromShard(cd.id, shard, cd.run.record.Life.Shards[shard].Attempt)
}

// prepare hands a shard out. The first shard's agent is the steward.
func (cd *conductor) prepare(shard int) {
	if cd.shards == nil {
		var err error
		if cd.shards, err = cd.run.shards(); err != nil {
			cd.step(lifecycle.Prepared{Shard: shard, Error: err.Error()})
			return
		}
	}
	cd.send(shard, &benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Prepare{
		Prepare: wire.FromPlan(cd.shards[shard], shard == 0),
	}})
}

// probe measures the clocks of all live agents, then says so.
func (cd *conductor) probe() {
	ctx, cancel := context.WithTimeout(cd.c.life, clocksWithin)
	var wg sync.WaitGroup
	for i, sh := range cd.run.record.Life.Shards {
		if sh.State == lifecycle.Gone {
			continue
		}
		if m := cd.member(i); m != nil {
			if s, ok := m.connected(); ok {
				wg.Go(func() { s.burst(ctx) })
			}
		}
	}
	cd.c.task(func() {
		defer cancel()
		wg.Wait()
		cd.post(func() { cd.step(lifecycle.ClocksKnown{}) })
	})
}

// start fixes the instant at which a segment begins, and tells all live agents.
func (cd *conductor) start(phase int) {
	rec := &cd.run.record
	lead := startLead
	now := cd.c.clock.Now()
	for i, sh := range rec.Life.Shards {
		if m := cd.member(i); m != nil && sh.State != lifecycle.Gone {
			if est, ok := m.estimate(now); ok {
				lead = max(lead, 10*time.Duration(est.Bound))
			}
		}
	}
	if rec.Epoch == 0 {
		rec.Epoch = now + int64(lead)
		cd.epoch.Store(rec.Epoch)
		cd.anchored.Store(true)
		rec.Begun = make(map[plan.PhaseName]time.Duration)
	}
	rec.Begun[rec.Life.Phases[phase].Name] = time.Duration(now + int64(lead) - rec.Epoch)
	rec.Sends = nil // the skew that counts is that of the last start
	cd.note("phase", string(rec.Life.Phases[phase].Name)+" starts")
	cd.persist(cd.c.life)
	for i, sh := range rec.Life.Shards {
		if sh.State != lifecycle.Gone {
			cd.tellStart(i, phase)
		}
	}
}

// tellStart tells one agent when a phase begins, in its own clock.
func (cd *conductor) tellStart(shard, phase int) {
	m := cd.member(shard)
	if m == nil || phase < 0 {
		return
	}
	name := cd.run.phases[phase].Name
	at, ok := cd.run.record.Begun[name]
	line, known := cd.line(m)
	if !ok || !known {
		return // it is told when its clock is known: see probed
	}
	cd.send(shard, &benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Start{Start: &benchdv1.Start{
		Id: cd.shardID(shard), Phase: string(name), AtRunNs: int64(at), Timebase: wire.FromLine(cd.id, line),
	}}})
}

func (cd *conductor) release(shard int) {
	cd.send(shard, &benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Release{
		Release: &benchdv1.Release{Id: cd.shardID(shard)},
	}})
	if m := cd.member(shard); m != nil && m.serving() == cd.id {
		m.serve("")
	}
}

func (cd *conductor) arm(timer lifecycle.Timer, after time.Duration) {
	if t := cd.timers[timer]; t != nil {
		t.Stop()
	}
	cd.timers[timer] = time.AfterFunc(after, func() {
		cd.post(func() { cd.step(lifecycle.Fired{Timer: timer}) })
	})
}

// seal ends the run. One whose shards all ended can still lack windows that never came, or have violated a
// limit too quickly to be stopped by it.
func (cd *conductor) seal() {
	cd.run.archived.Ended = time.Unix(0, cd.c.clock.Now())
	cd.sealed = true
	life := cd.run.record.Life
	if life.Status == result.Complete || life.Status == result.Partial {
		doc, err := cd.builder.Document(cd.run.header(cd.c.config.Version), result.Notes{})
		switch text := violations(cd.run.settings.Limits, doc.Phases); {
		case err != nil:
			life.Status, life.Reason = result.Failed, err.Error()
		case text != "":
			life.Status, life.Reason, life.Failed, life.Violated = result.Failed, text, true, true
			cd.note("limit", text)
		case len(doc.Missing) > 0:
			life.Status = result.Partial
		}
	}
	cd.persist(cd.c.life)
}
