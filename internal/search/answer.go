package search

import (
	"fmt"
)

// answer is the answer as far as the probes show it.
func (h history) answer(step Step) Answer {
	c := newCurve(h.probes)
	a := Answer{Status: Unfinished, Confirmations: []int{}, Notes: h.notes(c)}
	best := c.best(h.space.Vary)
	var edge *point
	if best >= 0 {
		p := c[best]
		a.Value, a.Confirmed = &p.value, p.confirmed
		for i, n := range h.probes {
			if n.Value == p.value && n.purpose == Confirm && n.Outcome.Usable() {
				a.Confirmations = append(a.Confirmations, i)
			}
		}
		if top := c.first(best+1, point.limits); top >= 0 {
			edge = &c[top]
		}
	}
	if edge != nil && edge.state() == missed {
		a.MissedAt = &edge.value
	}
	switch stopped := h.exhausted(); {
	case !step.Done:
		a.Because = fmt.Sprintf("the next run is at %s (%s)", ValueText(step.Next), step.Purpose)
	case best < 0 && stopped == "":
		a.Status, a.Because = h.none(c)
	case best < 0 || a.Confirmed < h.space.Confirm:
		a.Because = stopped
	case edge != nil && edge.state() == blocked:
		a.Status = AtLeast
		a.Because = fmt.Sprintf("%s could not be measured: %s", ValueText(edge.value), edge.lastObstacle)
	case h.space.Vary == Threads && h.bound(*a.Value):
		a.Status = AtLeast
		a.Because = "the load generator was the limit at " + ValueText(*a.Value)
	case edge != nil && edge.state() == missed:
		a.Status = Found
		a.Because = fmt.Sprintf("kept at %s, missed at %s", ValueText(*a.Value), ValueText(edge.value))
	case *a.Value >= h.space.To:
		a.Status = AtLeast
		a.Because = fmt.Sprintf("%s is the end of the search, and was kept", ValueText(h.space.To))
	default:
		a.Status = Found
		a.Because = fmt.Sprintf("no other value has a throughput that is higher by more than %s %%", ValueText(100*h.space.Tolerance))
	}
	return a
}

// bound reports whether the generator was close to its limit in most probes at a value.
func (h history) bound(value float64) bool {
	bound, all := 0, 0
	for _, p := range h.probes {
		if p.Value == value && p.Outcome.Usable() {
			all++
			if p.ClientBound {
				bound++
			}
		}
	}
	return 2*bound > all
}

// none is the status of a search that is done without any kept value.
func (h history) none(c curve) (Status, string) {
	if i := c.first(0, func(p point) bool { return p.state() == missed || p.state() == low }); i >= 0 {
		return None, fmt.Sprintf("no value keeps the objective; %s misses it: %s", ValueText(c[i].value), h.because(c[i].value))
	}
	return Unfinished, "no probe could be used: " + h.because(h.space.From)
}

// because is the reason of the newest probe at a value.
func (h history) because(value float64) string {
	reason := ""
	for _, p := range h.probes {
		if p.Value == value {
			reason = p.Because
		}
	}
	return reason
}

// notes are the unusable probes and the contradictions between values.
func (h history) notes(c curve) []string {
	notes := []string{}
	for i, p := range h.probes {
		if !p.Outcome.Usable() {
			notes = append(notes, fmt.Sprintf("probe %d at %s is not counted: %s", i+1, ValueText(p.Value), p.Because))
		}
	}
	top := c.last(len(c), func(p point) bool { return p.state() == kept })
	for i, p := range c {
		switch {
		case i < top && p.state() == missed:
			notes = append(notes, fmt.Sprintf("%s missed the objective in %d of %d runs although %s kept it: the system is not monotone there", ValueText(p.value), p.missed+p.low, p.missed+p.low+p.kept, ValueText(c[top].value)))
		case p.kept > 0 && p.missed > 0:
			notes = append(notes, fmt.Sprintf("%s kept the objective in %d of %d runs", ValueText(p.value), p.kept, p.kept+p.missed+p.low))
		}
	}
	return notes
}
