package conductor

import (
	"slices"
	"sync"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/coordinator/roster"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/wire"
)

const (
	// maxEvents is how many events of a run are kept for watchers at least.
	maxEvents = 1000
	// maxStatuses is how many status lines are kept for watchers.
	maxStatuses = 1000
)

// Progress is what watchers and sessions see of a run. The conductor's loop replaces it part by part.
type Progress struct {
	run    *record.Run // of which only what stays is read
	base   *timebase
	roster *roster.Roster
	clock  *clock.Source

	mu   sync.Mutex
	live liveView
}

// liveView is a view at an instant. Its parts are not changed any more.
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

// now is the view.
func (p *Progress) now() liveView {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.live
}

// begun reports whether there is something to see.
func (p *Progress) begun() bool { return p.now().state != nil }

// setState shows how far the run's life is.
func (p *Progress) setState(state *lifecycle.State) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.live.state = state
}

// publish shows what was measured until now.
func (p *Progress) publish(live result.Snapshot, began map[plan.PhaseName]time.Duration, steady string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.live.live, p.live.began, p.live.steady = live, began, steady
}

// addEvents shows events.
func (p *Progress) addEvents(events ...archive.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.live.events = append(p.live.events, events...)
	if n := len(p.live.events) - maxEvents; n > maxEvents {
		p.live.events = slices.Clone(p.live.events[n:]) // watchers may still read the old ones
		p.live.before += n
	}
}

// replaceEvent shows another event in the place of one, if that is still shown.
func (p *Progress) replaceEvent(before, after archive.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.live.events, before); i >= 0 {
		p.live.events = slices.Clone(p.live.events) // watchers may still read the old ones
		p.live.events[i] = after
	}
}

// addStatuses shows status lines.
func (p *Progress) addStatuses(lines []statusLine) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.live.statuses = append(p.live.statuses, lines...)
	if extra := len(p.live.statuses) - maxStatuses; extra > 0 {
		p.live.statuses = slices.Clone(p.live.statuses[extra:])
		p.live.forgotten += extra
	}
}

// phase is the phase that the run is in at an instant of its time, and how long it has been.
func (v *liveView) phase(at time.Duration) (*plan.Phase, time.Duration) {
	var in *plan.Phase
	var since time.Duration
	for i := range v.state.Phases {
		p := &v.state.Phases[i]
		if began, ok := v.began[p.Name]; ok && began <= at {
			in, since = p, at-began
		}
	}
	return in, since
}

// left is how long the run still takes: the rest of its phase, and those after it.
func (v *liveView) left(at time.Duration) (time.Duration, bool) {
	in, since := v.phase(at)
	if in == nil {
		return plan.Length(v.state.Phases)
	}
	var ops uint64
	if v.live.Phase == string(in.Name) {
		ops = v.live.Ops
	}
	_, left, ok := in.Done(since, ops)
	for i := range v.state.Phases {
		if v.state.Phases[i].Name == in.Name {
			rest, bounded := plan.Length(v.state.Phases[i+1:])
			return left + rest, ok && bounded && left >= 0
		}
	}
	return 0, false
}

// Holds reports whether a window is of a phase and a shard that the agent has in hand. Those of a run that is
// sealed are refused: its result must not change.
func (p *Progress) Holds(agent string, id latency.WindowID) bool {
	state := p.now().state
	shards := state.Shards
	return !state.Status.Ended() &&
		slices.ContainsFunc(state.Phases, func(in plan.Phase) bool { return string(in.Name) == id.Phase }) &&
		id.Shard < len(shards) && shards[id.Shard].Agent == agent && shards[id.Shard].Attempt == id.Attempt
}

// SuiteLeft is how long the suite still takes with what is left of this run.
func (p *Progress) SuiteLeft(eta record.ETA) (time.Duration, bool) {
	view := p.now()
	left, known := view.left(p.base.elapsed())
	return eta.With(p.run.Archived.Case, left, known)
}

// AddEvents adds those of a run's events to a view that have not been seen; so many come before them.
func AddEvents(msg *benchdv1.WatchResponse, events []archive.Event, before int, run string, seen map[string]int) {
	for _, e := range events[min(max(seen[run]-before, 0), len(events)):] {
		msg.Events = append(msg.Events, &benchdv1.LiveEvent{At: wire.FromTime(e.At), Kind: e.Kind, Text: e.Text})
	}
	seen[run] = max(seen[run], before+len(events))
}

// AddStatuses adds the status lines from a number on, and returns how many there are. They are not archived: of a run
// that has ended its conductor has them, for as long as somebody watches.
func (p *Progress) AddStatuses(msg *benchdv1.WatchResponse, from int) int {
	view := p.now()
	for _, l := range view.statuses[max(0, from-view.forgotten):] {
		msg.Statuses = append(msg.Statuses, &benchdv1.LiveStatus{Label: p.run.YCSB.Label, At: wire.FromTime(l.at), Text: l.text})
	}
	return view.forgotten + len(view.statuses)
}

// Describe fills in what goes on in a run. Its end is not shown before the archive has it.
func (p *Progress) Describe(msg *benchdv1.WatchResponse, seen map[string]int) {
	view := p.now()
	msg.Status = string(view.state.Status)
	if view.state.Status.Ended() {
		msg.Status = string(result.Stopping)
	}
	AddEvents(msg, view.events, view.before, p.run.Archived.ID, seen)

	phase, since := view.phase(p.base.elapsed())
	if phase != nil {
		msg.Phase = string(phase.Name)
		msg.Elapsed = durationpb.New(since)
		if phase.Duration > 0 {
			msg.Planned = durationpb.New(phase.Duration)
		}
		msg.PlannedOps = uint64(max(phase.Ops, 0))
	}
	if phase != nil && phase.Until != "" {
		msg.Steady = view.steady
	}
	if live := view.live; phase != nil && live.Phase == string(phase.Name) {
		msg.Ops, msg.Rate = live.Ops, live.Rate
		if live.Offered != nil {
			msg.Offered = *live.Offered
		}
		for _, o := range live.Operations {
			msg.Operations = append(msg.Operations, liveOperation(o))
		}
	}
	for i := range view.state.Shards {
		msg.Agents = append(msg.Agents, p.liveAgent(&view.state.Shards[i], view.live))
	}
}

func liveOperation(o result.PointOperation) *benchdv1.LiveOperation {
	out := &benchdv1.LiveOperation{Op: o.Op, Outcome: o.Outcome, Count: o.Count, MaxUs: o.Max}
	if o.P50 != nil {
		out.P50Us = *o.P50
	}
	if o.P99 != nil {
		out.P99Us = *o.P99
	}
	if o.PartOf != nil {
		out.PartOf = *o.PartOf
	}
	return out
}

func (p *Progress) liveAgent(sh *lifecycle.Shard, live result.Snapshot) *benchdv1.LiveAgent {
	out := &benchdv1.LiveAgent{Name: sh.Agent, State: string(sh.State), Idle: -1}
	if m := p.roster.Get(sh.Agent); m != nil {
		_, out.Connected = m.Connected()
		now := p.clock.Now()
		if est, ok := m.Estimate(now); ok {
			out.ClockOffsetMs, out.ClockUncertaintyMs = float64(est.Offset(now))/1e6, est.Bound/1e6
		}
	}
	for _, a := range live.Agents {
		if a.Name == sh.Agent {
			out.Rate, out.Idle = a.Rate, a.Idle
			if a.P99 != nil {
				out.P99Us = *a.P99
			}
		}
	}
	return out
}
