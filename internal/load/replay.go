package load

import (
	"fmt"

	"github.com/benchd/benchd/internal/trace"
	"github.com/benchd/benchd/internal/workload"
)

// share prepares the shard's part of the trace, if there is one.
func (r *Runner) share(workers []int) {
	if r.cfg.Trace == nil {
		return
	}
	r.replay = trace.NewShare(r.cfg.Trace, trace.Division{
		Workers: workers, Agent: r.cfg.Shard.Index, Speed: r.cfg.Settings.Speed, Names: r.cfg.Settings.Workload.NamesOfHashes(),
	})
}

// replays has the worker repeat its part of a trace, or load its rows.
func (w *worker) replays(share *trace.Share, load bool) {
	if load {
		w.rows = &rowsOfTrace{share: share}
		return
	}
	w.player = share.Player(w.index)
}

// replay issues the operations of the worker's part of a trace at their instants. A worker that is behind sends the next one at
// once: the instants stay those of the trace.
func (w *worker) replay() {
	s := w.s
	var next trace.Entry
	for free := int64(0); w.err == nil && !s.over(free); {
		more, err := w.player.Next(&next)
		if err != nil {
			w.err = fmt.Errorf("repeat the trace: %w", err)
		}
		if !more {
			return
		}
		if next.At >= s.endRun.Load() {
			if _, ok := w.waitUntil(s.endRun.Load()); ok {
				s.ranOut.Store(true)
			}
			return
		}
		w.gen.Replay(&w.op, next.Kind, next.Key, next.Size, next.Rows)
		sent, ok := w.waitUntil(next.At)
		if !ok {
			return
		}
		if free = w.performAt(next.At, sent, free); free < 0 {
			return
		}
	}
}

// rowsOfTrace yields the rows of a trace that a worker loads: those with the numbers of its range.
type rowsOfTrace struct {
	share  *trace.Share
	loader *trace.Loader // nil before the first row
}

// nextRow replaces the row of the insert that the generator has filled in with that of the trace. It returns false when the worker
// must end.
func (w *worker) nextRow() bool {
	rows := w.rows
	var err error
	if rows.loader == nil {
		rows.loader, err = rows.share.Loader(w.gen.Loaded()) // nothing has been loaded since
	}
	var key []byte
	size := 0
	if err == nil {
		key, size, err = rows.loader.Next()
	}
	if err != nil || key == nil {
		w.err = fmt.Errorf("load the rows of the trace: row %d is missing: %w", w.gen.Loaded(), err)
		return false
	}
	w.gen.Replay(&w.op, workload.Insert, key, size, 0)
	return true
}
