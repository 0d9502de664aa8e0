package load

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/pacing"
	"github.com/benchd/benchd/internal/trace"
	"github.com/benchd/benchd/internal/workload"
)

// slack is the longest wait that is made in one piece. During a wait the agent's clock may drift from the machine's
// timers (and the run's time may be adjusted), so the last hundredth of a longer wait is measured again.
const slack = 100 * time.Millisecond

// maxWait bounds the pieces: the end of the segment may be announced meanwhile.
const maxWait = time.Second

// worker issues operations one after another.
type worker struct {
	s       *segment
	g       *group
	index   int // among the workers of all groups
	number  int // among those of its group
	gen     *workload.Generator
	session Session
	buffers Buffering     // the session, if it may keep writes back
	staged  StagedSession // the session, if its inserts have stages
	use     BufferUse     // what its last operation did with the buffer
	record  *latency.Local
	pace    *pacing.Throttle // nil except in YCSB's throttled closed loop
	alarm   timer

	op, part workload.Op
	player   *trace.Player // yields the operations of a replay; nil otherwise
	rows     *rowsOfTrace  // of a load; nil without a trace
	counted  bool          // the party at the gate waits for its first operation
	counting bool          // operations count against the phase's number of them
	lastDone int64         // local
	err      error         // why the worker ended early

	counts  counts
	loaded  loaded
	pending pending
}

// counts are the counters that a worker exposes while it works. They are on cache lines of their own, because writes of
// others would slow them down.
type counts struct {
	_       [64]byte
	issued  atomic.Uint64 // operations started
	rows    atomic.Uint64
	bytes   atomic.Uint64
	late    atomic.Uint64 // late sends
	lateMax atomic.Int64  // ns
	_       [64]byte
}

// newWorker returns the worker of a segment with an index; number is its index in the group.
func newWorker(s *segment, g *group, index, number int) *worker {
	return &worker{s: s, g: g, index: index, number: number, gen: g.shard.Generator(number), record: s.recorder.Local(index), lastDone: -1}
}

// run works until the segment's end, or until the worker has no more work.
func (w *worker) run() {
	defer w.sends()
	err := w.setTimer()
	defer func() { _ = w.alarm.Close() }() // no wait is left to interrupt
	if err != nil {
		w.giveUp(err) // without passing the gate; the first worker opens it for others
	}
	if !w.s.load {
		w.gen.Limit(workload.Endless)
	}
	if !w.pass() {
		return
	}
	switch {
	case w.player != nil:
		w.replay()
	case w.g.schedule != nil:
		w.open()
	default:
		w.closed()
	}
}

// closed issues each operation as soon as the one before it is done.
func (w *worker) closed() {
	s := w.s
	for now := s.now(); !s.over(now); {
		if !w.counting && now >= s.counted.Load() {
			w.count()
		}
		if !w.gen.Next(&w.op) || w.rows != nil && !w.nextRow() {
			return
		}
		intended, sent, ok := w.turn()
		if !ok {
			return
		}
		first := w.lastDone < 0
		if now = w.perform(intended, sent); now < 0 {
			return
		}
		if first {
			s.party.settle()
		}
	}
}

// turn waits until the next operation of a closed loop may be sent, and returns when it was intended: at once, or in
// YCSB's throttled loop at the throttle's instant, even if the worker is behind.
func (w *worker) turn() (intended, sent int64, ok bool) {
	if w.pace == nil {
		sent = w.s.now()
		return sent, sent, true
	}
	at := int64(w.pace.Claim())
	sent, ok = w.waitUntil(at)
	return min(w.s.local(at), sent), sent, ok
}

// open issues operations at the instants that the worker claims from the segment's schedule.
func (w *worker) open() {
	s := w.s
	for free := int64(0); !s.over(free); {
		// A load's range may be exhausted, and a claimed instant cannot be returned; an operation drawn by a run, on the
		// other hand, should be executed.
		if s.load && !w.gen.Next(&w.op) {
			return
		}
		intended := int64(w.g.schedule.Claim())
		if end := s.endRun.Load(); intended >= end {
			if end != never {
				if _, ok := w.waitUntil(end); ok { // a phase that ends by time lasts until then, even without operations to send
					s.ranOut.Store(true)
				}
			}
			return
		}
		sent, ok := w.due(intended)
		if !ok {
			return
		}
		if free = w.performAt(intended, sent, free); free < 0 {
			return
		}
	}
}

// performAt executes an operation that was intended at an instant of the run's time, and counts it as late if the worker was free
// before. It returns when it was done, or -1 when the worker must end.
func (w *worker) performAt(intended, sent, free int64) int64 {
	at := w.s.local(intended)
	if late := sent - max(at, free); late > int64(w.s.r.cfg.LateAfter) {
		w.counts.late.Add(1)
		w.counts.lateMax.Store(max(w.counts.lateMax.Load(), late))
	}
	return w.perform(min(at, sent), sent)
}

// due draws an operation that is intended at an instant and waits for that; ok is false when there is none left.
func (w *worker) due(intended int64) (sent int64, ok bool) {
	s := w.s
	if s.late {
		// It is unknown before whether it counts: the phase with the number may not be announced yet.
		if sent, ok = w.waitUntil(intended); !ok {
			return sent, false
		}
		if intended >= s.countedRun.Load() && !s.claim() {
			return sent, false
		}
		return sent, s.load || w.gen.Next(&w.op)
	}
	if intended >= s.countedRun.Load() && s.claims.Add(-1) < 0 || !s.load && !w.gen.Next(&w.op) {
		return 0, false
	}
	return w.waitUntil(intended)
}

// claim claims one of the operations of an announced phase. The last claim wakes workers that wait for later instants.
func (s *segment) claim() bool {
	left := s.claims.Add(-1)
	if left == 0 {
		s.wake()
	}
	return left >= 0
}

// waitUntil waits for an instant of the run's time and returns the local time then; ok is false when the segment has
// ended.
func (w *worker) waitUntil(run int64) (now int64, ok bool) {
	s := w.s
	for {
		now = s.now()
		if s.over(now) {
			return now, false
		}
		left := time.Duration(min(s.local(run), s.endAt.Load()) - now)
		if left <= 0 {
			return now, true
		}
		if left > slack {
			left = min(left-left/100, maxWait)
		}
		if err := w.alarm.Wait(s.waiting, left); err != nil {
			if s.waiting.Err() == nil {
				w.giveUp(fmt.Errorf("wait for the next operation of worker %d: %w", w.index, err))
			}
			return now, false
		}
	}
}

// count starts to count the operations of a closed loop against the phase's number of them: a warm-up uses none of it. In
// an open loop the segment counts them, because the worker of each operation is not known beforehand.
func (w *worker) count() {
	w.counting = true
	if ops := w.s.last().Ops; ops > 0 && !w.s.load {
		w.gen.Limit(w.g.shard.Share(ops, w.number))
	}
}

// perform executes the worker's operation and returns when it was done, or -1 when the worker must end.
func (w *worker) perform(intended, sent int64) int64 {
	if w.lastDone < 0 {
		w.s.sentFirst(sent)
		w.sends()
	}
	var (
		out  workload.Outcome
		done int64
	)
	if w.op.Kind == workload.ReadModifyWrite {
		out, done = w.readModifyWrite(intended, sent)
	} else {
		out, done = w.whole(intended, sent)
		if w.s.load && !out.Code.Good() && w.err == nil {
			out, done = w.insist(out, done)
		}
	}
	w.gen.Done(&w.op, out)
	if w.s.load && w.use != Held {
		next, failed := w.gen.Loaded(), int64(0)
		if !out.Code.Good() {
			failed = next - w.loaded.next.Load()
		}
		w.loaded.reach(next, failed, done, w.s.cutAt.Load())
	}
	w.lastDone = max(w.lastDone, done) // the operation may have sent a buffer, which was recorded later
	if w.err != nil {
		return -1
	}
	return done
}

// whole executes an operation without parts.
func (w *worker) whole(intended, sent int64) (workload.Outcome, int64) {
	w.counts.issued.Add(1)
	out := w.session.Do(w.s.flight, &w.op)
	done := w.s.now()
	w.askBuffer()
	w.ended(w.g.catalog.whole[w.op.Kind], out, done, intended, sent)
	if w.op.Collect != nil {
		w.verify(w.g.catalog.readVerify, done)
	}
	return out, done
}

// ended records an operation under the row of its kind. A buffered operation is recorded when the buffer has been sent.
func (w *worker) ended(row int, out workload.Outcome, done, intended, sent int64) {
	if w.use == Held {
		w.pending.keep(row+int(out.Code), out, done-intended, done-sent)
		return
	}
	if w.use == Sent {
		w.noteStages()
		if lost := w.settle(w.lost(nil)); lost != nil && w.s.load && !w.forgives() {
			w.err = fmt.Errorf("rows of worker %d were lost when its buffer was sent, and it gave up (core_workload_insertion_keep_going_on_error): %w", w.index, lost)
		}
	}
	w.note(row, out, done, intended, sent)
	w.moved(out)
}

// askBuffer records what the session's last operation did with its buffer.
func (w *worker) askBuffer() {
	if w.buffers != nil {
		w.use = w.buffers.Buffer()
	}
}

// forgives reports whether the worker of a load continues when rows could not be written.
func (w *worker) forgives() bool { return w.s.load && w.g.settings.Workload.InsertionKeepGoing }

// verify records whether a read returned the written value.
func (w *worker) verify(row int, from int64) {
	if out, verified := w.gen.Verify(&w.op); verified {
		w.note(row, out, w.s.now(), from, from)
	}
}

// readModifyWrite reads and then updates, even if the read has failed, as YCSB does. Both are recorded as parts of the
// whole, whose outcome is the worse of the two.
func (w *worker) readModifyWrite(intended, sent int64) (workload.Outcome, int64) {
	c := w.g.catalog
	w.counts.issued.Add(1)
	w.op.ReadPart(&w.part)
	read := w.session.Do(w.s.flight, &w.part)
	between := w.s.now()
	w.op.UpdatePart(&w.part)
	update := w.session.Do(w.s.flight, &w.part)
	done := w.s.now()
	w.askBuffer()

	w.note(c.rmwRead, read, between, intended, sent)
	if w.use == Held {
		w.pending.keepPart(c.rmwUpdate+int(update.Code), done-between, done-between)
	} else {
		w.note(c.rmwUpdate, update, done, between, between)
	}
	if w.op.Collect != nil {
		w.verify(c.rmwVerify, done)
	}
	out := update
	if !read.Code.Good() {
		out.Code, out.Err = read.Code, read.Err
	}
	out.Rows += read.Rows
	out.Bytes += read.Bytes
	w.ended(c.whole[workload.ReadModifyWrite], out, done, intended, sent)
	return out, done
}

// insist retries an insert of a load, as often as the settings demand. Each attempt is an operation.
func (w *worker) insist(out workload.Outcome, done int64) (workload.Outcome, int64) {
	cfg := &w.g.settings.Workload
	tries := 0
	for ; tries < cfg.InsertionRetryLimit; tries++ {
		// YCSB's jitter, so that workers that failed together do not retry together.
		pause := float64(cfg.InsertionRetryInterval) * (0.8 + 0.4*rand.Float64())
		sent, ok := w.waitUntil(w.s.runTime(done) + int64(pause))
		if !ok {
			return out, done
		}
		if out, done = w.whole(sent, sent); out.Code.Good() {
			return out, done
		}
	}
	if !cfg.InsertionKeepGoing {
		w.err = fmt.Errorf("insert of key %s ended in %s after %d tries, and the worker gave up (core_workload_insertion_retry_limit, core_workload_insertion_keep_going_on_error): %w",
			w.key(), out.Code, tries+1, reason(out))
	}
	return out, done
}

func (w *worker) key() []byte {
	if len(w.op.Keys) > 0 {
		return w.op.Keys[0]
	}
	return w.op.Key
}

// reason returns why an operation failed, for a message.
func reason(out workload.Outcome) error {
	if out.Err != nil {
		return out.Err
	}
	return errNoReason
}

// note records an operation under the row of its kind.
func (w *worker) note(row int, out workload.Outcome, done, intended, sent int64) {
	w.record.Record(row+int(out.Code), done, done-intended, done-sent)
	if !out.Code.Good() {
		w.s.samples.add(row+int(out.Code), out.Err)
	}
}

// noteStages records the stages of inserts that have succeeded.
func (w *worker) noteStages() {
	rows := w.g.catalog.stages
	if w.staged == nil || len(rows) == 0 {
		return
	}
	at := w.s.now()
	w.staged.Stages(func(stage int, took time.Duration) {
		began := at - int64(took) // they are recorded where the writes of the buffer are
		w.note(rows[stage], workload.Outcome{Code: workload.OK}, at, began, began)
	})
}

func (w *worker) moved(out workload.Outcome) {
	w.counts.rows.Add(uint64(max(out.Rows, 0)))
	w.counts.bytes.Add(uint64(max(out.Bytes, 0)))
}
