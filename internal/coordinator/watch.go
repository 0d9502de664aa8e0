package coordinator

import (
	"context"
	"slices"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/benchd/benchd/internal/archive"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
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
	seen := make(map[string]int) // events of each run that the watcher has been told of
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		changed := c.change()
		msg, running, err := c.look(ctx, id, seen)
		if err != nil {
			return err
		}
		if err := stream.Send(msg); err != nil || msg.GetEnded() {
			return err
		}
		var over <-chan struct{}
		if running != nil {
			over = running.done
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

// look tells how a suite stands now: of the run that is served, else of the one that is next, else of the last.
func (c *Coordinator) look(ctx context.Context, id string, seen map[string]int) (*benchdv1.WatchResponse, *conductor, error) {
	suite, runs, err := c.find(ctx, id)
	if err != nil {
		return nil, nil, err
	}
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
	cd := c.conductor(current.ID)
	switch {
	case cd != nil:
		cd.describe(msg, seen)
	case current.Status.Ended():
		if err := c.remember(ctx, current, msg, seen); err != nil {
			return nil, nil, err
		}
	default:
		msg.WaitingFor = c.waitingFor(current.ID)
	}
	// The archive is read before the conductor: only what it says ended has all its events archived.
	msg.Ended = int(msg.GetRunsEnded()) == len(runs)
	if !msg.GetEnded() && result.Status(msg.GetStatus()).Ended() {
		msg.Status = string(result.Stopping)
	}
	return msg, cd, nil
}

// remember tells of an ended run what its watcher has not heard yet.
func (c *Coordinator) remember(ctx context.Context, archived archive.RunRecord, msg *benchdv1.WatchResponse, seen map[string]int) error {
	events, err := c.archive.Events(ctx, archived.ID)
	if err != nil {
		return err
	}
	tell(msg, events, archived.ID, seen)
	return nil
}

func tell(msg *benchdv1.WatchResponse, events []archive.Event, run string, seen map[string]int) {
	for _, e := range events[min(seen[run], len(events)):] {
		msg.Events = append(msg.Events, &benchdv1.LiveEvent{At: wire.FromTime(e.At), Kind: e.Kind, Text: e.Text})
	}
	seen[run] = max(seen[run], len(events))
}

// describe fills in what goes on in a run.
func (cd *conductor) describe(msg *benchdv1.WatchResponse, seen map[string]int) {
	cd.view.Lock()
	view := cd.live
	cd.view.Unlock()
	msg.Status = string(view.state.Status)
	tell(msg, view.events, cd.id, seen)

	phase, since := view.now(time.Duration(cd.c.clock.Now() - cd.epoch.Load()))
	if phase != nil {
		msg.Phase = string(phase.Name)
		msg.Elapsed = durationpb.New(since)
		if phase.Duration > 0 {
			msg.Planned = durationpb.New(phase.Duration)
		}
		msg.PlannedOps = uint64(max(phase.Ops, 0))
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
	if m := cd.c.roster.get(sh.Agent); m != nil {
		_, out.Connected = m.connected()
		now := cd.c.clock.Now()
		if est, ok := m.estimate(now); ok {
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
