package conductor

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/coordinator/roster"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
)

// restart is what is unknown after a restart of the coordinator.
type restart struct {
	settled           bool // the run's phase and time are known; false after a restart, until settle
	startUndelivered  bool // perhaps no agent received the segment's start before the restart
	changeUndelivered bool // perhaps no agent received the change-over before the restart
}

// Recover returns the conductor of a run that was in progress when the coordinator stopped, with the archived windows and
// events. Its agents get the grace period to return.
func Recover(config Config, r *record.Run, windows iter.Seq2[*latency.Window, error], events []archive.Event) (*Conductor, error) {
	cd := New(config, r)
	for w, err := range windows {
		if err != nil {
			return nil, fmt.Errorf("read windows of run %s: %w", cd.ID(), err)
		}
		if err := cd.add(w); err != nil {
			cd.c.Logger.Error("recover window", "window", w.ID, "error", err)
		}
		cd.mark(w)
		cd.Progress().admission.admit(w, 0)
	}
	cd.Progress().addEvents(events...)
	cd.restart.settled = r.State.Epoch == 0
	cd.restart.startUndelivered = !cd.restart.settled && !startDelivered(r, &cd.windows)
	cd.restart.changeUndelivered = !cd.restart.settled && !cd.changeover.delivered(&cd.windows)
	cd.mail.post(cd.recovered)
	return cd, nil
}

// recovered is the first step of the loop of a recovered run.
func (cd *Conductor) recovered() {
	life := cd.run.State.Life
	cd.timeline.note("coordinator", "the coordinator was restarted or replaced")
	for i, sh := range life.Shards {
		for _, e := range sh.Ended {
			cd.checkMerged(i, e.Phase)
		}
		if life.Status.Ended() {
			return
		}
		if sh.Held() {
			cd.disconnected(i)
		}
	}
	cd.execute(life.Recover())
	cd.actions.Recover()
}

// startDelivered reports whether an agent is known to have received the start of the current segment.
func startDelivered(r *record.Run, safe *windows) bool {
	life := r.State.Life
	if len(r.State.Sends) > 0 || !slices.ContainsFunc(life.Shards, func(sh lifecycle.Shard) bool { return sh.State == lifecycle.Busy }) {
		return true
	}
	if safe.anyOf(life.InSegment) {
		return true
	}
	return slices.ContainsFunc(life.Shards, func(sh lifecycle.Shard) bool {
		return slices.ContainsFunc(sh.Ended, func(e lifecycle.Ended) bool { return life.InSegment(e.Phase) })
	})
}

// anchor restores the run's time from the first agent that returns after a restart of the coordinator: agents keep it in
// their own clocks, and our clock may have been set in between.
func (cd *Conductor) anchor(m *roster.Agent, held *benchdv1.HeldShard) {
	line := held.GetTimebase()
	if cd.base.anchored.Load() || line == nil || cd.base.epoch.Load() == 0 {
		return
	}
	now := cd.c.Clock.Now()
	est, ok := m.Estimate(now)
	if !ok {
		return
	}
	before := cd.run.State.Epoch
	cd.timeline.anchorAt(est.Line.Inverse(line.GetAgentNs()) - line.GetRunNs())
	cd.c.Logger.Info("run's time is restored", "agent", m.Name, "moved", time.Duration(cd.run.State.Epoch-before))
}

// settle continues the run after a restart as soon as its state is clear. The first returning agent that has the run's
// time has anchored it; if no agent is left that could have it, our own clock is used. If no agent had received the start
// of the current segment, the segment gets a new start: an instant before the restart would cut the measurement short.
func (cd *Conductor) settle() {
	life := cd.run.State.Life
	if cd.restart.settled || life.Status.Ended() || (cd.restart.startUndelivered || cd.restart.changeUndelivered || !cd.base.anchored.Load()) && len(cd.agents.away) > 0 {
		return
	}
	cd.restart.settled = true
	if !cd.base.anchored.Load() {
		cd.timeline.anchorAt(cd.base.reckoned())
	}
	if cd.restart.startUndelivered && life.Status == result.Running {
		cd.fix(life.Phase)
		cd.archiver.persist(cd.c.Life)
	}
	if cd.restart.changeUndelivered && life.Status == result.Running {
		cd.changeover.postpone()
		cd.archiver.persist(cd.c.Life)
	}
	cd.start(life.Phase)
	if life.Joined > life.Phase {
		cd.start(life.Joined)
	}
}
