package load

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/benchd/benchd/internal/workload"
)

// loaded tracks the progress of a worker of a load, so that a window can record it: a load that loses its agent continues
// there, and each row is counted once. A row in a session's buffer does not count before the target has acknowledged it.
// The worker writes, the cutter reads.
type loaded struct {
	_ [64]byte // separates the fields that each insert writes from those that others read

	first  int64        // the worker's first row
	next   atomic.Int64 // rows below it have been answered
	failed atomic.Int64 // how many of these rows were not written

	edge   atomic.Int64 // next and failed at the end of the window that ends at edgeAt
	lost   atomic.Int64
	edgeAt atomic.Int64 // local
	_      [64]byte

	// settling is held by the cutter, and while the rows of a buffer are counted, which takes longer than to count one.
	settling sync.Mutex
}

// begin sets the worker's first row.
func (l *loaded) begin(gen *workload.Generator) {
	l.first = gen.Loaded()
	l.next.Store(l.first)
	l.edgeAt.Store(math.MinInt64)
}

// reach records that all rows below next have been answered, the last of them at done, and that failed of those since the
// last call were not written; cut is the end of the current window.
func (l *loaded) reach(next, failed, done, cut int64) {
	if done >= cut && l.edgeAt.Load() != cut {
		l.edge.Store(l.next.Load())
		l.lost.Store(l.failed.Load())
		l.edgeAt.Store(cut)
	}
	l.failed.Add(failed)
	l.next.Store(next)
}

// at returns the progress of the worker at the end of a window, and how many rows it had written. It is called before the
// window is cut: its rows are in the window then.
func (l *loaded) at(cut int64) (row, rows int64) {
	next, failed := l.next.Load(), l.failed.Load()
	if l.edgeAt.Load() == cut {
		next, failed = l.edge.Load(), l.lost.Load()
	}
	return next, next - l.first - failed
}
