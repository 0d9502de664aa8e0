package latency

import (
	"cmp"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

const (
	// ringSize is how many samples a worker's ring holds: 4 KiB.
	ringSize = 128
	// maxStripes bounds the memory. Eight stripes are enough to avoid contention: a stripe is locked once in 64
	// operations, for about a microsecond.
	maxStripes = 8
	// Horizon is how many ends of windows are known in advance, and so how many windows late a cut may be without
	// samples in a wrong window.
	Horizon = 3
)

// Recorder collects the samples of many workers and returns them window by window. Its methods are safe for concurrent
// use, except that only one goroutine may cut.
type Recorder struct {
	keys    []Key
	locals  []Local
	stripes []stripe

	whole []bool // by series, whether its lateness is recorded; nil if none is

	mu     sync.Mutex // cold: bounds and cuts
	bounds Bounds
	last   int64 // where the last window ended
}

// NewRecorder returns a recorder of the series keys, which differ, for workers 0 to workers-1.
func NewRecorder(keys []Key, workers int) *Recorder {
	return newRecorder(keys, workers, min(runtime.GOMAXPROCS(0), maxStripes))
}

func newRecorder(keys []Key, workers, stripes int) *Recorder {
	r := &Recorder{
		keys:    keys,
		locals:  make([]Local, workers),
		stripes: make([]stripe, max(1, min(stripes, workers))),
	}
	rings := make([]sample, workers*ringSize)
	for i := range r.stripes {
		s := &r.stripes[i]
		s.series = len(keys)
		s.windows = make([][]*cell, 1)
	}
	for i := range r.locals {
		l := &r.locals[i]
		l.ring = (*[ringSize]sample)(rings[i*ringSize:])
		l.limit = ringSize / 2
		l.series = len(keys)
		l.worker = i
		l.stripe = &r.stripes[i%len(r.stripes)]
		l.stripe.locals = append(l.stripe.locals, l)
	}
	return r
}

// Local returns the worker's own part of r.
func (r *Recorder) Local(worker int) *Local { return &r.locals[worker] }

// Tap receives a sample of a worker. Window is the number of the cut that contains it, from 0 on: all samples of a cut are
// passed before the cut returns. The last cut may have samples of later windows, too.
type Tap func(worker, series, window int, done, response, service int64)

// Tap registers f, which is called with each sample when it is drained, for a worker in the order of recording. Calls for
// different workers may be concurrent, and hold a lock that workers wait for, so f must be quick. Tap must be called before
// the first recording.
func (r *Recorder) Tap(f Tap) {
	for i := range r.stripes {
		s := &r.stripes[i]
		s.mu.Lock()
		s.tap = f
		s.mu.Unlock()
	}
}

// KeepLateness makes r record response − service, which is how late an operation was sent, for CutWindow. It must be
// called before the first recording. open reports for each key whether its operations are those of an open loop.
func (r *Recorder) KeepLateness(open []bool) {
	whole := make([]bool, len(r.keys))
	for i, key := range r.keys {
		whole[i] = open[i] && key.PartOf == ""
	}
	r.whole = whole
	for i := range r.stripes {
		s := &r.stripes[i]
		s.mu.Lock()
		s.whole = whole
		s.mu.Unlock()
	}
}

// SetBounds sets the ends of the next windows, so that a sample that is drained late or early is counted in the window in
// which it was done. It is exact for future instants: samples drained before stay in their window, which moves as a whole.
// Without bounds a window takes all samples drained before its cut.
func (r *Recorder) SetBounds(b Bounds) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bounds = b
	ends := b.ends(r.last)
	for i := range r.stripes {
		s := &r.stripes[i]
		s.mu.Lock()
		s.replan(ends, b.Every/2)
		s.mu.Unlock()
	}
}

// CutWindow returns all recorded samples with done < end that were not cut yet, even if their worker is inside an operation
// now: a series per key, in the order of the keys, without empty ones. Samples done before an earlier cut but recorded
// after it are included. It never waits for an operation.
//
// End should be one that SetBounds announced: otherwise, or if it is three windows or more after the last, its window may
// have samples of later instants. It must not be before that of an earlier cut; MaxInt64 takes all.
//
// It also returns how late operations were sent, if that is recorded and there were any. Parts of larger operations are left
// out: the larger one was sent once.
func (r *Recorder) CutWindow(end int64) (series []Series, lateness *Histogram) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = max(r.last, end)
	next := r.bounds.ends(r.last)

	cut := make([][][]*cell, len(r.stripes))
	for i := range r.stripes {
		cut[i] = r.stripes[i].cut(end, next)
	}
	var n uint64 // operations whose lateness is recorded
	for i, key := range r.keys {
		s, ok := merge(key, i, cut)
		if !ok {
			continue
		}
		series = append(series, s)
		if i < len(r.whole) && r.whole[i] {
			n += s.Response.Count()
		}
	}
	if n > 0 {
		late, _ := merge(Key{}, len(r.keys), cut)
		lateness = cmp.Or(late.Response, new(Histogram))
		lateness.addZeros(n - lateness.Count()) // those that were sent on time
	}
	for i := range r.stripes {
		r.stripes[i].giveBack(cut[i])
	}
	return series, lateness
}

// merge makes a series from the i-th cells of all windows cut from all stripes. It is false if there are none.
func merge(key Key, i int, cut [][][]*cell) (Series, bool) {
	var cells []*cell
	split := false
	for _, windows := range cut {
		for _, window := range windows {
			if window == nil {
				continue
			}
			for c := window[i]; c != nil; c = c.next {
				cells = append(cells, c)
				split = split || c.response.used()
			}
		}
	}
	if len(cells) == 0 {
		return Series{}, false
	}
	s := Series{Key: key, Response: new(Histogram)}
	for _, c := range cells {
		s.Response.mustAdd(&c.both)
	}
	s.Service = s.Response
	if split {
		s.Service = s.Response.Clone()
		for _, c := range cells {
			s.Response.mustAdd(&c.response)
			s.Service.mustAdd(&c.service)
		}
	}
	return s, true
}

// mustAdd adds a tally of one window. It cannot fail: no window has 2⁶⁴ samples.
func (h *Histogram) mustAdd(t *tally) {
	if err := h.addTally(t); err != nil {
		panic(fmt.Sprintf("latency: cut window: %v", err))
	}
}

// Local is one worker's part of a Recorder. Only one goroutine may use it at a time.
type Local struct {
	// The worker's own. Next counts the samples written, limit is where the ring needs draining, and drained is how many
	// samples were out of the ring when the worker last drained it.
	ring                 *[ringSize]sample
	next, limit, drained uint64
	series               int
	stripe               *stripe

	// head publishes next to others: samples before it are written.
	head atomic.Uint64
	_    [8]byte

	// Under the stripe's lock: how many samples are out of the ring. The field is on a cache line that the worker's next
	// Record does not touch.
	tail   uint64
	worker int
	_      [48]byte
}

// Record adds an operation of a series, which is an index into the recorder's keys, done at an instant with a response and
// a service time, all in nanoseconds.
func (l *Local) Record(series int, done, response, service int64) {
	if uint(series) >= uint(l.series) {
		panic(fmt.Sprintf("latency: record series %d of %d", series, l.series))
	}
	n := l.next
	if n == l.limit {
		l.makeRoom()
	}
	p := &l.ring[n%ringSize]
	p.done, p.response, p.service, p.series = done, response, service, int32(series)
	l.next = n + 1
	l.head.Store(n + 1)
}

// makeRoom drains the ring. It only tries from half full on, and waits when the ring is full: while the stripe is busy with
// a cut or another worker, the worker can continue.
func (l *Local) makeRoom() {
	s := l.stripe
	if !s.mu.TryLock() {
		if l.next-l.drained < ringSize {
			l.limit += ringSize / 8
			return
		}
		s.mu.Lock()
	}
	defer s.mu.Unlock()
	s.drain(l)
	l.drained = l.tail
	l.limit = l.tail + ringSize/2
}
