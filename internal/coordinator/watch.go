package coordinator

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/coordinator/conductor"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/search"
	"github.com/benchd/benchd/internal/wire"
)

// watchEvery is how often a watcher gets an update.
const watchEvery = time.Second

// Watch streams the state of a suite, one run after another, until it has ended.
func (c *Coordinator) Watch(req *benchdv1.WatchRequest, stream grpc.ServerStreamingServer[benchdv1.WatchResponse]) error {
	return wire.ToStatus(c.watch(req.GetId(), stream))
}

func (c *Coordinator) watch(id string, stream grpc.ServerStreamingServer[benchdv1.WatchResponse]) error {
	ctx := stream.Context()
	w := &watcher{c: c, id: id, seen: make(map[string]int), over: make(map[string]bool), shown: make(map[string]bool)}
	statuses := make(map[*conductor.Conductor]int) // lines of each run that were sent
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		changed, before := c.change(), w.running
		msg, err := w.look(ctx)
		if err != nil {
			return err
		}
		for _, cd := range []*conductor.Conductor{before, w.running} {
			if cd != nil {
				statuses[cd] = cd.Progress().AddStatuses(msg, statuses[cd])
			}
		}
		if err := stream.Send(msg); err != nil || msg.GetEnded() {
			return err
		}
		var over <-chan struct{}
		if w.running != nil {
			over, changed = w.running.Done(), nil // other changes do not concern a run in progress
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

// watcher is a client that watches a suite or run.
type watcher struct {
	c  *Coordinator
	id string

	seen  map[string]int  // events of each run that were sent
	over  map[string]bool // runs of which all events were sent
	shown map[string]bool // probes whose outcomes were sent

	running *conductor.Conductor    // of the run in progress
	whole   *benchdv1.WatchResponse // the archived state of the suite
	eta     record.ETA              // of the runs after it
}

// look returns the current state of a suite: of the run that is served, else of the next one, else of the last. It reads
// the archive only when a run has started or ended.
func (w *watcher) look(ctx context.Context) (*benchdv1.WatchResponse, error) {
	if w.running != nil {
		select {
		case <-w.running.Done():
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
	if w.id == suite.ID {
		if suite, err = w.c.archive.Suite(ctx, suite.ID); err != nil { // its status must not be older than those of the runs
			return nil, err
		}
	}
	probes, err := w.probes(ctx, suite, runs)
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
	msg.Ended = int(msg.GetRunsEnded()) == len(runs) && (w.id != suite.ID || suite.Status.Ended())
	w.eta = record.ETA{}
	if w.id == suite.ID {
		w.eta = record.NewETA(w.c.config.Reader, suite, runs, current.ID)
		msg.RunsAtMost = uint32(w.eta.RunsAtMost)
	}
	several := len(runs) > 1 || w.eta.RunsAtMost > 1
	if several {
		msg.CaseName = current.Case
	} else {
		w.eta.Known = false
	}
	w.whole = proto.CloneOf(msg)
	for _, r := range runs {
		// The last events of a run may have been added after the last look.
		if _, watched := w.seen[r.ID]; r.Status.Ended() && (watched || r.ID == current.ID) && !w.over[r.ID] {
			if err := w.remember(ctx, r.ID, msg); err != nil {
				return nil, err
			}
		}
	}
	msg.Events = append(msg.Events, probes...)
	if current.Status.Ended() {
		if !msg.GetEnded() { // the next probe of a search is being planned
			msg.Status = string(suite.Status)
		}
		return msg, nil
	}
	// The archive was read before the conductor: only a run that it reports as ended has all its events archived.
	if w.running = w.c.conductor(current.ID); w.running != nil {
		w.describe(msg)
		return msg, nil
	}
	msg.WaitingFor = w.c.waitingFor(current.ID)
	if a := record.NewETA(w.c.config.Reader, suite, runs, ""); several && a.Known {
		msg.Ahead = durationpb.New(a.After)
	}
	return msg, nil
}

// probes returns the outcomes of ended probes that the watcher has not received.
func (w *watcher) probes(ctx context.Context, suite archive.Suite, runs []archive.RunRecord) ([]*benchdv1.LiveEvent, error) {
	planned, err := record.Plan(suite)
	if err != nil || w.id != suite.ID || !planned.Searches() {
		return nil, err
	}
	var events []*benchdv1.LiveEvent
	for _, of := range planned.Cases {
		if of.Search == nil {
			continue
		}
		var ended []archive.RunRecord
		for _, r := range runs {
			if r.Case == of.Name && r.Status.Ended() {
				ended = append(ended, r)
			}
		}
		if !slices.ContainsFunc(ended, func(r archive.RunRecord) bool { return !w.shown[r.ID] }) {
			continue
		}
		found, err := w.c.results.Capacity(ctx, suite, *of.Search, ended)
		if err != nil {
			return nil, err
		}
		at := make(map[string]time.Time)
		for _, r := range ended {
			at[r.ID] = r.Ended
		}
		for i, p := range found.Probes {
			if !w.shown[p.Run] {
				events = append(events, &benchdv1.LiveEvent{At: wire.FromTime(at[p.Run]), Kind: "probe", Text: probeLine(*of.Search, i+1, p.Probe)})
			}
		}
		for _, r := range ended {
			w.shown[r.ID] = true
		}
	}
	return events, nil
}

// probeLine describes what a probe has shown: "probe 5: 12 000 ops/s, kept (p99(READ) 7.1 ms)".
func probeLine(of search.Space, number int, p search.Probe) string {
	unit := "ops/s"
	if of.Vary == search.Threads {
		unit = "threads"
	}
	text := fmt.Sprintf("probe %d: %s %s, %s", number, grouped(p.Value), unit, strings.ReplaceAll(string(p.Outcome), "_", " "))
	if p.Because != "" {
		text += " (" + p.Because + ")"
	}
	return text
}

// grouped writes a number with separated thousands, and its decimals if it has some.
func grouped(v float64) string {
	whole, part := math.Modf(v)
	if part == 0 {
		return result.Thousands(uint64(whole))
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// describe adds the progress of the run, and the time that the suite still takes.
func (w *watcher) describe(msg *benchdv1.WatchResponse) {
	progress := w.running.Progress()
	progress.Describe(msg, w.seen)
	if left, ok := progress.SuiteLeft(w.eta); ok {
		msg.Ahead = durationpb.New(left)
	}
}

// remember adds the events of an ended run that its watcher has not received.
func (w *watcher) remember(ctx context.Context, run string, msg *benchdv1.WatchResponse) error {
	events, err := w.c.archive.Events(ctx, run)
	if err != nil {
		return err
	}
	conductor.AddEvents(msg, events, 0, run, w.seen)
	w.over[run] = true
	return nil
}
