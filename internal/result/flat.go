package result

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/stats"
)

const (
	confidence     = 0.95
	leastFlat      = 300  // windows of a phase that is tested for a drift
	flatWithin     = 0.05 // the largest drift over a phase that still counts as flat
	mainOperations = 0.05 // the share of a phase's operations from which on one is tested
)

// Interval bounds the throughput that a phase would have if it lasted longer under the same conditions. Consecutive windows
// are not independent, which it allows for.
type Interval struct {
	Low       *float64 `json:"low"`
	High      *float64 `json:"high"`
	Windows   int      `json:"windows"`                     // of full length, without the first
	Effective float64  `json:"effective_windows,omitempty"` // independent windows that would estimate it as precisely
	Method    string   `json:"method,omitempty"`
	Because   string   `json:"because,omitempty"` // why there is none
}

// Half is half of the interval of a phase's throughput, as a share of it. It is false if there is no interval, or if the
// throughput is outside of it, as after a slow start.
func (p *Phase) Half() (float64, bool) {
	i := p.Interval
	if i == nil || i.Low == nil || i.High == nil || p.Throughput <= 0 || p.Throughput < *i.Low || p.Throughput > *i.High {
		return 0, false
	}
	return (*i.High - *i.Low) / 2 / p.Throughput, true
}

// Settled returns an ended run with what its series show as a whole: the interval of the throughput of each measured
// phase, and the verdict flat. Its actions must have been added, with their effects.
func (r Run) Settled() Run {
	if !r.Status.Ended() {
		return r
	}
	var drifts []drift
	r.Phases = slices.Clone(r.Phases)
	for i := range r.Phases {
		p := &r.Phases[i]
		if p.Name != string(plan.Measure) {
			continue
		}
		points := settled(p.Series)
		p.Interval = throughputInterval(points, r.unsettled(p))
		if r.Status != Complete || len(p.Handovers) > 0 {
			continue
		}
		if quiet := p.quiet(points); len(quiet) >= leastFlat {
			drifts = append(drifts, p.drifts(quiet, len(points)-len(quiet))...)
		}
	}
	if v := flat(drifts); v != nil {
		r.Verdicts = append(slices.Clip(r.Verdicts), *v)
	}
	return r
}

// settled are the windows of a phase that can show its throughput: those of full length, without the first, which
// includes the connecting.
func settled(series []Point) []Point {
	points := WholeIntervals(series)
	return points[min(1, len(points)):]
}

// unsettled is the reason why a phase was not under the same conditions throughout; empty if it was.
func (r Run) unsettled(p *Phase) string {
	switch {
	case r.Status != Complete:
		return "the run is " + string(r.Status)
	case len(p.Actions) > 0:
		return "actions were executed during the phase"
	case len(p.Handovers) > 0:
		return "a shard had no agent for a time"
	}
	return ""
}

// quiet is the longest stretch of consecutive windows in which no action ran and the throughput had recovered from all.
func (p *Phase) quiet(points []Point) []Point {
	var best []Point
	for from := 0; from < len(points); {
		to := from
		for to < len(points) && !p.busy(points[to]) {
			to++
		}
		if to-from > len(best) {
			best = points[from:to]
		}
		from = to + 1
	}
	return best
}

func throughputInterval(points []Point, reason string) *Interval {
	out := &Interval{Windows: len(points), Because: reason}
	if reason != "" {
		return out
	}
	rates := make([]float64, len(points))
	for i, p := range points {
		rates[i] = rateOf(p)
	}
	m, err := stats.MeanOfSeries(rates, confidence)
	if err != nil {
		out.Because = err.Error()
		return out
	}
	low := max(m.Low, 0)
	out.Low, out.High, out.Effective, out.Method = &low, &m.High, m.Effective, stats.SeriesMethod
	return out
}

// drift is the change of one figure over a phase.
type drift struct {
	phase, figure string
	from, to      time.Duration
	excluded      int // windows of the phase that are not in the series
	series        []float64
}

// drifts are the figures of a phase whose change is tested: the throughput, and the mean response time of each operation
// that has a sample in each window and is a main one. So many other windows are excluded.
func (p *Phase) drifts(points []Point, excluded int) []drift {
	of := func(figure string, series []float64) drift {
		last := points[len(points)-1]
		return drift{phase: p.Name, figure: figure, from: seconds(points[0].T), to: seconds(last.T + last.Seconds), excluded: excluded, series: series}
	}
	rates := make([]float64, len(points))
	for i, point := range points {
		rates[i] = rateOf(point)
	}
	out := []drift{of("throughput", rates)}
	for _, o := range p.Operations {
		if o.PartOf != nil || o.Outcome != "OK" || float64(o.Count) < mainOperations*float64(p.Ops) {
			continue
		}
		if means, ok := meansOf(points, o.Op); ok {
			out = append(out, of("mean of "+o.Op, means))
		}
	}
	return out
}

// meansOf are the mean response times of an operation that succeeded; false if a window has none.
func meansOf(points []Point, op string) ([]float64, bool) {
	out := make([]float64, 0, len(points))
	for _, p := range points {
		for _, o := range p.Operations {
			if o.PartOf == nil && o.Op == op && o.Outcome == "OK" && o.Count > 0 {
				out = append(out, o.Mean)
			}
		}
	}
	return out, len(out) == len(points)
}

// flat tests whether figures drifted. The answer is yes if the interval of each change lies within the smallest effect,
// and no if a change is as large as that and its interval excludes 0. Nil if the data decide neither.
func flat(drifts []drift) *Verdict {
	if len(drifts) == 0 {
		return nil
	}
	each := 1 - (1-confidence)/float64(len(drifts))
	level, drifted := true, false
	var because []string
	for _, d := range drifts {
		change, half, err := d.change(each)
		if err != nil {
			level = false
			continue
		}
		level = level && math.Abs(change)+half <= flatWithin
		if math.Abs(change) > half && math.Abs(change) >= flatWithin {
			drifted = true
		}
		because = append(because, d.text(change, half))
	}
	if level == drifted { // not decided
		return nil
	}
	return &Verdict{
		Name: "flat", Value: level, Because: strings.Join(because, "; "),
		Test: fmt.Sprintf("change along a line over the phase, with %.3g %% intervals for %s by %s: yes if all lie within ±%s, "+
			"no if one excludes 0 and its change is at least %s; on %s",
			100*each, counted(len(drifts), "figure"), stats.SeriesMethod, percentText(flatWithin), percentText(flatWithin), drifts[0].sample()),
	}
}

// sample describes the windows, and those that are excluded.
func (d drift) sample() string {
	text := Thousands(uint64(len(d.series))) + " windows of full length, without the first"
	if d.excluded > 0 {
		text += fmt.Sprintf(", in the longest part without an action and its recovery, from %s to %s; %s others are excluded",
			d.from, d.to, Thousands(uint64(d.excluded)))
	}
	return text
}

func seconds(s float64) time.Duration {
	return time.Duration(s * float64(time.Second)).Round(time.Second)
}

// errNoLevel reports a series whose mean is not positive.
var errNoLevel = errors.New("nothing was measured")

// change is the change as a share of the figure's mean, and half of its interval.
func (d drift) change(confidence float64) (change, half float64, err error) {
	found, err := stats.DriftOfSeries(d.series, confidence)
	if err != nil {
		return 0, 0, err
	}
	level := found.Start + found.Change/2
	if level <= 0 {
		return 0, 0, errNoLevel
	}
	return found.Change / level, (found.High - found.Low) / 2 / level, nil
}

func (d drift) text(change, half float64) string {
	verb := "rose"
	if change < 0 {
		verb = "fell"
	}
	return fmt.Sprintf("%s: %s %s by %s ± %s over %s", d.phase, d.figure, verb, percentText(math.Abs(change)), percentText(half), d.to-d.from)
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
