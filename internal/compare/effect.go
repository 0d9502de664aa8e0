package compare

import (
	"fmt"

	"github.com/benchd/benchd/internal/result"
)

const (
	recovered      = 0.9 // of the mean before: throughput that is back
	recoveredOver  = 3   // intervals in a row that it must be back for
	recoveredRules = "back: %d intervals in a row of at least %.0f %% of the mean before"
)

// Effects tells of each action of a phase what it did to the throughput.
func Effects(phase *result.Phase) {
	points := whole(phase.Series)
	from := 0.0
	for i := range phase.Actions {
		a := &phase.Actions[i]
		until := phase.Seconds
		if i+1 < len(phase.Actions) {
			until = max(phase.Actions[i+1].T, a.T)
		}
		a.Effect = effect(points, from, *a, until)
		from = a.T + a.Seconds
	}
}

// effect is that of one action, with nothing else being done from an instant on until another.
func effect(points []result.Point, from float64, a result.Action, until float64) *result.Effect {
	if len(points) == 0 {
		return nil
	}
	end := a.T + a.Seconds
	if a.Outcome == "" {
		end = until // it had not ended
	}
	// An interval that lies in two of them belongs to the action.
	e := result.Effect{
		Before: mean(points, func(p result.Point) bool { return p.T >= from && p.T+p.Seconds <= a.T }),
		During: mean(points, func(p result.Point) bool { return p.T+p.Seconds > a.T && p.T < max(end, a.T+1e-9) }),
		After:  mean(points, func(p result.Point) bool { return p.T >= end && p.T+p.Seconds <= until }),
		Test:   fmt.Sprintf(recoveredRules, recoveredOver, 100*recovered),
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
		if speed < recovered**e.Before {
			back, fell = 0, true
			e.Recovery = nil
			continue
		}
		if back++; back == recoveredOver && e.Recovery == nil {
			seconds := 0.0
			if fell {
				seconds = max(p.T-float64(recoveredOver-1)*p.Seconds-a.T, 0)
			}
			e.Recovery = &seconds
		}
		if e.Recovery != nil && p.T >= end {
			break
		}
	}
	return &e
}

// whole are the intervals of a series that are as long as most: the last one, and what came after the end, say nothing of
// the throughput.
func whole(series []result.Point) []result.Point {
	var out []result.Point
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

func rateOf(p result.Point) float64 { return float64(p.Ops) / p.Seconds }

// mean is that of the throughput of some intervals; nil of none.
func mean(points []result.Point, in func(result.Point) bool) *float64 {
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

// course adds what the course of the throughput tells: its lowest and highest interval beside actions, and the worst that
// came of one.
func (f figures) course(phase result.Phase) {
	points := whole(phase.Series)
	if len(points) < 3 {
		return
	}
	busy := func(p result.Point) bool {
		for _, a := range phase.Actions {
			end := a.T + a.Seconds
			if a.Outcome == "" {
				end = phase.Seconds
			}
			if a.Effect != nil && a.Effect.Recovery != nil {
				end = max(end, a.T+*a.Effect.Recovery)
			}
			if p.T+p.Seconds > a.T && p.T < end {
				return true
			}
		}
		return false
	}
	// The first interval has the connecting in it.
	for _, p := range points[1:] {
		if busy(p) {
			continue
		}
		speed := rateOf(p)
		if low, ok := f["qps_low"]; !ok || speed < low {
			f["qps_low"] = speed
		}
		f["qps_high"] = max(f["qps_high"], speed)
	}
	for _, a := range phase.Actions {
		if a.Effect == nil || a.Effect.Worst == nil {
			continue
		}
		if worst, ok := f["qps_worst"]; !ok || *a.Effect.Worst < worst {
			f["qps_worst"] = *a.Effect.Worst
		}
		if a.Effect.Recovery != nil {
			f["recovery_s"] = max(f["recovery_s"], *a.Effect.Recovery)
		}
	}
}
