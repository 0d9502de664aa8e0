package result

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/benchd/benchd/internal/latency"
)

// openIntervals is how many intervals of a phase keep their histograms. Windows of one interval come from all
// agents at about the same time, so a few would do; the rest is for agents that were away for a while.
const openIntervals = 16

// maxPoints bounds a series: a longer phase has points of several windows each.
const maxPoints = 10_000

// pointLength is how long a point of a series is: the windows' interval, or for phases of more than maxPoints
// windows the next round multiple of it.
func pointLength(interval, phase time.Duration) time.Duration {
	if interval <= 0 || phase/interval <= maxPoints {
		return interval
	}
	for unit := interval; ; unit *= 10 {
		for _, n := range [...]int64{1, 2, 5} {
			if step := unit * time.Duration(n); phase/step <= maxPoints {
				return step
			}
		}
	}
}

// slot names an interval. What was done after the planned end has slots of its own, because it does not count
// for throughput.
type slot struct {
	index int64
	tail  bool
}

func (s slot) before(t slot) bool {
	if s.index != t.index {
		return s.index < t.index
	}
	return !s.tail && t.tail
}

// series is a phase's course. An interval's histograms are merged while it is open; then only its figures
// are kept. A window that comes later still counts exactly, but the percentiles of its interval are given up:
// they cannot be known any more.
type series struct {
	step    time.Duration
	discard bool // let finished intervals go
	scale   scale

	open    map[slot]*interval
	done    map[slot]*interval // without histograms
	touched uint64
}

// interval is a point of the series as it grows.
type interval struct {
	start, end time.Duration
	touched    uint64 // by the series' count of windows
	ops        uint64
	cells      map[latency.Key]*cell
}

// cell is one operation with one outcome in an interval.
type cell struct {
	response *latency.Histogram // nil when the interval is done
	figures  PointOperation     // once it is
	sum      float64            // of response times, in microseconds, once it is
	service  float64            // sum of service times, in microseconds
}

func newSeries(step time.Duration, discard bool, s scale) *series {
	return &series{
		step: step, discard: discard, scale: s,
		open: make(map[slot]*interval), done: make(map[slot]*interval),
	}
}

func (s *series) slotOf(w *latency.Window) slot {
	if s.step <= 0 {
		return slot{int64(w.ID.Seq), w.Tail}
	}
	return slot{int64(w.Start / s.step), w.Tail}
}

// add merges a window. Its series have been checked.
func (s *series) add(w *latency.Window) error {
	at := s.slotOf(w)
	iv := s.open[at]
	if iv == nil {
		iv = s.done[at]
	}
	if iv == nil {
		iv = &interval{start: w.Start, end: w.End, cells: make(map[latency.Key]*cell)}
		s.open[at] = iv
	}
	s.touched++
	iv.touched = s.touched
	iv.start = min(iv.start, w.Start)
	iv.end = max(iv.end, w.End)
	for i := range w.Series {
		if err := iv.add(&w.Series[i], s.open[at] == nil); err != nil {
			return fmt.Errorf("merge series %s of an interval: %w", w.Series[i].Key, err)
		}
	}
	if len(s.open) > openIntervals {
		s.finishOldest()
	}
	return nil
}

func (iv *interval) add(in *latency.Series, late bool) error {
	if in.Key.PartOf == "" {
		iv.ops += in.Response.Count()
	}
	c := iv.cells[in.Key]
	switch {
	case c == nil && late:
		c = &cell{figures: PointOperation{Op: in.Key.Op, Outcome: in.Key.Outcome, PartOf: partOf(in.Key)}}
		iv.cells[in.Key] = c
	case c == nil:
		c = &cell{response: new(latency.Histogram)}
		iv.cells[in.Key] = c
	}
	c.service += sumUS(in.Service)
	if late {
		c.amend(in.Response)
		return nil
	}
	return c.response.Merge(in.Response)
}

func sumUS(h *latency.Histogram) float64 { return h.Mean() / 1000 * float64(h.Count()) }

// amend adds to a cell what can be added without its histogram.
func (c *cell) amend(h *latency.Histogram) {
	if h.Count() == 0 {
		return
	}
	f := &c.figures
	f.Count += h.Count()
	c.sum += sumUS(h)
	f.Mean = rounded(c.sum/float64(f.Count), 3)
	f.ServiceMean = rounded(c.service/float64(f.Count), 3)
	f.Max = max(f.Max, microseconds(h.Max()))
	f.P50, f.P99 = nil, nil
}

// finishOldest reads the figures off the interval that no window has come for the longest, and lets its
// histograms go. Not the earliest one: a shard that was handed out again may come with old numbers. Who only
// watches has no use for early ones.
func (s *series) finishOldest() {
	var oldest slot
	var found *interval
	for at, iv := range s.open {
		if found == nil || s.discard && at.before(oldest) || !s.discard && iv.touched < found.touched {
			oldest, found = at, iv
		}
	}
	delete(s.open, oldest)
	if s.discard {
		return
	}
	for key, c := range found.cells {
		c.figures = s.point(key, c)
		c.sum = sumUS(c.response)
		c.response = nil
	}
	s.done[oldest] = found
}

func (s *series) point(key latency.Key, c *cell) PointOperation {
	if c.response == nil {
		return c.figures
	}
	return PointOperation{
		Op:      key.Op,
		Outcome: key.Outcome,
		PartOf:  partOf(key),
		Count:   c.response.Count(),
		Mean:    meanUS(c.response),
		P50:     s.scale.p50.of(c.response),
		P99:     s.scale.p99.of(c.response),
		Max:     microseconds(c.response.Max()),

		ServiceMean: rounded(c.service/max(float64(c.response.Count()), 1), 3),
	}
}

// points are the series as it is now.
func (s *series) points() []Point {
	slots := slices.Collect(maps.Keys(s.open))
	slots = slices.AppendSeq(slots, maps.Keys(s.done))
	all := func(at slot) *interval { return cmp.Or(s.open[at], s.done[at]) }
	slices.SortFunc(slots, func(a, b slot) int {
		if c := cmp.Compare(all(a).start, all(b).start); c != 0 {
			return c
		}
		if a.before(b) {
			return -1
		}
		return 1
	})
	out := make([]Point, 0, len(slots))
	for _, at := range slots {
		iv := all(at)
		p := Point{
			T:          iv.start.Seconds(),
			Seconds:    (iv.end - iv.start).Seconds(),
			Tail:       at.tail,
			Ops:        iv.ops,
			Operations: make([]PointOperation, 0, len(iv.cells)),
		}
		for _, key := range slices.SortedFunc(maps.Keys(iv.cells), compareKeys) {
			p.Operations = append(p.Operations, s.point(key, iv.cells[key]))
		}
		out = append(out, p)
	}
	return out
}
