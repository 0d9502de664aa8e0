package load

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/pacing"
	"github.com/benchd/benchd/internal/plan"
)

// never is an instant that does not come.
const never = math.MaxInt64

var (
	errAborted = errors.New("operation cancelled: the agent waits no longer")
	errOverdue = errors.New("operation cancelled: it was in flight for too long after the end")
)

// segment is a phase with those that join it: work without a break.
//
// It uses two times, both counted from its start. A worker uses the agent's clock ("local"), because that is cheap to
// read. Windows, phases and schedules use the run's time ("run"), because that is the same on all agents.
type segment struct {
	r      *Runner
	phases []plan.Phase
	load   bool

	groups   []*group
	keys     []latency.Key // of the series of all groups
	party    *party        // at the gate
	workers  []*worker     // of all groups
	recorder *latency.Recorder

	base   *clock.Timebase
	zero   int64 // the start in run time
	anchor int64 // the start by the agent's clock
	taken  int64 // run: when this attempt at the shard started, in the middle of the phase; 0 for the first attempt

	// Workers read these before every operation.
	endRun     atomic.Int64 // run: no operation is intended at or after it
	endAt      atomic.Int64 // local: no operation is sent at or after it
	countedRun atomic.Int64 // run: from when on operations count against the last phase's number
	counted    atomic.Int64 // local: the same
	firstAt    atomic.Int64 // local: when the first operation was sent
	ranOut     atomic.Bool  // a worker ended because the segment's time was over
	cutAt      atomic.Int64 // local: where the current window ends
	_          [64]byte
	claims     atomic.Int64 // open loop: operations left to claim; written with each operation
	_          [64]byte
	most       int64 // open loop: total number of operations, if there is one and no warm-up
	late       bool  // open loop: the start of the phase with the number is announced while workers work

	waiting context.Context //nolint:containedctx // of waits between operations; ends with a stop
	wake    context.CancelFunc
	flight  context.Context //nolint:containedctx // of operations; ends when they are cancelled
	giveUp  context.CancelCauseFunc

	changed chan struct{} // holds a token when the plan has changed
	sent    chan struct{} // closed when the first operation is sent
	first   sync.Once
	done    chan struct{} // closed when the segment is over; nil before start

	samples samples

	mu     sync.Mutex
	begins []int64    // run: when each phase starts; never for unknown ones
	hurry  bool       // it was asked to stop
	order  *stopOrder // why it ends early; nil when the stop came after the end
}

// prepare builds everything that can be built before the start.
func (s *segment) prepare() error {
	shard := &s.r.cfg.Shard
	groups := s.r.cfg.Settings.GroupsIn(s.phases[0].Name)
	workers := make([][]int, len(groups)) // by group and shard
	for i := range groups {
		var err error
		if workers[i], err = plan.Workers(groups[i].Settings, shard.Count); err != nil {
			return fmt.Errorf("spread workers: %w", err)
		}
		g, err := s.newGroup(&groups[i], s.keys, workers[i])
		if err != nil {
			return err
		}
		s.groups, s.keys = append(s.groups, g), g.catalog.keys
	}
	s.recorder = latency.NewRecorder(s.keys, shard.Workers)
	s.samples.init(s.keys)
	open := make([]bool, len(s.keys))
	for i, g := range s.groups {
		for k := g.catalog.first; k < len(g.catalog.keys); k++ {
			open[k] = g.schedule != nil
		}
		s.addWorkers(g, workers[i])
	}
	if slices.Contains(open, true) {
		s.recorder.KeepLateness(open)
	}
	return nil
}

// addWorkers makes the workers of a group; workers are their numbers in all shards.
func (s *segment) addWorkers(g *group, workers []int) {
	all := 0
	for _, n := range workers {
		all += n
	}
	shard := &s.r.cfg.Shard
	for i := range workers[shard.Index] {
		w := newWorker(s, g, len(s.workers), i)
		if s.load && shard.Loaded != nil {
			w.gen.GoOn(shard.Loaded[i])
		}
		if s.r.replay != nil {
			w.replays(s.r.replay, s.load)
		}
		w.loaded.begin(w.gen, int64(s.r.cfg.Settings.Interval))
		w.pace = pacing.NewThrottle(g.settings.PacingOf(s.phases[0].Name), shard.Index, i, all, g.settings.Workload.Seed)
		g.workers = append(g.workers, w)
		s.workers = append(s.workers, w)
	}
}

// running reports whether the segment was started and is not over.
func (s *segment) running() bool {
	if s.done == nil {
		return false
	}
	select {
	case <-s.done:
		return false
	default:
		return true
	}
}

// start makes the workers wait for the start.
func (s *segment) start(at int64, base *clock.Timebase, sessions []Session, stopped *stopOrder) {
	s.base, s.zero, s.anchor = base, at, base.Local(at)
	if s.r.cfg.Shard.Attempt > 1 {
		s.skipTo(max(0, s.runTime(s.now())))
	}
	s.begins = make([]int64, len(s.phases))
	for i := 1; i < len(s.begins); i++ {
		s.begins[i] = never
	}
	s.endRun.Store(never)
	s.firstAt.Store(never)
	s.cutAt.Store(never)
	s.claims.Store(never)
	s.most = never
	if s.last().Ops > 0 && !s.load {
		own := s.groups[0].shard.EvenShare(s.last().Ops)
		s.claims.Store(own)
		if len(s.phases) == 1 && s.r.replay == nil {
			s.most = own
		}
		s.late = len(s.phases) > 1 && s.phases[len(s.phases)-2].Announced()
	}
	s.waiting, s.wake = context.WithCancel(context.Background())
	s.flight, s.giveUp = context.WithCancelCause(context.Background())
	s.changed = make(chan struct{}, 1)
	s.sent = make(chan struct{})
	s.done = make(chan struct{})

	s.mu.Lock()
	s.schedulePhases()
	s.mu.Unlock()
	s.refresh()
	if stopped != nil {
		s.stop(*stopped)
	}
	if tap := s.r.cfg.Tap; tap != nil {
		s.recorder.Tap(tap(s.phases[0].Name, s.keys, func(done int64) int64 { return s.zero + s.runTime(done) }))
	}
	brisk := 0
	for i, w := range s.workers {
		w.session = sessions[i]
		w.buffers, _ = sessions[i].(Buffering)
		w.staged, _ = sessions[i].(StagedSession)
		if placed, ok := sessions[i].(Placed); ok {
			w.gen.Place(placed.Place)
		}
		if w.counted = w.g.schedule == nil && w.pace == nil; w.counted {
			brisk++
		}
	}
	s.party = s.r.cfg.Gate.enter(time.Now().Add(time.Duration(max(0, -s.now()))), brisk)
	s.r.work.Go(func() {
		defer close(s.done)
		s.run()
	})
}

// skipTo starts the segment in the middle: operations intended before, while the shard had no agent, are skipped.
func (s *segment) skipTo(at int64) {
	s.taken = at
	before := time.Duration(at)
	for _, g := range s.groups {
		if g.schedule != nil {
			g.schedule.Skip(before)
			g.backlog.schedule.Skip(before)
		}
	}
	for _, w := range s.workers {
		switch {
		case w.player != nil:
			w.err = w.player.Skip(before)
		case w.pace != nil:
			w.pace.Skip(before)
		}
	}
}

// inserts reports whether the segment inserts rows while it may read others.
func (s *segment) inserts() bool { return !s.load && s.inserter().inserts() }

// last returns the phase that ends the segment, whose number of operations counts.
func (s *segment) last() plan.Phase { return s.phases[len(s.phases)-1] }

// schedulePhases derives the ends of phases from the known starts: a phase of a given length ends where the next one
// starts, or ends the segment. The caller holds mu.
func (s *segment) schedulePhases() {
	for i, p := range s.phases {
		begin := s.begins[i]
		if begin == never || p.Duration <= 0 {
			continue
		}
		if i+1 == len(s.phases) {
			s.endRun.Store(min(s.endRun.Load(), begin+int64(p.Duration)))
		} else if s.begins[i+1] == never && !p.Announced() {
			s.begins[i+1] = begin + int64(p.Duration)
		}
	}
}

// refresh maps the plan to the agent's clock again, after an adjustment of the time base.
func (s *segment) refresh() {
	s.mu.Lock()
	defer s.mu.Unlock()
	counted := s.begins[len(s.begins)-1]
	s.countedRun.Store(counted)
	s.counted.Store(s.local(counted))
	if !s.hurry { // a stop has set endAt itself, to an instant that has passed
		s.endAt.Store(s.local(s.endRun.Load()))
	}
}

// join sets the start of a phase that joins the one before it.
func (s *segment) join(n int, at int64) error {
	if !s.running() {
		return ErrOrder
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.begins[n] == never {
		s.begins[n] = max(0, at-s.zero)
		s.schedulePhases()
		s.announce()
	}
	return nil
}

// stop ends the segment now, or, when its planned end has passed, hurries the unfinished workers.
func (s *segment) stop(order stopOrder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hurry {
		return
	}
	s.hurry = true
	now := s.now()
	if end := max(0, s.runTime(now)); end < s.endRun.Load() {
		s.order = &order
		s.endRun.Store(end)
	}
	s.endAt.Store(min(now, s.endAt.Load()))
	s.wake()
	s.announce()
}

// abort cancels operations in flight.
func (s *segment) abort(cause error) {
	s.wake()
	s.giveUp(cause)
}

func (s *segment) announce() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// now returns the agent's clock.
func (s *segment) now() int64 { return s.r.cfg.Clock.Now() - s.anchor }

// over reports whether the segment's time is over at an instant of the agent's clock. Only workers call it, before they end.
func (s *segment) over(now int64) bool {
	if now < s.endAt.Load() {
		return false
	}
	s.ranOut.Store(true)
	return true
}

// local maps run to local.
func (s *segment) local(run int64) int64 {
	if run == never {
		return never
	}
	return s.base.Local(s.zero+run) - s.anchor
}

// run maps local to run.
func (s *segment) runTime(local int64) int64 { return s.base.RunTime(s.anchor+local) - s.zero }

// sentFirst records the first operation; later calls have no effect.
func (s *segment) sentFirst(at int64) {
	for {
		first := s.firstAt.Load()
		if at >= first || s.firstAt.CompareAndSwap(first, at) {
			break
		}
	}
	s.first.Do(func() { close(s.sent) })
}

// stopping reports whether the segment was stopped.
func (s *segment) stopping() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hurry
}

// left returns why the agent itself ended the segment, or "".
func (s *segment) left() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.order != nil && s.order.left {
		return s.order.reason
	}
	return ""
}

// patience returns how long operations in flight may take after the end.
func (s *segment) patience() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hurry {
		return s.r.cfg.StopWithin
	}
	return s.r.cfg.FinishWithin
}
