package conductor

import (
	"log/slog"
	"time"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
)

// publisher publishes the progress of a run, and makes its status lines. It belongs to the conductor's loop.
type publisher struct {
	run        *record.Run
	base       *timebase
	changeover *changeover
	progress   *Progress
	log        *slog.Logger

	status  *status // nil without status lines, and at the end of the run
	renewed bool    // the lifecycle's state has changed since it was published
	stale   bool    // something has changed since it was published
}

// due reports whether there is something to publish at a tick.
func (p *publisher) due() bool { return p.stale || p.status != nil }

// publish publishes the progress of the run.
func (p *publisher) publish(live result.Snapshot) {
	if p.renewed || !p.progress.started() {
		p.progress.setState(p.run.State.Life.Clone())
		p.renewed = false
	}
	began := make(map[plan.PhaseName]time.Duration)
	for _, in := range p.run.Phases {
		if at, ok := p.run.Began(in.Name); ok {
			began[in.Name] = at
		}
	}
	p.showStatus(live)
	p.progress.publish(live, began, p.changeover.progress())
}

// showStatus publishes the status lines that are due.
func (p *publisher) showStatus(live result.Snapshot) {
	if p.status == nil {
		return
	}
	at := p.base.date()
	if p.run.State.Life.Status.Ended() {
		p.progress.addStatuses(p.status.end(at))
		p.status = nil
		return
	}
	phase, elapsed := p.run.PhaseAt(p.base.elapsed())
	if phase == "" {
		return
	}
	if live.Phase != string(phase) {
		live = result.Snapshot{}
	}
	p.progress.addStatuses(p.status.enter(phase, live.Ops, at))
	if p.status.phase == phase {
		p.progress.addStatuses(p.status.advance(elapsed, live.Elapsed, at))
	}
}

// add adds a fresh window to the status lines.
func (p *publisher) add(w *latency.Window) {
	if p.status == nil {
		return
	}
	lines, err := p.status.add(w, p.base.date())
	if err != nil {
		p.log.Error("merge window into status", "window", w.ID, "error", err)
	}
	p.progress.addStatuses(lines)
}
