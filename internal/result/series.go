package result

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/benchd/benchd/internal/latency"
)

// openIntervals is how many intervals of a phase keep their histograms. Windows of one interval arrive from all agents
// at about the same time, so a few are enough; the rest is for agents that were away for a while.
const openIntervals = 16

// openInOrder is how many intervals of windows in the order of their starts are open: an interval, and its tail. All windows of those before
// have come.
const openInOrder = 2

// openMemory bounds the histograms of the open intervals of a live view, in bytes. An honest run of a dozen operations needs a
// tenth of it.
const openMemory = 32 << 20

// A phase of at most wholePoints windows has a point for each of them. A longer one has points of several windows each,
// at most maxPoints: more than a chart can show.
const (
	wholePoints = 10_000
	maxPoints   = 2_500
)

// PointLength is the length of a point of the series of a phase: the windows' interval, or in a long phase 5, 10, 50,
// 100, 500 … intervals. Each is a multiple of all smaller ones, so that points of a shorter phase can be merged further
// when the phase becomes longer: the archive rolls windows up by the same steps.
func PointLength(interval, phase time.Duration) time.Duration {
	if interval <= 0 || phase/interval <= wholePoints {
		return interval
	}
	times, factor := 1, 5
	for phase/(time.Duration(times)*interval) > maxPoints {
		times, factor = times*factor, 10/factor
	}
	return time.Duration(times) * interval
}

// Columns is how many intervals the charts of a report need of each phase at most.
const Columns = 360

// ColumnLength is the length of at most so many intervals of a phase, each of 1, 2, 5, 10, 20, 50 … points; that of a point if
// atMost is 0.
func ColumnLength(point, phase time.Duration, atMost int) time.Duration {
	if point <= 0 || atMost <= 0 {
		return point
	}
	for unit := int64(1); ; unit *= 10 {
		for _, factor := range [...]int64{1, 2, 5} {
			length := time.Duration(unit * factor * int64(point))
			if (phase+length-1)/length <= time.Duration(atMost) {
				return length
			}
		}
	}
}

// maxTimes is the largest number of intervals in a point: enough for a phase of ten years in windows of 0.1 s.
const maxTimes = 10_000_000

// IsPointLength reports whether points can be times intervals long.
func IsPointLength(times int) bool {
	for n, factor := 1, 5; n <= maxTimes; n, factor = n*factor, 10/factor {
		if n == times {
			return true
		}
	}
	return false
}

// LengthFor returns a phase length whose points are times intervals long; 0 if there is none.
func LengthFor(interval time.Duration, times int) time.Duration {
	if times <= 1 || interval <= 0 || !IsPointLength(times) || interval > math.MaxInt64/(4*maxPoints*time.Duration(times)) {
		return 0
	}
	length := time.Duration(wholePoints)*interval + interval
	for PointLength(interval, length) < time.Duration(times)*interval {
		length *= 2
	}
	return length
}

// series is a phase's course. An interval's histograms are merged while it is open; then only its figures are kept. A
// window that arrives later still counts exactly, but its interval loses the percentiles, which can no longer be
// computed.
type series struct {
	step    time.Duration
	most    int  // intervals that are open
	discard bool // drop finished intervals
	scale   scale

	open    map[Slot]*interval
	memory  int                // bytes of the histograms of open
	done    map[Slot]*interval // without histograms
	touched uint64
	spare   map[latency.Key][]*latency.Histogram // of finished intervals, empty: the next ones need the same memory
}

// interval is a point of the series as it grows.
type interval struct {
	Extent
	touched uint64 // by the series' count of windows
	ops     uint64
	retries map[string]uint64 // by cause; nil where there were none
	cells   map[latency.Key]*cell
}

// cell is one operation with one outcome in an interval.
type cell struct {
	response *latency.Histogram // nil when the interval is done
	figures  PointOperation     // once the interval is done
	sum      exactSum           // of response times, once the interval is done
	service  exactSum           // of service times
}

func newSeries(step time.Duration, inOrder, discard bool, s scale) *series {
	most := openIntervals
	if inOrder && step > 0 {
		most = openInOrder
	}
	return &series{
		step: step, most: most, discard: discard, scale: s,
		open: make(map[Slot]*interval), done: make(map[Slot]*interval), spare: make(map[latency.Key][]*latency.Histogram),
	}
}

func (s *series) slotOf(w *latency.Window) Slot { return SlotOf(w, s.step) }

// add merges a window. Its series have been checked.
func (s *series) add(w *latency.Window) error {
	at := s.slotOf(w)
	iv := s.open[at]
	if iv == nil {
		iv = s.done[at]
	}
	if iv == nil {
		iv = &interval{Extent: ExtentOf(w), cells: make(map[latency.Key]*cell)}
		s.open[at] = iv
	}
	s.touched++
	iv.touched = s.touched
	iv.Cover(w)
	iv.retries = addRetries(iv.retries, w.Retries)
	for i := range w.Series {
		grown, err := s.merge(iv, &w.Series[i], s.open[at] == nil)
		if err != nil {
			return fmt.Errorf("merge series %s of an interval: %w", w.Series[i].Key, err)
		}
		s.memory += grown
	}
	for len(s.open) > s.most || s.discard && s.memory > openMemory && len(s.open) > 1 {
		s.finishOldest()
	}
	return nil
}

// merge merges a series into an interval, and returns by how many bytes the histograms have grown.
func (s *series) merge(iv *interval, in *latency.Series, late bool) (grown int, err error) {
	if in.Key.PartOf == "" {
		iv.ops += in.Response.Count()
	}
	c := iv.cells[in.Key]
	switch {
	case c == nil && late:
		c = &cell{figures: PointOperation{Op: in.Key.Op, Outcome: in.Key.Outcome, PartOf: partOf(in.Key)}}
		iv.cells[in.Key] = c
	case c == nil:
		c = &cell{response: s.empty(in.Key)}
		iv.cells[in.Key] = c
		grown = c.response.Memory()
	}
	c.service.add(in.Service)
	if late {
		c.amend(in.Response)
		return 0, nil
	}
	before := c.response.Memory()
	err = c.response.Merge(in.Response)
	return grown + c.response.Memory() - before, err
}

// empty returns a histogram for an interval.
func (s *series) empty(key latency.Key) *latency.Histogram {
	list := s.spare[key]
	last := len(list) - 1
	if last < 0 {
		return new(latency.Histogram)
	}
	s.spare[key] = list[:last]
	return list[last]
}

// exactSum is a sum of times in nanoseconds, in 128 bits: it does not depend on the order and grouping of the additions.
type exactSum struct{ hi, lo uint64 }

func (s *exactSum) add(h *latency.Histogram) {
	hi, lo := h.Sum128()
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, lo, 0)
	s.hi += hi + carry
}

// mean is the mean of n times in microseconds, rounded to nanoseconds.
func (s *exactSum) mean(count uint64) float64 {
	return math.Round((float64(s.hi)*(1<<64)+float64(s.lo))/float64(max(count, 1))) / 1000
}

// amend adds to a cell everything that does not need its histogram.
func (c *cell) amend(h *latency.Histogram) {
	if h.Count() == 0 {
		return
	}
	f := &c.figures
	f.Count += h.Count()
	c.sum.add(h)
	f.Mean = c.sum.mean(f.Count)
	f.ServiceMean = c.service.mean(f.Count)
	f.Max = max(f.Max, microseconds(h.Max()))
	f.P50, f.P99 = nil, nil
}

// finishOldest computes the figures of the interval that has been without a new window for longest, and drops its
// histograms. It does not take the earliest interval, because a shard that was handed out again may send old numbers. A
// live view needs no early intervals.
func (s *series) finishOldest() {
	var oldest Slot
	var found *interval
	for at, iv := range s.open {
		if found == nil || s.discard && at.before(oldest) || !s.discard && iv.touched < found.touched {
			oldest, found = at, iv
		}
	}
	delete(s.open, oldest)
	for _, c := range found.cells {
		s.memory -= c.response.Memory()
	}
	if s.discard {
		return
	}
	for key, c := range found.cells {
		c.figures = s.point(key, c)
		c.sum.add(c.response)
		c.response.Reset()
		s.spare[key] = append(s.spare[key], c.response)
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

		ServiceMean: c.service.mean(c.response.Count()),
	}
}

// points are the series as it is now.
func (s *series) points() []Point {
	slots := slices.Collect(maps.Keys(s.open))
	slots = slices.AppendSeq(slots, maps.Keys(s.done))
	all := func(at Slot) *interval { return cmp.Or(s.open[at], s.done[at]) }
	slices.SortFunc(slots, func(a, b Slot) int {
		return cmp.Or(cmp.Compare(all(a).Start, all(b).Start), a.Compare(b))
	})
	out := make([]Point, 0, len(slots))
	for _, at := range slots {
		iv := all(at)
		p := Point{
			T:          iv.Start.Seconds(),
			Seconds:    (iv.End - iv.Start).Seconds(),
			Tail:       at.Tail,
			Ops:        iv.ops,
			Operations: make([]PointOperation, 0, len(iv.cells)),
			Retries:    maps.Clone(iv.retries),
		}
		for _, key := range slices.SortedFunc(maps.Keys(iv.cells), compareKeys) {
			p.Operations = append(p.Operations, s.point(key, iv.cells[key]))
		}
		out = append(out, p)
	}
	return out
}
