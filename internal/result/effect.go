package result

import (
	"fmt"

	"github.com/benchd/benchd/internal/figure"
)

// What counts as recovered.
const (
	Recovered     = 0.9 // of the mean before: throughput that has recovered
	RecoveredOver = 3   // consecutive intervals that it must have recovered for
)

// RecoveredRules describes what counts as recovered.
func RecoveredRules() string {
	return fmt.Sprintf("recovered: %d intervals in a row of at least %.0f %% of the mean before", RecoveredOver, 100*Recovered)
}

// Effects adds to each action of a phase its effect on the throughput.
func (p *Phase) Effects() {
	points := WholeIntervals(p.Series)
	from := 0.0
	for i := range p.Actions {
		a := &p.Actions[i]
		until := p.Seconds
		if i+1 < len(p.Actions) {
			until = max(p.Actions[i+1].T, a.T)
		}
		a.Effect = effect(points, from, *a, until)
		from = a.T + a.Seconds
	}
}

// effect is the effect of one action; no other action runs between from and until.
func effect(points []Point, from float64, a Action, until float64) *Effect {
	if len(points) == 0 {
		return nil
	}
	end := a.T + a.Seconds
	if a.Outcome == "" {
		end = until // it had not ended
	}
	// An interval that overlaps two of them belongs to the action.
	e := Effect{
		Before: meanRate(points, func(p Point) bool { return p.T >= from && p.T+p.Seconds <= a.T }),
		During: meanRate(points, func(p Point) bool { return p.T+p.Seconds > a.T && p.T < max(end, a.T+1e-9) }),
		After:  meanRate(points, func(p Point) bool { return p.T >= end && p.T+p.Seconds <= until }),
		Test:   RecoveredRules(),
	}
	if e.Before == nil {
		return &e
	}
	back := 0 // intervals in a row
	fell := false
	for _, p := range points {
		if p.T+p.Seconds <= a.T || p.T >= until {
			continue
		}
		speed := rateOf(p)
		if e.Worst == nil || speed < *e.Worst {
			e.Worst, e.WorstAt = &speed, p.T
		}
		if speed < Recovered**e.Before {
			back, fell = 0, true
			e.Recovery = nil
			continue
		}
		if back++; back == RecoveredOver && e.Recovery == nil {
			seconds := 0.0
			if fell {
				seconds = max(p.T-float64(RecoveredOver-1)*p.Seconds-a.T, 0)
			}
			e.Recovery = &seconds
		}
		if e.Recovery != nil && p.T >= end {
			break
		}
	}
	return &e
}

// WholeIntervals returns the intervals of a series that have the usual length: the last one and the tail do not show the
// throughput.
func WholeIntervals(series []Point) []Point {
	var out []Point
	length := 0.0
	for _, p := range series {
		length = max(length, p.Seconds)
	}
	for _, p := range series {
		if !p.Tail && p.Seconds > 0.99*length {
			out = append(out, p)
		}
	}
	return out
}

func rateOf(p Point) float64 { return float64(p.Ops) / p.Seconds }

// meanRate is the mean throughput of some intervals; nil if there are none.
func meanRate(points []Point, in func(Point) bool) *float64 {
	var ops, seconds float64
	for _, p := range points {
		if in(p) {
			ops += float64(p.Ops)
			seconds += p.Seconds
		}
	}
	if seconds == 0 {
		return nil
	}
	m := ops / seconds
	return &m
}

// course is the throughput over a phase: its lowest and highest interval without an action, and the worst because of one.
func (p *Phase) course() figure.Course {
	var c figure.Course
	points := WholeIntervals(p.Series)
	if len(points) < 3 {
		return c
	}
	// The first interval includes the connecting.
	for _, point := range points[1:] {
		if !p.busy(point) {
			speed := rateOf(point)
			c.Low, c.High = least(c.Low, speed), greatest(c.High, speed)
		}
	}
	for _, a := range p.Actions {
		if a.Effect == nil || a.Effect.Worst == nil {
			continue
		}
		c.Worst = least(c.Worst, *a.Effect.Worst)
		if a.Effect.Recovery != nil {
			c.Recovery = greatest(c.Recovery, *a.Effect.Recovery)
		}
	}
	return c
}

// busy reports whether an action ran in an interval, or the throughput had not yet recovered from one.
func (p *Phase) busy(point Point) bool {
	for _, a := range p.Actions {
		end := a.T + a.Seconds
		if a.Outcome == "" {
			end = p.Seconds
		}
		if a.Effect != nil && a.Effect.Recovery != nil {
			end = max(end, a.T+*a.Effect.Recovery)
		}
		if point.T+point.Seconds > a.T && point.T < end {
			return true
		}
	}
	return false
}

func least(before *float64, x float64) *float64 {
	if before != nil {
		x = min(x, *before)
	}
	return &x
}

func greatest(before *float64, x float64) *float64 {
	if before != nil {
		x = max(x, *before)
	}
	return &x
}
