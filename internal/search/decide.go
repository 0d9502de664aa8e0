package search

import (
	"fmt"
	"math"
)

// growth is the factor between two values of the scan.
const growth = 2

// beyond is how many values in a row end the scan by missing the objective: one that is missed by chance, or where
// other values behave differently, must not hide the values above it.
const beyond = 2

// suspicious is how many values in a row that are kept below a missed one suggest that it was missed by chance.
const suspicious = 3

// mostFailures is how many runs in a row may fail before the search asks for no more values: it then confirms what it
// has, and stops if that fails, too.
const mostFailures = 4

// Decide returns the next step of the search after all ended runs so far, in their order.
func (s Space) Decide(probes []Probe) Step {
	h := history{space: s.WithDefaults()}
	for _, p := range probes {
		purpose := Extra
		if step := h.next(); !step.Done && step.Next == p.Value {
			purpose = step.Purpose
		}
		h.probes = append(h.probes, noted{p, purpose})
	}
	step := h.next()
	step.Answer, step.Purposes = h.answer(step), []Purpose{}
	for _, p := range h.probes {
		step.Purposes = append(step.Purposes, p.purpose)
	}
	return step
}

// noted is a probe with its purpose.
type noted struct {
	Probe
	purpose Purpose
}

// history is a search so far.
type history struct {
	space  Space
	probes []noted
}

// next returns the next step, without its answer.
func (h history) next() Step {
	c := newCurve(h.probes)
	if h.exhausted() != "" {
		return Step{Done: true}
	}
	stages := []func(curve) (float64, Purpose, bool){h.repeat, h.scan, h.narrow, h.doubtEdge, h.confirm}
	if h.failures() >= mostFailures {
		stages = stages[len(stages)-1:]
	}
	for _, stage := range stages {
		if value, purpose, ok := stage(c); ok {
			return Step{Next: value, Purpose: purpose}
		}
	}
	return Step{Done: true}
}

// failures is the largest number of runs in a row that failed.
func (h history) failures() int {
	most, now := 0, 0
	for _, p := range h.probes {
		now++
		if p.Outcome != Failed {
			now = 0
		}
		most = max(most, now)
	}
	return most
}

// exhausted returns the reason why the search must stop before its end, or "".
func (h history) exhausted() string {
	switch {
	case h.failures() > mostFailures:
		return fmt.Sprintf("%d runs in a row failed: %s", h.failures(), h.lastFailure())
	case len(h.probes) >= h.space.Most:
		return fmt.Sprintf("%d runs were made, and more are not allowed (most)", len(h.probes))
	}
	return ""
}

// lastFailure is the reason of the newest failed run.
func (h history) lastFailure() string {
	because := ""
	for _, p := range h.probes {
		if p.Outcome == Failed {
			because = p.Because
		}
	}
	return because
}

// repeat asks for a value again whose outcome is open: a run that failed or was bound by the client, as many kept as
// missed probes, or one that was missed below a kept one.
func (h history) repeat(c curve) (float64, Purpose, bool) {
	top := c.last(len(c), func(p point) bool { return p.state() == kept })
	for i, p := range c {
		switch {
		case p.state() == unknown && p.obstacles > 0, p.state() == doubtful:
			return p.value, Repeat, true
		case i < top && p.state() == missed && p.missed+p.kept == 1:
			return p.value, Repeat, true
		case i == 0 && p.state() == missed && p.missed+p.kept == 1 && p.value == h.space.From:
			return p.value, Repeat, true // before it ends the search
		case i == top && p.kept == 1 && c.last(i, func(p point) bool { return p.state() == missed }) >= 0:
			return p.value, Repeat, true
		}
	}
	return 0, "", false
}

// scan asks for the next of the doubling values, until beyond of them in a row have missed the objective or, where
// threads vary, have not had a higher throughput.
func (h history) scan(c curve) (float64, Purpose, bool) {
	over, highest := 0, 0.0
	for value := h.space.From; ; value *= growth {
		value = h.space.round(value)
		i := c.at(value)
		if i < 0 {
			return value, Scan, true
		}
		p := c[i]
		switch {
		case p.state() == blocked:
			return 0, "", false // no higher value can be measured
		case p.state() == missed:
			over++
		case h.space.Vary == Threads && p.state() == kept && p.throughput <= highest*(1+h.space.Tolerance):
			over++
		default:
			over = 0
		}
		highest = max(highest, p.throughput)
		if p.value == h.space.From && p.state() == missed && h.space.Vary == Rate || over >= beyond || value >= h.space.To {
			return 0, "", false
		}
	}
}

// narrow asks for a value between the best kept one and the next one that limits it, until they are close.
func (h history) narrow(c curve) (float64, Purpose, bool) {
	best := c.best(h.space.Vary)
	if best < 0 {
		top := c.first(0, point.limits)
		below := c.last(top, func(p point) bool { return p.state() == low || p.state() == unknown })
		if top < 0 || below < 0 {
			return 0, "", false
		}
		return h.between(c[below].value, c[top].value)
	}
	if h.space.Vary == Rate {
		if top := c.first(best+1, point.limits); top >= 0 {
			if p := c[top]; p.state() == missed && p.missed == 1 && p.refuted == 0 && c.keptSince(top) >= suspicious {
				return p.value, Repeat, true
			}
			return h.between(c[best].value, c[top].value)
		}
		return 0, "", false
	}
	for _, neighbour := range []int{best + 1, best - 1} {
		if neighbour < 0 || neighbour >= len(c) {
			continue
		}
		n := c[neighbour]
		level := math.Abs(n.throughput-c[best].throughput) <= h.space.Tolerance*c[best].throughput
		if n.measured > 0 && level {
			continue // there is nothing to gain between them
		}
		if value, purpose, ok := h.between(min(n.value, c[best].value), max(n.value, c[best].value)); ok {
			return value, purpose, true
		}
	}
	return 0, "", false
}

// between asks for the value in the middle of two, unless they are close.
func (h history) between(low, high float64) (float64, Purpose, bool) {
	if high <= low*(1+h.space.Tolerance/2) {
		return 0, "", false
	}
	middle := h.space.round(math.Sqrt(low * high))
	if middle <= low || middle >= high {
		return 0, "", false
	}
	return middle, Narrow, true
}

// doubtEdge repeats the missed value at the edge of the answer, which may be missed by chance.
func (h history) doubtEdge(c curve) (float64, Purpose, bool) {
	best := c.best(h.space.Vary)
	if best < 0 || best+1 >= len(c) {
		return 0, "", false
	}
	edge := c[best+1]
	if edge.state() == missed && edge.missed == 1 && edge.refuted == 0 {
		return edge.value, Repeat, true
	}
	return 0, "", false
}

// confirm asks for the answer again.
func (h history) confirm(c curve) (float64, Purpose, bool) {
	best := c.best(h.space.Vary)
	if best < 0 || c[best].confirmed >= h.space.Confirm {
		return 0, "", false
	}
	return c[best].value, Confirm, true
}
