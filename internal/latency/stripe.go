package latency

import (
	"math"
	"slices"
	"sync"
)

// sample is one operation as its worker recorded it. Two of them fill a cache line.
type sample struct {
	done, response, service int64
	series                  int32
	_                       int32
}

// stripe collects the samples of some workers. Its lock is held by a worker that drains its ring, some 64 samples at a
// time, and by the cutter.
type stripe struct {
	mu     sync.Mutex
	locals []*Local
	// ends are the known ends of the next windows, in order. windows[k] collects the samples done before ends[k] and not
	// before ends[k-1]; there is one window more than ends, for all later samples.
	ends    []int64
	windows [][]*cell
	pages   freePages
	cells   []*cell // emptied, for reuse
	series  int
	whole   []bool // by series, whether its lateness is recorded; nil if none is
	tap     Tap
	cuts    int // the number of windows cut

	_ [64]byte // a neighbour's lock must not share our cache line
}

// cell is one series in one window of a stripe. An operation that is sent on time has one time for both clocks and is
// counted once, in both; a closed loop has no others.
type cell struct {
	both, response, service tally
	next                    *cell // of the same series and window; see replan
}

// drain takes the samples out of l's ring. The caller must hold s.mu.
func (s *stripe) drain(l *Local) {
	head := l.head.Load()
	if s.tap != nil {
		for n := l.tail; n != head; n++ {
			p := &l.ring[n%ringSize]
			s.tap(l.worker, int(p.series), s.cuts+s.windowOf(p.done), p.done, p.response, p.service)
		}
	}
	// Nearly all samples are of the first window.
	cells, end := s.windows[0], int64(math.MaxInt64)
	if len(s.ends) > 0 {
		end = s.ends[0]
	}
	whole := s.whole
	for n := l.tail; n != head; n++ {
		p := &l.ring[n%ringSize]
		var c *cell
		if p.done < end && cells != nil {
			c = cells[p.series]
		}
		if c == nil {
			c = s.cellOf(p, int(p.series))
			cells = s.windows[0]
		}
		if p.response == p.service {
			c.both.add(p.response, &s.pages)
		} else {
			c.response.add(p.response, &s.pages)
			c.service.add(p.service, &s.pages)
			if len(whole) > 0 && whole[p.series] {
				var late *cell
				if p.done < end && cells != nil {
					late = cells[s.series]
				}
				if late == nil {
					late = s.cellOf(p, s.series)
					cells = s.windows[0]
				}
				late.both.add(p.response-p.service, &s.pages)
			}
		}
	}
	l.tail = head
}

// cellOf returns the cell that counts a sample of a series: that of the window in which it was done. The series after the
// last is the lateness of all.
func (s *stripe) cellOf(p *sample, series int) *cell {
	w := s.windowOf(p.done)
	if s.windows[w] == nil {
		s.windows[w] = make([]*cell, s.series+1)
	}
	c := &s.windows[w][series]
	if *c == nil {
		*c = s.newCell()
	}
	return *c
}

// windowOf returns which of the next windows an instant is in.
func (s *stripe) windowOf(done int64) int {
	w := 0
	for w < len(s.ends) && done >= s.ends[w] {
		w++
	}
	return w
}

func (s *stripe) newCell() *cell {
	last := len(s.cells) - 1
	if last < 0 {
		return new(cell)
	}
	c := s.cells[last]
	s.cells = s.cells[:last]
	return c
}

// replan changes the ends of the windows. A window with samples moves to the new window of its first instant, or of lean
// after it: an end that moves by less than lean takes its window along. If two windows become one, their cells are
// chained.
func (s *stripe) replan(ends []int64, lean int64) {
	windows := make([][]*cell, len(ends)+1)
	for k, cells := range s.windows {
		if cells == nil {
			continue
		}
		w := 0
		for k > 0 && w < len(ends) && ends[w]-lean <= s.ends[k-1] {
			w++
		}
		if windows[w] == nil {
			windows[w] = cells
			continue
		}
		for i, c := range cells {
			if c == nil {
				continue
			}
			last := c
			for last.next != nil {
				last = last.next
			}
			last.next, windows[w][i] = windows[w][i], c
		}
	}
	s.ends, s.windows = ends, windows
}

// cut removes the windows that end at or before end, after all rings are drained. next has the ends of the windows from
// then on.
func (s *stripe) cut(end int64, next []int64) [][]*cell {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, known := slices.BinarySearch(s.ends, end)
	if !known {
		s.replan(slices.Insert(slices.Clone(s.ends), at, end), 0)
	}
	for _, l := range s.locals {
		s.drain(l)
	}
	out := s.windows[:at+1]
	s.cuts++
	s.ends, s.windows = s.ends[at+1:], s.windows[at+1:]
	s.replan(next, 0)
	return out
}

// giveBack empties the cells of cut windows and keeps them for reuse.
func (s *stripe) giveBack(windows [][]*cell) {
	var (
		pages freePages
		cells []*cell
	)
	for _, window := range windows {
		for _, c := range window {
			for c != nil {
				next := c.next
				c.both.empty(&pages)
				c.response.empty(&pages)
				c.service.empty(&pages)
				c.next = nil
				cells = append(cells, c)
				c = next
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages = append(s.pages, pages...)
	s.cells = append(s.cells, cells...)
}
