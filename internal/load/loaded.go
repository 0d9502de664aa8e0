package load

import (
	"sync"
	"sync/atomic"

	"github.com/benchd/benchd/internal/latency"
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

	every int64 // between the ends of windows
	saved int   // edges so far
	edges [latency.Horizon]edge
	_     [64]byte

	// settling is held by the cutter, and while the rows of a buffer are counted, which takes longer than to count one.
	settling sync.Mutex
}

// edge is the progress at the end of a window. A window may be cut late, when later ones have ended, too: a worker keeps as many
// edges as its recorder knows ends.
type edge struct {
	at           atomic.Int64 // local: the end; never for none
	next, failed atomic.Int64
}

// begin sets the worker's first row and the length of windows.
func (l *loaded) begin(gen *workload.Generator, every int64) {
	l.first, l.every = gen.Loaded(), every
	l.next.Store(l.first)
	for i := range l.edges {
		l.edges[i].at.Store(never)
	}
}

// reach records that all rows below next have been answered, the last of them at done, and that failed of those since the
// last call were not written; cut is the end of the current window.
func (l *loaded) reach(next, failed, done, cut int64) {
	if done >= cut {
		l.save(done, cut)
	}
	l.failed.Add(failed)
	l.next.Store(next)
}

// save saves the progress so far for each window that has ended by done, and has none yet.
func (l *loaded) save(done, cut int64) {
	for end, known := cut, 0; end <= done && known < len(l.edges); end, known = end+l.every, known+1 {
		if l.find(end) == nil {
			e := &l.edges[l.saved%len(l.edges)]
			l.saved++
			e.next.Store(l.next.Load())
			e.failed.Store(l.failed.Load())
			e.at.Store(end)
		}
	}
}

// find returns the edge of the window that ends at end, or nil. The time base may have moved the end since it was saved.
func (l *loaded) find(end int64) *edge {
	for i := range l.edges {
		at := l.edges[i].at.Load()
		if at != never && end != never && max(at-end, end-at) < max(1, l.every/2) {
			return &l.edges[i]
		}
	}
	return nil
}

// at returns the progress of the worker at the end of a window, and how many rows it had written. It is called before the
// window is cut: its rows are in the window then.
func (l *loaded) at(cut int64) (row, rows int64) {
	next, failed := l.next.Load(), l.failed.Load()
	if e := l.find(cut); e != nil {
		next, failed = e.next.Load(), e.failed.Load()
	}
	return next, next - l.first - failed
}
