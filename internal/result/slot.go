package result

import (
	"cmp"
	"time"

	"github.com/benchd/benchd/internal/latency"
)

// Slot names an interval of a phase. What was done after the planned end has slots of its own, because it does not count
// for throughput.
type Slot struct {
	Index int64
	Tail  bool
}

// SlotOf is the interval that a window belongs to: the one in which it begins, where intervals are a step long, whatever the
// window's number. Without a step each number has an interval.
func SlotOf(w *latency.Window, step time.Duration) Slot {
	if step <= 0 {
		return Slot{int64(w.ID.Seq), w.Tail}
	}
	return Slot{int64(w.Start / step), w.Tail}
}

// Compare orders slots by time.
func (s Slot) Compare(t Slot) int {
	switch {
	case s.Index != t.Index:
		return cmp.Compare(s.Index, t.Index)
	case s.Tail == t.Tail:
		return 0
	case t.Tail:
		return -1
	}
	return 1
}

func (s Slot) before(t Slot) bool { return s.Compare(t) < 0 }

// Extent is from where to where the windows of an interval go, since the phase's start: one begins within the step where all
// windows of it do.
type Extent struct{ Start, End time.Duration }

// ExtentOf is that of a window.
func ExtentOf(w *latency.Window) Extent { return Extent{w.Start, w.End} }

// Cover lets the extent go as far as a window does.
func (e *Extent) Cover(w *latency.Window) {
	e.Start, e.End = min(e.Start, w.Start), max(e.End, w.End)
}
