package result

import (
	"cmp"
	"time"

	"github.com/benchd/benchd/internal/latency"
)

// Slot names an interval of a phase. Operations after the planned end have slots of their own, because they do not count
// for throughput.
type Slot struct {
	Index int64
	Tail  bool
}

// SlotOf returns the interval that a window belongs to: the one in which it begins, where intervals are a step long. The
// window's number does not matter, except without a step, when each number has an interval.
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

// Extent is the time that the windows of an interval cover, since the phase's start: it begins within the step in which
// all its windows begin.
type Extent struct{ Start, End time.Duration }

// ExtentOf returns the extent of a window.
func ExtentOf(w *latency.Window) Extent { return Extent{w.Start, w.End} }

// Cover extends e to the end of a window.
func (e *Extent) Cover(w *latency.Window) {
	e.Start, e.End = min(e.Start, w.Start), max(e.End, w.End)
}
