package conductor

import (
	"slices"
	"sync"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/benchd/benchd/internal/archive"
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

// view is what watchers and sessions see of a run. The loop replaces it part by part.
type view struct {
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
func (v *view) now() liveView {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.live
}

// begun reports whether there is something to see.
func (v *view) begun() bool { return v.now().state != nil }

// setState shows how far the run's life is.
func (v *view) setState(state *lifecycle.State) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.live.state = state
}

// publish shows what was measured until now.
func (v *view) publish(live result.Snapshot, began map[plan.PhaseName]time.Duration, steady string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.live.live, v.live.began, v.live.steady = live, began, steady
}

// addEvents shows events.
func (v *view) addEvents(events ...archive.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.live.events = append(v.live.events, events...)
	if n := len(v.live.events) - maxEvents; n > maxEvents {
		v.live.events = slices.Clone(v.live.events[n:]) // watchers may still read the old ones
		v.live.before += n
	}
}

// replaceEvent shows another event in the place of one, if that is still shown.
func (v *view) replaceEvent(before, after archive.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if i := slices.Index(v.live.events, before); i >= 0 {
		v.live.events = slices.Clone(v.live.events) // watchers may still read the old ones
		v.live.events[i] = after
	}
}

// addStatuses shows status lines.
func (v *view) addStatuses(lines []statusLine) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.live.statuses = append(v.live.statuses, lines...)
	if extra := len(v.live.statuses) - maxStatuses; extra > 0 {
		v.live.statuses = slices.Clone(v.live.statuses[extra:])
		v.live.forgotten += extra
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
func (cd *Conductor) Holds(agent string, id latency.WindowID) bool {
	state := cd.view.now().state
	shards := state.Shards
	return !state.Status.Ended() &&
		slices.ContainsFunc(state.Phases, func(p plan.Phase) bool { return string(p.Name) == id.Phase }) &&
		id.Shard < len(shards) && shards[id.Shard].Agent == agent && shards[id.Shard].Attempt == id.Attempt
}

// SuiteLeft is how long the suite still takes with what is left of this run.
func (cd *Conductor) SuiteLeft(eta record.ETA) (time.Duration, bool) {
	view := cd.view.now()
	left, known := view.left(cd.base.elapsed())
	return eta.With(cd.run.Archived.Case, left, known)
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
func (cd *Conductor) AddStatuses(msg *benchdv1.WatchResponse, from int) int {
	view := cd.view.now()
	for _, l := range view.statuses[max(0, from-view.forgotten):] {
		msg.Statuses = append(msg.Statuses, &benchdv1.LiveStatus{Label: cd.run.YCSB.Label, At: wire.FromTime(l.at), Text: l.text})
	}
	return view.forgotten + len(view.statuses)
}

// Describe fills in what goes on in a run. Its end is not shown before the archive has it.
func (cd *Conductor) Describe(msg *benchdv1.WatchResponse, seen map[string]int) {
	view := cd.view.now()
	msg.Status = string(view.state.Status)
	if view.state.Status.Ended() {
		msg.Status = string(result.Stopping)
	}
	AddEvents(msg, view.events, view.before, cd.id, seen)

	phase, since := view.phase(cd.base.elapsed())
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
		msg.Agents = append(msg.Agents, cd.liveAgent(&view.state.Shards[i], view.live))
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

func (cd *Conductor) liveAgent(sh *lifecycle.Shard, live result.Snapshot) *benchdv1.LiveAgent {
	out := &benchdv1.LiveAgent{Name: sh.Agent, State: string(sh.State), Idle: -1}
	if m := cd.c.Roster.Get(sh.Agent); m != nil {
		_, out.Connected = m.Connected()
		now := cd.c.Clock.Now()
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
