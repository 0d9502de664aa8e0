package incident

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/stats"
)

// cost completes an incident by its dip, errors and response times.
func (f *finder) cost(i *result.Incident, g *group) {
	own := f.own(g)
	before := f.curve.usual(g.at(f.curve), f.disturbed)
	if g.before != nil {
		before = g.before.intervals
		i.Before = f.baseline(g.before)
	}
	f.errors(i, own, before)
	f.latency(i, own, before)
	if g.before == nil {
		return
	}
	if len(own) == 0 {
		i.Because = "no whole interval was measured after it"
		return
	}
	f.worst(i, g, own)
	fell := g.dip != nil
	i.Dip = &fell
	if !fell {
		i.Because = fmt.Sprintf("no dip shown: no %d intervals in a row below %.4g ops/s", leastRow, g.before.floor)
		return
	}
	f.area(i, g)
}

// baseline is the document of a level.
func (f *finder) baseline(l *level) *result.Baseline {
	b := &result.Baseline{
		Mean: l.mean, Intervals: len(l.intervals), From: f.curve.points[l.intervals[0]].T, Noise: l.noise, Floor: max(l.floor, 0),
	}
	mean, err := stats.MeanOfSeries(f.curve.at(l.intervals), 0.95)
	if err != nil {
		b.Method = "no interval: " + err.Error()
		return b
	}
	b.Low, b.High, b.Method = &mean.Low, &mean.High, stats.SeriesMethod
	return b
}

// worst is the lowest interval of the dip, or of an incident without one.
func (f *finder) worst(i *result.Incident, g *group, own []int) {
	first, end := own[0], own[len(own)-1]+1
	if g.dip != nil {
		first, end = g.dip.first, g.dipEnd()
	}
	lowest := first
	for k := first; k < end; k++ {
		if f.curve.rates[k] < f.curve.rates[lowest] {
			lowest = k
		}
	}
	worst := f.curve.rates[lowest]
	depth := 100 * max(g.before.mean-worst, 0) / g.before.mean
	i.Worst, i.WorstAt, i.Depth = &worst, f.curve.points[lowest].T, &depth
}

// dipEnd is the interval after the incident's dip.
func (g *group) dipEnd() int {
	if g.dip.back < 0 {
		return g.to
	}
	return g.dip.back
}

// area computes what a dip cost in operations and time.
func (f *finder) area(i *result.Incident, g *group) {
	c, mean := f.curve, g.before.mean
	end := g.dipEnd()
	lost, below := 0.0, 0
	for k := g.dip.first; k < end; k++ {
		lost += (mean - c.rates[k]) * c.points[k].Seconds
		if c.rates[k] < g.before.floor {
			below++
		}
	}
	lost = max(lost, 0)
	at := c.points[g.dip.first].T
	i.Lost, i.DipAt = &lost, &at
	i.Because = fmt.Sprintf("%d of the %d intervals from %.1f s on are below %.4g ops/s", below, end-g.dip.first, at, g.before.floor)
	if g.dip.back >= 0 {
		seconds := round(c.points[g.dip.back].T - g.at(c))
		i.Recovery = &seconds
	}
	if f.phase.Loop != string(plan.Open) {
		return
	}
	later := 0.0
	for k := end; k < g.to && c.rates[k] > mean; k++ {
		later += (c.rates[k] - mean) * c.points[k].Seconds
	}
	later = min(later, lost)
	i.CaughtUp = &later
}

// errors counts the failed operations above the usual number, if that is more than chance.
func (f *finder) errors(i *result.Incident, own, before []int) {
	usual, usually := f.failures(before)
	failed, seconds := f.failures(own)
	for outcome, n := range failed {
		expected := 0.0
		if usually > 0 {
			expected = usual[outcome] / usually * seconds
		}
		if n > expected+3*math.Sqrt(expected) {
			i.Errors[outcome] = uint64(math.Round(n - expected))
		}
	}
}

// failures counts the failed operations of intervals by outcome, and their time.
func (f *finder) failures(intervals []int) (failed map[string]float64, seconds float64) {
	failed = make(map[string]float64)
	for _, k := range intervals {
		seconds += f.curve.points[k].Seconds
		for _, o := range f.curve.points[k].Operations {
			if o.PartOf == nil && !result.Good(o.Outcome) {
				failed[o.Outcome] += float64(o.Count)
			}
		}
	}
	return failed, seconds
}

// latency compares the response times of successful operations in the worst interval with those before.
func (f *finder) latency(i *result.Incident, own, before []int) {
	type course struct {
		p99        []float64
		sum, count float64
	}
	usual := make(map[string]*course)
	f.succeeded(before, func(_ float64, o *result.PointOperation) {
		c := usual[o.Op]
		if c == nil {
			c = new(course)
			usual[o.Op] = c
		}
		if o.P99 != nil {
			c.p99 = append(c.p99, *o.P99)
		}
		c.sum += o.Mean * float64(o.Count)
		c.count += float64(o.Count)
	})
	worst := make(map[string]*result.IncidentLatency)
	f.succeeded(own, func(t float64, o *result.PointOperation) {
		l := worst[o.Op]
		if l == nil {
			l = &result.IncidentLatency{Op: o.Op}
			worst[o.Op] = l
		}
		if o.P99 != nil && (l.P99Worst == nil || *o.P99 > *l.P99Worst) {
			p99 := *o.P99
			l.P99Worst, l.P99At = &p99, t
		}
		if l.MeanWorst == nil || o.Mean > *l.MeanWorst {
			mean := o.Mean
			l.MeanWorst = &mean
		}
	})
	for _, op := range slices.Sorted(maps.Keys(worst)) {
		l := worst[op]
		if c := usual[op]; c != nil {
			mean := c.sum / max(c.count, 1)
			l.MeanBefore = &mean
			if len(c.p99) > 0 {
				p99 := stats.Median(c.p99)
				l.P99Before = &p99
			}
		}
		i.Latency = append(i.Latency, *l)
	}
}

// succeeded calls f for each successful operation of intervals.
func (f *finder) succeeded(intervals []int, each func(t float64, o *result.PointOperation)) {
	for _, k := range intervals {
		p := &f.curve.points[k]
		for n := range p.Operations {
			if o := &p.Operations[n]; o.PartOf == nil && o.Count > 0 && result.Good(o.Outcome) {
				each(p.T, o)
			}
		}
	}
}
