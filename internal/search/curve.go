package search

import (
	"cmp"
	"slices"
)

// state is what the probes at one value show together.
type state int

const (
	unknown  state = iota // only too few samples, or one probe that was not usable
	blocked               // no probe was usable, because runs failed or the generator was the limit
	doubtful              // as many probes kept the objective as missed it
	low                   // only the throughput was below the objective's limit
	kept
	missed
)

// attempts is how many runs a value gets that fail or are bound by the client, before the search does without it.
const attempts = 2

// point is all probes at one value.
type point struct {
	value             float64
	kept, missed, low int
	obstacles, few    int // probes that were not usable: at their limit, and without enough samples
	confirmed         int // confirmation runs that kept the objective; they count in kept, too
	refuted           int // those that missed it
	hindered          int // those that were not usable
	throughput        float64
	measured          int // probes whose mean is throughput; without confirmation runs, which would not be independent
	lastObstacle      string
	first, last       int // indexes of its oldest and its newest probe
}

func (p point) state() state {
	switch {
	case p.refuted > mostRefuted:
		return missed
	case p.confirmed+p.refuted > 0 && p.hindered <= mostRefuted:
		return kept // until it is refuted; the runs that led to the value were not chosen independently
	case p.hindered > mostRefuted, p.kept+p.missed+p.low == 0 && p.obstacles >= attempts:
		return blocked
	case p.kept+p.missed+p.low == 0:
		return unknown
	case p.kept > p.missed+p.low:
		return kept
	case p.missed+p.low > p.kept && p.low > p.missed:
		return low
	case p.missed+p.low > p.kept:
		return missed
	}
	return doubtful
}

// limits reports whether no higher value is of interest for narrowing down the point below it.
func (p point) limits() bool { return p.state() == missed || p.state() == blocked }

// mostRefuted is how many confirmation runs may miss the objective, or be of no use: one run of several can meet a
// disturbance.
const mostRefuted = 1

// curve is all points, by value.
type curve []point

func newCurve(probes []noted) curve {
	byValue := make(map[float64]*point)
	for i, p := range probes {
		at := byValue[p.Value]
		if at == nil {
			at = &point{value: p.Value, first: i}
			byValue[p.Value] = at
		}
		at.last = i
		*at = at.with(p)
	}
	var c curve
	for _, p := range byValue {
		c = append(c, *p)
	}
	slices.SortFunc(c, func(a, b point) int { return cmp.Compare(a.value, b.value) })
	return c
}

// with is the point with one more probe.
func (p point) with(n noted) point {
	confirming := n.purpose == Confirm
	switch n.Outcome {
	case Kept:
		p.kept++
		if confirming {
			p.confirmed++
		}
	case Missed, TooLow:
		if n.Outcome == Missed {
			p.missed++
		} else {
			p.low++
		}
		if confirming {
			p.refuted++
		}
	case TooFew:
		p.few++
	default:
		p.obstacles++
		p.lastObstacle = n.Because
	}
	if confirming && !n.Outcome.Usable() {
		p.hindered++
		p.lastObstacle = n.Because
	}
	if n.Outcome.Usable() && !confirming {
		p.throughput = (p.throughput*float64(p.measured) + n.Throughput) / float64(p.measured+1)
		p.measured++
	}
	return p
}

// at returns the index of a value's point, or -1.
func (c curve) at(value float64) int {
	return slices.IndexFunc(c, func(p point) bool { return p.value == value })
}

// first returns the index of the lowest point from an index on with a property, or -1.
func (c curve) first(from int, has func(point) bool) int {
	for i := max(from, 0); i < len(c); i++ {
		if has(c[i]) {
			return i
		}
	}
	return -1
}

// last returns the index of the highest point before an index with a property, or -1.
func (c curve) last(before int, has func(point) bool) int {
	for i := min(before, len(c)) - 1; i >= 0; i-- {
		if has(c[i]) {
			return i
		}
	}
	return -1
}

// keptSince counts the kept values below a point that were found after its newest probe.
func (c curve) keptSince(top int) int {
	n := 0
	for _, p := range c[:top] {
		if p.first > c[top].last && p.state() == kept {
			n++
		}
	}
	return n
}

// best returns the index of the point that the answer would be now, or -1: the highest kept value or, where threads
// vary, the kept one with the highest throughput.
func (c curve) best(v Vary) int {
	if v == Rate {
		return c.last(len(c), func(p point) bool { return p.state() == kept })
	}
	best := -1
	for i, p := range c {
		if p.state() == kept && (best < 0 || p.throughput > c[best].throughput) {
			best = i
		}
	}
	return best
}
