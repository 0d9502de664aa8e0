package load

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/benchd/benchd/internal/workload"
)

// loaded is how far a worker of a load has come, so that a window records how far that was at its end: a load that
// loses its agent goes on there, and each row is counted once. A row that is in a session's buffer does not count before
// the target has acknowledged it. The worker writes, the cutter reads.
type loaded struct {
	_ [64]byte // what each insert writes stands apart from what others read

	first  int64        // where the worker begins
	next   atomic.Int64 // rows below have been answered
	failed atomic.Int64 // how many of them were not written

	edge   atomic.Int64 // next and failed when the window ended that ends at edgeAt
	lost   atomic.Int64
	edgeAt atomic.Int64 // local
	_      [64]byte

	// settling is held while the rows of a buffer are counted, which takes longer than to count one, and by the cutter.
	settling sync.Mutex
}

// begin takes where the worker begins.
func (l *loaded) begin(gen *workload.Generator) {
	l.first = gen.Loaded()
	l.next.Store(l.first)
	l.edgeAt.Store(math.MinInt64)
}

// reach notes that all rows below next have been answered, the last of them at done, and how many of those since the
// last call were not written; cut is where the coming window ends.
func (l *loaded) reach(next, failed, done, cut int64) {
	if done >= cut && l.edgeAt.Load() != cut {
		l.edge.Store(l.next.Load())
		l.lost.Store(l.failed.Load())
		l.edgeAt.Store(cut)
	}
	l.failed.Add(failed)
	l.next.Store(next)
}

// at is how far the worker had come at the end of a window, and how many rows it had written. It is asked before the
// window is cut: what it reports is in the window then.
func (l *loaded) at(cut int64) (row, rows int64) {
	next, failed := l.next.Load(), l.failed.Load()
	if l.edgeAt.Load() == cut {
		next, failed = l.edge.Load(), l.lost.Load()
	}
	return next, next - l.first - failed
}
