package load

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/rawio"
	"github.com/benchd/benchd/internal/workload"
)

var errNoReason = errors.New("the target gave no reason")

// firm is how long before its end a window's end is final, even if the time base is adjusted.
const firm = 50 * time.Millisecond

// closingWithin bounds how long sessions may take to close after the last operation, and to open again.
const closingWithin = time.Minute

// run starts the workers, cuts windows until they have joined, and ends the segment.
func (s *segment) run() {
	if !s.r.cfg.KnownIO && !s.r.cfg.PlainTimers {
		stop := rawio.Beat()
		defer stop()
	}
	var workers sync.WaitGroup
	s.r.retries() // discard the retries before the segment
	for _, w := range s.workers {
		workers.Go(w.run)
	}
	c := newCutter(s)
	joined := make(chan struct{})
	go func() {
		workers.Wait()
		if slices.ContainsFunc(s.workers, (*worker).buffering) {
			c.closed = s.endSessions() // the phase lasts until their buffers are sent
		}
		close(joined)
	}()
	c.cut(joined)
	<-joined
	s.wake()
	s.giveUp(nil)

	within, cancel := context.WithTimeout(context.Background(), closingWithin)
	defer cancel()
	err := errors.Join(s.gaveUp(), c.closed, s.r.turnOver(within))
	s.r.advance()
	c.end(err)
}

// gaveUp returns why workers ended before their work was complete.
func (s *segment) gaveUp() error {
	var first error
	others := 0
	for _, w := range s.workers {
		switch {
		case w.err == nil:
		case first == nil:
			first = w.err
		default:
			others++
		}
	}
	if others > 0 {
		return fmt.Errorf("%w (and %d more workers)", first, others)
	}
	return first
}

// cutter cuts windows. It belongs to the segment's goroutine.
type cutter struct {
	s     *segment
	timer *time.Timer

	phase int   // index of the phase that is being cut
	begin int64 // run: where it began
	last  int64 // run: where its last window ended
	seq   int   // of its next window

	next      int64 // run: where the current window ends
	planned   int64 // run: the same, as set in the recorder and the workers
	nextLocal int64 // the same by the agent's clock, as set in the recorder

	before      count  // in earlier phases
	all         count  // in all phases
	rows, bytes uint64 // in all phases
	groups      []groupCount
	reported    bool  // the first operation
	closed      error // error of the sessions' end
}

// count has the numbers of issued and recorded operations. An operation in flight at a change-over is issued in one phase
// and recorded in the next.
type count struct{ issued, recorded uint64 }

func newCutter(s *segment) *cutter {
	timer := time.NewTimer(0)
	<-timer.C
	c := &cutter{s: s, timer: timer, nextLocal: never, planned: never, groups: make([]groupCount, len(s.groups))}
	// A successor, or an agent that received the start too late, begins in the middle: no window covers the time before.
	c.last = s.taken
	if s.r.cfg.Shard.Attempt <= 1 {
		interval := int64(s.r.cfg.Settings.Interval)
		c.last = max(0, s.runTime(s.now())/interval*interval)
	}
	c.last = min(c.last, s.endRun.Load())
	return c
}

// cut cuts windows until the workers have joined.
func (c *cutter) cut(joined <-chan struct{}) {
	s := c.s
	sent := s.sent
	defer c.timer.Stop()
	for {
		c.plan()
		select {
		case <-joined:
			c.finish()
			return
		default:
		}
		wait := time.Duration(c.nextLocal - s.now())
		if wait <= 0 {
			if c.boundary() {
				c.tail(joined)
				return
			}
			continue
		}
		// No wait is longer than a second, so that the plan follows the time base.
		c.timer.Reset(min(wait, time.Second))
		select {
		case <-c.timer.C:
		case <-s.changed:
		case <-joined:
		case <-sent:
			sent = nil
			c.started()
		}
	}
}

// started reports the first operation once it was sent.
func (c *cutter) started() {
	first := c.s.firstAt.Load()
	if c.reported || first == never {
		return
	}
	c.reported = true
	c.s.party.settle() // the next call takes longer than a first operation, and other workers wait for theirs
	c.s.r.cfg.Health() // discard the load before the phase
	c.s.r.cfg.Started(c.s.phases[0].Name, c.s.anchor+first)
}

// plan computes where the current window ends, and sets that in the recorder.
func (c *cutter) plan() {
	s := c.s
	s.refresh()
	interval := int64(s.r.cfg.Settings.Interval)
	c.next = c.begin + ((c.last-c.begin)/interval+1)*interval
	stop := s.endRun.Load()
	if n := c.nextPhase(); n < stop {
		stop = max(n, c.last) // after a late announcement the phase begins with the next window
	}
	c.next = max(c.last, min(c.next, stop))
	local := s.local(c.next)
	if diff := local - c.nextLocal; -1000 < diff && diff < 1000 {
		return // the time base has not moved by a microsecond
	}
	if c.planned == c.next && c.nextLocal-s.now() < int64(firm) && !s.stopping() {
		return // so close to the end, workers may have read it already
	}
	c.planned = c.next
	c.nextLocal = local
	s.cutAt.Store(local)
	bounds := latency.Bounds{Start: local, Every: interval}
	if stop > c.next && stop != never {
		bounds.Stop = s.local(stop)
	}
	s.recorder.SetBounds(bounds)
}

// nextPhase returns the start of the phase that joins this one.
func (c *cutter) nextPhase() int64 {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	if c.phase+1 < len(c.s.begins) {
		return c.s.begins[c.phase+1]
	}
	return never
}

// boundary cuts the window that ends at next, and reports whether that is the segment's end.
func (c *cutter) boundary() (over bool) {
	s := c.s
	end := c.next >= s.endRun.Load()
	turn := !end && c.next >= c.nextPhase()
	if c.next > c.last || turn {
		c.window(c.next, c.nextLocal, false, turn)
	}
	if turn {
		c.over(false, nil)
		c.phase++
		c.begin = c.next
		if at := c.startOf(c.phase); at < c.begin {
			c.begin = at
		}
		c.seq = 0
		c.before = c.all
		for i := range c.groups {
			c.groups[i].before = c.groups[i].all
		}
	}
	return end
}

func (c *cutter) startOf(phase int) int64 {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	return c.s.begins[phase]
}

// tail waits for operations in flight at the end, and cuts the window of these.
func (c *cutter) tail(joined <-chan struct{}) {
	s := c.s
	timer := time.NewTimer(s.patience())
	defer timer.Stop()
	for {
		select {
		case <-joined:
			c.lastWindow(max(c.last, s.runTime(s.now())), true)
			return
		case <-s.changed:
			timer.Reset(s.patience())
		case <-timer.C:
			s.abort(errOverdue)
		}
	}
}

// finish cuts the last window when the workers have joined before the cutter reached the end: their work is complete, or
// the end came between two operations.
func (c *cutter) finish() {
	s := c.s
	lastDone := c.last
	if last := s.lastDone(); last >= 0 {
		lastDone = max(lastDone, s.runTime(last))
	}
	end := s.endRun.Load()
	// The workers read the end by the agent's clock. In the run's time it may be a moment away, if the time base was adjusted
	// since, or by rounding.
	if !s.ranOut.Load() && end > max(0, s.runTime(s.now())) {
		for c.next < lastDone {
			c.boundary()
			c.plan()
		}
		c.lastWindow(lastDone, false)
		return
	}
	for c.next < end {
		c.boundary()
		c.plan()
	}
	c.boundary()
	c.lastWindow(max(c.last, lastDone), true)
}

// lastWindow ends the sessions, unless they were ended to send their buffers, and cuts the segment's last window, which
// records how long that took. The phase does not include that time: it ends with its last operation.
func (c *cutter) lastWindow(end int64, tail bool) {
	c.closed = errors.Join(c.closed, c.s.endSessions())
	c.window(end, never, tail, true)
}

// endSessions ends the open sessions. The workers have joined.
func (s *segment) endSessions() error {
	within, cancel := context.WithTimeout(context.Background(), closingWithin)
	defer cancel()
	return endAll(s.r.takeSessions(), func(worker int, session Session) error { return s.cleanUp(within, worker, session) })
}

// cleanUp ends a session and records how long that took, and the writes in its buffer. The session's worker has joined.
func (s *segment) cleanUp(ctx context.Context, worker int, session Session) error {
	began := s.now()
	out := workload.Outcome{Code: workload.OK}
	if out.Err = session.Close(ctx); out.Err != nil {
		out.Code = workload.Error
	}
	w := s.workers[worker]
	w.note(w.g.catalog.cleanup, out, s.now(), began, began)
	w.noteStages()
	switch lost := w.settle(w.lost(out.Err)); {
	case lost == nil:
		return out.Err
	case w.forgives():
		return nil // each is recorded as a failure
	default:
		return cmp.Or(out.Err, lost)
	}
}

// lastDone returns when the last operation was done; -1 for none. The workers have joined.
func (s *segment) lastDone() int64 {
	last := int64(-1)
	for _, w := range s.workers {
		last = max(last, w.lastDone)
	}
	return last
}

// window cuts the window that ends at end, in run time; local is the same instant by the agent's clock, or never for all
// remaining samples.
func (c *cutter) window(end, local int64, tail, last bool) {
	s := c.s
	c.started()
	w := &latency.Window{
		ID: latency.WindowID{
			Run: s.r.cfg.Shard.Run, Phase: string(s.phases[c.phase].Name),
			Shard: s.r.cfg.Shard.Index, Attempt: s.r.cfg.Shard.Attempt, Seq: c.seq,
		},
		Start: time.Duration(c.last - c.begin), End: time.Duration(end - c.begin),
		Tail: tail, Last: last,
	}
	if s.inserts() {
		w.Watermark = s.inserter().shard.Watermark()
	}
	c.take(w, local)
	c.all.recorded += latency.Ops(w.Series)
	c.counters(w)
	w.Issued, w.Recorded = c.all.issued-c.before.issued, c.all.recorded-c.before.recorded
	w.Samples = s.samples.take()
	c.last, c.seq = end, c.seq+1
	c.log(w, end)
	s.r.cfg.Emit(w)
}

// take takes the recorded samples of the window. A buffer whose rows are being counted is in this window or in the next.
func (c *cutter) take(w *latency.Window, local int64) {
	s := c.s
	if !s.load {
		w.Series, w.Lateness = s.recorder.CutWindow(local)
		return
	}
	for _, worker := range s.workers {
		worker.loaded.settling.Lock()
	}
	c.loaded(w, local)
	w.Series, w.Lateness = s.recorder.CutWindow(local)
	for _, worker := range s.workers {
		worker.loaded.settling.Unlock()
	}
}

// loaded records the progress of a load's workers at the window's end, and how many rows they had written.
func (c *cutter) loaded(w *latency.Window, local int64) {
	w.Loaded = make([]int64, len(c.s.workers))
	var rows uint64
	for i, worker := range c.s.workers {
		row, written := worker.loaded.at(local)
		w.Loaded[i] = row
		rows += uint64(written)
	}
	w.Rows = rows - c.rows
	c.rows = rows
}

// counters adds the counters of the workers, and the machine's load.
func (c *cutter) counters(w *latency.Window) {
	s := c.s
	w.Health = s.r.cfg.Health()
	w.Retries = s.r.retries()
	for _, g := range s.groups {
		w.Health.Backlog += g.backlog.at(c.begin+int64(w.End), g.issued(), uint64(s.most))
	}
	c.groupCounts(w)
	var issued, rows, bytes uint64
	for _, worker := range s.workers {
		n := &worker.counts
		issued += n.issued.Load()
		rows += n.rows.Load()
		bytes += n.bytes.Load()
		w.Health.LateSends += n.late.Swap(0)
		w.Health.LateMax = max(w.Health.LateMax, time.Duration(n.lateMax.Swap(0)))
	}
	w.Bytes = bytes - c.bytes
	c.bytes, c.all.issued = bytes, issued
	if !s.load {
		w.Rows = rows - c.rows
		c.rows = rows
	}
}

// over reports the end of the current phase.
func (c *cutter) over(final bool, err error) {
	s := c.s
	end := PhaseEnd{
		Phase: s.phases[c.phase].Name, At: time.Duration(c.last - c.begin), Windows: c.seq,
		Issued: c.all.issued - c.before.issued, Recorded: c.all.recorded - c.before.recorded, Final: final, Err: err,
	}
	if final {
		end.At = 0
		if last := s.lastDone(); last >= 0 {
			end.At = max(0, time.Duration(s.runTime(last)-c.begin))
		}
		end.Left = s.left()
		if !s.load {
			end.InsertedBelow, end.InsertedRows = s.inserter().shard.InsertedBelow(), s.inserter().shard.InsertedRows()
		}
	}
	s.r.cfg.Ended(end)
}

// end reports the segment's end.
func (c *cutter) end(err error) { c.over(true, err) }

// log logs when a window ended by the machine's clock, which may differ from the agent's: so the boundaries of several
// agents on one machine can be compared.
func (c *cutter) log(w *latency.Window, end int64) {
	s := c.s
	if !s.r.cfg.Logger.Enabled(context.Background(), slog.LevelDebug) {
		return
	}
	machine := time.Now().UnixNano() - (s.now() - s.local(end))
	s.r.cfg.Logger.Debug("window cut", "phase", w.ID.Phase, "seq", w.ID.Seq,
		"machine_time_ns", machine, "end", w.End, "ops", latency.Ops(w.Series), "tail", w.Tail, "last", w.Last)
}
