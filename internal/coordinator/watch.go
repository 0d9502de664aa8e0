package coordinator

import (
	"context"
	"slices"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/benchd/benchd/internal/archive"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/wire"
)

// watchEvery is how often a watcher is told of what goes on.
const watchEvery = time.Second

// Watch streams the state of a suite, one run after another, until it has ended.
func (c *Coordinator) Watch(req *benchdv1.WatchRequest, stream grpc.ServerStreamingServer[benchdv1.WatchResponse]) error {
	return wire.ToStatus(c.watch(req.GetId(), stream))
}

func (c *Coordinator) watch(id string, stream grpc.ServerStreamingServer[benchdv1.WatchResponse]) error {
	ctx := stream.Context()
	w := &watcher{c: c, id: id, seen: make(map[string]int), over: make(map[string]bool)}
	statuses := make(map[*conductor]int) // lines of each run that it has been told of
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		changed, before := c.change(), w.running
		msg, err := w.look(ctx)
		if err != nil {
			return err
		}
		for _, cd := range []*conductor{before, w.running} {
			if cd != nil {
				statuses[cd] = cd.tellStatuses(msg, statuses[cd])
			}
		}
		if err := stream.Send(msg); err != nil || msg.GetEnded() {
			return err
		}
		var over <-chan struct{}
		if w.running != nil {
			over, changed = w.running.done, nil // what changes elsewhere is nothing to a run that goes on
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-c.life.Done():
			return wire.Errorf(wire.ErrUnreachable, "the coordinator is stopping; the run goes on without it")
		case <-over:
		case <-changed:
		case <-tick.C:
		}
	}
}

// watcher is somebody who watches a suite or run.
type watcher struct {
	c  *Coordinator
	id string

	seen map[string]int  // events of each run that it has been told of
	over map[string]bool // runs of which it has been told all

	running *conductor              // of the run that goes on
	whole   *benchdv1.WatchResponse // what the archive said of the suite then
	eta     record.ETA              // and of the runs after it
}

// look tells how a suite stands now: of the run that is served, else of the one that is next, else of the last.
// The archive is read only when a run has ended or begun.
func (w *watcher) look(ctx context.Context) (*benchdv1.WatchResponse, error) {
	if w.running != nil {
		select {
		case <-w.running.done:
			w.running = nil
		default:
			msg := proto.CloneOf(w.whole)
			w.describe(msg)
			return msg, nil
		}
	}
	suite, runs, err := w.c.results.Find(ctx, w.id)
	if err != nil {
		return nil, err
	}
	runs = record.Standing(runs)
	msg := &benchdv1.WatchResponse{Suite: suite.ID, Runs: uint32(len(runs))}
	current := runs[len(runs)-1]
	for _, r := range slices.Backward(runs) {
		if r.Status.Ended() {
			msg.RunsEnded++
		} else {
			current = r
		}
	}
	msg.Run, msg.Status = current.ID, string(current.Status)
	msg.Ended = int(msg.GetRunsEnded()) == len(runs)
	if len(runs) > 1 {
		msg.CaseName = current.Case
		w.eta = record.NewETA(w.c.config.Reader, suite, runs, current.ID)
	}
	w.whole = proto.CloneOf(msg)
	for _, r := range runs {
		// What a run said last may have come after the last look at it.
		if _, watched := w.seen[r.ID]; r.Status.Ended() && (watched || r.ID == current.ID) && !w.over[r.ID] {
			if err := w.remember(ctx, r.ID, msg); err != nil {
				return nil, err
			}
		}
	}
	if current.Status.Ended() {
		return msg, nil
	}
	// The archive was read before the conductor: only what it says ended has all its events archived.
	if w.running = w.c.conductor(current.ID); w.running != nil {
		w.describe(msg)
		return msg, nil
	}
	msg.WaitingFor = w.c.waitingFor(current.ID)
	if a := record.NewETA(w.c.config.Reader, suite, runs, ""); len(runs) > 1 && a.Known {
		msg.Ahead = durationpb.New(a.After)
	}
	return msg, nil
}

// describe fills in what goes on in the run, and how long the suite takes with it.
func (w *watcher) describe(msg *benchdv1.WatchResponse) {
	w.running.describe(msg, w.seen)
	if left, ok := w.running.suiteLeft(w.eta); ok {
		msg.Ahead = durationpb.New(left)
	}
}

// remember tells of an ended run what its watcher has not heard yet.
func (w *watcher) remember(ctx context.Context, run string, msg *benchdv1.WatchResponse) error {
	events, err := w.c.archive.Events(ctx, run)
	if err != nil {
		return err
	}
	tell(msg, events, 0, run, w.seen)
	w.over[run] = true
	return nil
}

// tell adds those of a run's events that have not been seen; so many come before them.
func tell(msg *benchdv1.WatchResponse, events []archive.Event, before int, run string, seen map[string]int) {
	for _, e := range events[min(max(seen[run]-before, 0), len(events)):] {
		msg.Events = append(msg.Events, &benchdv1.LiveEvent{At: wire.FromTime(e.At), Kind: e.Kind, Text: e.Text})
	}
	seen[run] = max(seen[run], before+len(events))
}

// tellStatuses adds the status lines from a number on, and returns how many there are. They are not archived: of a run
// that has ended its conductor knows them, for as long as somebody watches.
func (cd *conductor) tellStatuses(msg *benchdv1.WatchResponse, from int) int {
	cd.view.Lock()
	defer cd.view.Unlock()
	for _, l := range cd.live.statuses[max(0, from-cd.live.forgotten):] {
		msg.Statuses = append(msg.Statuses, &benchdv1.LiveStatus{Label: cd.run.YCSB.Label, At: wire.FromTime(l.at), Text: l.text})
	}
	return cd.live.forgotten + len(cd.live.statuses)
}

// describe fills in what goes on in a run. Its end is not told before the archive has it.
func (cd *conductor) describe(msg *benchdv1.WatchResponse, seen map[string]int) {
	cd.view.Lock()
	view := cd.live
	cd.view.Unlock()
	msg.Status = string(view.state.Status)
	if view.state.Status.Ended() {
		msg.Status = string(result.Stopping)
	}
	tell(msg, view.events, view.before, cd.id, seen)

	phase, since := view.now(time.Duration(cd.c.clock.Now() - cd.epoch.Load()))
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

// now is the phase that the run is in at an instant of its time, and how long it has been.
func (v *liveView) now(at time.Duration) (*plan.Phase, time.Duration) {
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

func (cd *conductor) liveAgent(sh *lifecycle.Shard, live result.Snapshot) *benchdv1.LiveAgent {
	out := &benchdv1.LiveAgent{Name: sh.Agent, State: string(sh.State), Idle: -1}
	if m := cd.c.roster.Get(sh.Agent); m != nil {
		_, out.Connected = m.Connected()
		now := cd.c.clock.Now()
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
