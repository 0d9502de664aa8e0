package conductor

import (
	"cmp"
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
	// maxEvents is the minimum number of events of a run that are kept for watchers.
	maxEvents = 1000
	// maxStatuses is the maximum number of status lines that are kept for watchers.
	maxStatuses = 1000
)

// Progress is the view of a run for watchers and sessions. The conductor's loop replaces its parts.
type Progress struct {
	run    *record.Run // only its constant fields are read
	base   *timebase
	roster *roster.Roster
	clock  *clock.Source

	admission admission

	mu   sync.Mutex
	live liveView
}

// liveView is a view at an instant. Its parts are immutable.
type liveView struct {
	state  *lifecycle.State
	live   result.Snapshot
	events []archive.Event // of the run; only the newest if there are too many
	before int             // number of older ones that were dropped
	began  map[plan.PhaseName]time.Duration
	steady string // how far a warm-up is from steady

	statuses  []statusLine // the last ones
	forgotten int          // number of older ones that were dropped
}

// now returns the current view.
func (p *Progress) now() liveView {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.live
}

// started reports whether the run has anything to show.
func (p *Progress) started() bool { return p.now().state != nil }

// setState publishes the lifecycle's state.
func (p *Progress) setState(state *lifecycle.State) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.live.state = state
}

// publish publishes the measurements so far.
func (p *Progress) publish(live result.Snapshot, began map[plan.PhaseName]time.Duration, steady string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.live.live, p.live.began, p.live.steady = live, began, steady
}

// addEvents publishes events.
func (p *Progress) addEvents(events ...archive.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.live.events = append(p.live.events, events...)
	if n := len(p.live.events) - maxEvents; n > maxEvents {
		p.live.events = slices.Clone(p.live.events[n:]) // watchers may still read the old ones
		p.live.before += n
	}
}

// replaceEvent replaces a published event, if it is still in the view.
func (p *Progress) replaceEvent(before, after archive.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.live.events, before); i >= 0 {
		p.live.events = slices.Clone(p.live.events) // watchers may still read the old ones
		p.live.events[i] = after
	}
}

// addStatuses publishes status lines.
func (p *Progress) addStatuses(lines []statusLine) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.live.statuses = append(p.live.statuses, lines...)
	if extra := len(p.live.statuses) - maxStatuses; extra > 0 {
		p.live.statuses = slices.Clone(p.live.statuses[extra:])
		p.live.forgotten += extra
	}
}

// phase returns the phase of the run at an instant of its time, and the time since the start of that phase.
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

// left returns the remaining time of the run: the rest of its phase, and the phases after it.
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

// Holds reports whether a window is of a phase and a shard that the process behind a stream holds, or that it has proved to
// inherit: an heir sends its windows before the loop has seen its proof. Windows of a sealed run are refused: its result
// must not change.
func (p *Progress) Holds(s *roster.Session, id latency.WindowID) bool {
	state := p.now().state
	shards := state.Shards
	return !state.Status.Ended() && !p.admission.refuses(attemptOf(id)) &&
		slices.ContainsFunc(state.Phases, func(in plan.Phase) bool { return string(in.Name) == id.Phase }) &&
		id.Shard < len(shards) && shards[id.Shard].Agent == s.Name() && shards[id.Shard].Attempt == id.Attempt &&
		(roster.Same(shards[id.Shard].Boot, s.Boot()) || shards[id.Shard].MayInherit(s.Proof(id), roster.Same))
}

// Serves reports whether the process behind a stream holds a shard, as far as that is published.
func (p *Progress) Serves(s *roster.Session, id *benchdv1.ShardId) bool {
	shards := p.now().state.Shards
	i := int(id.GetShard())
	return i < len(shards) && shards[i].Agent == s.Name() && shards[i].Attempt == int(id.GetAttempt()) && roster.Same(shards[i].Boot, s.Boot())
}

// SuiteLeft returns the remaining time of the suite, including that of this run.
func (p *Progress) SuiteLeft(eta record.ETA) (time.Duration, bool) {
	view := p.now()
	left, known := view.left(p.base.elapsed())
	return eta.With(p.run.Archived.Case, left, known)
}

// AddEvents adds the events of a run that have not been seen to a message. before is the number of events that precede
// the slice.
func AddEvents(msg *benchdv1.WatchResponse, events []archive.Event, before int, run string, seen map[string]int) {
	for _, e := range events[min(max(seen[run]-before, 0), len(events)):] {
		msg.Events = append(msg.Events, &benchdv1.LiveEvent{At: wire.FromTime(e.At), Kind: e.Kind, Text: e.Text})
	}
	seen[run] = max(seen[run], before+len(events))
}

// AddStatuses adds the status lines from number from on to a message, and returns their total number. Status lines are
// not archived: those of an ended run are in its conductor, as long as a client watches.
func (p *Progress) AddStatuses(msg *benchdv1.WatchResponse, from int) int {
	view := p.now()
	for _, l := range view.statuses[max(0, from-view.forgotten):] {
		msg.Statuses = append(msg.Statuses, &benchdv1.LiveStatus{Label: p.run.YCSB.Label, At: wire.FromTime(l.at), Text: l.text})
	}
	return view.forgotten + len(view.statuses)
}

// Describe adds the progress of a run to a message. The end of the run is not shown before it is archived.
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
	// They are in the order of their names.
	if i, found := slices.BinarySearchFunc(live.Agents, sh.Agent, func(a result.AgentSnapshot, name string) int { return cmp.Compare(a.Name, name) }); found {
		a := live.Agents[i]
		out.Rate, out.Idle = a.Rate, a.Idle
		if a.P99 != nil {
			out.P99Us = *a.P99
		}
	}
	return out
}
