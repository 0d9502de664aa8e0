package load

import (
	"math"
	"sync/atomic"

	"github.com/benchd/benchd/internal/workload"
)

// loaded is how far a worker of a load has come, so that a window can tell how far that was at its end: a load that
// loses its agent goes on there, and each row is counted once. The worker writes, the cutter reads.
type loaded struct {
	_ [64]byte // what each insert writes stands apart from what others read

	first    int64        // where the worker begins
	next     atomic.Int64 // rows below have been answered, or are in a buffer
	safe     atomic.Int64 // rows below have been answered; follows next where nothing is buffered
	failed   atomic.Int64 // how many of them were not written
	buffered atomic.Bool  // answers may only say that rows are in a buffer: they may never leave it

	edge   atomic.Int64 // next and so on when the window ended that ends at edgeAt
	edgeOK atomic.Int64
	lost   atomic.Int64
	edgeAt atomic.Int64 // local
	_      [64]byte
}

// begin takes where the worker begins.
func (l *loaded) begin(gen *workload.Generator) {
	l.first = gen.Loaded()
	l.next.Store(l.first)
	l.safe.Store(l.first)
	l.edgeAt.Store(math.MinInt64)
}

// reach notes that all rows below next have been answered, the last of them at done; cut is where the coming window
// ends.
func (l *loaded) reach(next int64, out workload.Outcome, done, cut int64) {
	if done >= cut && l.edgeAt.Load() != cut {
		l.edge.Store(l.next.Load())
		l.edgeOK.Store(l.safe.Load())
		l.lost.Store(l.failed.Load())
		l.edgeAt.Store(cut)
	}
	if !out.Code.Good() {
		l.failed.Add(next - l.next.Load())
	}
	if out.Code == workload.BatchedOK {
		l.buffered.Store(true)
	} else {
		l.safe.Store(next)
	}
	l.next.Store(next)
}

// settle notes that what was in buffers has been answered: the worker's session has ended well.
func (l *loaded) settle() { l.safe.Store(l.next.Load()) }

// at is how far the worker had come at the end of a window, and how many rows it had written. It is asked before the
// window is cut: what it tells of is in the window then.
func (l *loaded) at(cut int64) (row, rows int64) {
	next := l.next.Load()
	safe, failed := l.safe.Load(), l.failed.Load()
	if l.edgeAt.Load() == cut {
		next, safe, failed = l.edge.Load(), l.edgeOK.Load(), l.lost.Load()
	}
	if !l.buffered.Load() {
		safe = next // read at one instant with what is counted
	}
	return safe, next - l.first - failed
}
