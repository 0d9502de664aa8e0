package incident

import (
	"fmt"
	"math"
	"slices"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/stats"
)

const (
	reach    = 10.0  // seconds after a cause in which a dip may begin, and before an event that was noticed late
	lookback = 120.0 // seconds before an event in which a dip may have begun that has not recovered
	apart    = 5.0   // seconds between two actions whose effects can be distinguished

	leastBefore = 5    // intervals before an incident
	mostBefore  = 300  // of which it considers so many
	leastHalf   = 10   // intervals of each half whose medians show a drift
	mostDrift   = 0.05 // between them

	leastDepth   = 0.1 // of the mean before: below it nothing is a dip
	leastNoise   = 3.0 // times the noise before, or more with few intervals
	fewNoise     = 3.0
	leastRow     = 2 // intervals in a row
	recoveredRow = result.RecoveredOver
)

// rules describe the test.
func rules() string {
	return fmt.Sprintf("dip: %d intervals in a row, or one without operations, below the mean before by more than %.0f %% and by more than %.0f × (1 + %.0f/n) robust standard "+
		"deviations of the n intervals before, of which there are %d or more; %s", leastRow, 100*leastDepth, leastNoise, fewNoise, leastBefore, result.RecoveredRules())
}

// Of returns the incidents of a phase. A warm-up has none, because nothing is measured in it.
func Of(p *result.Phase) []result.Incident {
	all := causes(p)
	if p.Name == string(plan.Warmup) || len(all) == 0 {
		return nil
	}
	f := finder{phase: p, curve: newCurve(p)}
	for i := range all {
		f.add(&all[i])
	}
	f.close(math.Inf(1))
	return f.out
}

// finder groups causes to incidents.
type finder struct {
	phase *result.Phase
	curve *curve

	open      *group
	low       *group // the last one whose dip had not recovered when it was closed
	disturbed []stretch
	out       []result.Incident
}

// group is an incident that may still get causes.
type group struct {
	causes []*cause

	before *level // nil if it is not determined
	why    string // why it is not
	dip    *dip
	from   int     // its first interval
	to     int     // the interval after its last
	back   float64 // when the throughput recovers, even if another incident begins before
}

func (g *group) first() *cause { return g.causes[0] }

// at is when an incident begins: with its cause, or with a dip before that was noticed.
func (g *group) at(c *curve) float64 {
	if t := g.first().T; g.dip == nil || g.dip.first >= c.ending(t) {
		return t
	}
	return c.points[g.dip.first].T
}

// over is when the last cause of an incident has ended. Minor ones do not prolong it.
func (g *group) over() float64 {
	end := g.first().until
	for _, c := range g.causes[1:] {
		if !c.minor {
			end = max(end, c.until)
		}
	}
	return end
}

// acted is when the last action of an incident has ended.
func (g *group) acted() float64 {
	end := math.Inf(-1)
	for _, c := range g.causes {
		if c.action() {
			end = max(end, c.until)
		}
	}
	return end
}

// lasts is until when further events belong to an incident.
func (g *group) lasts(c *curve) float64 {
	end := g.over() + reach
	switch {
	case g.dip == nil:
	case g.dip.back < 0:
		end = max(end, g.first().until+lookback)
	default:
		end = max(end, c.points[g.dip.back].T)
	}
	return end
}

// add adds a cause to the open incident, or begins one with it. An action soon after another one cannot be distinguished
// from it; a later one is an incident of its own.
func (f *finder) add(c *cause) {
	switch g := f.open; {
	case g != nil && c.action() && c.T < g.acted()+apart, g != nil && !c.action() && c.T < g.lasts(f.curve):
		g.causes = append(g.causes, c)
		if !c.minor {
			f.examine(g, math.Inf(1))
		}
		return
	case c.minor:
		return
	}
	f.close(c.T)
	f.open = &group{causes: []*cause{c}}
	f.examine(f.open, math.Inf(1))
}

// close ends the open incident, because another one begins.
func (f *finder) close(until float64) {
	g := f.open
	if g == nil {
		return
	}
	f.open = nil
	back := f.recovered(g)
	f.examine(g, until)
	if g.back = f.recovered(g); math.IsInf(g.back, 1) {
		g.back = back
	}
	if !g.first().action() && g.from >= g.to {
		return // nothing was measured after it
	}
	f.out = append(f.out, f.incident(g))
	if g.dip != nil && g.dip.back < 0 {
		f.low = g
	}
	for _, c := range g.causes {
		if c.action() {
			f.disturbed = append(f.disturbed, stretch{c.T, c.until})
		}
	}
	if g.dip != nil && !math.IsInf(g.back, 1) {
		f.disturbed = append(f.disturbed, stretch{g.at(f.curve), g.back})
	}
}

// recovered is when the throughput had recovered from an incident's dip, as far as it was measured.
func (f *finder) recovered(g *group) float64 {
	switch {
	case g.dip == nil:
		return math.Inf(-1)
	case g.dip.back < 0:
		return math.Inf(1)
	}
	return f.curve.points[g.dip.back].T
}

// examine determines an incident's dip from the intervals before an instant.
func (f *finder) examine(g *group, until float64) {
	c, at := f.curve, g.first().T
	g.dip = nil
	g.from, g.to = c.ending(at), c.ending(until)
	from := f.noticed(g)
	if from < g.from {
		at = c.points[from].T
	}
	if g.before, g.why = f.before(at); g.before == nil {
		return
	}
	if d, ok := c.fallen(g.before, from, g.to, g.over()+reach); ok {
		g.dip, g.from = &d, min(g.from, d.first)
	}
}

// noticed is the first interval of an incident. Events are noticed late: a dip may have begun before.
func (f *finder) noticed(g *group) int {
	c, first := f.curve, g.first()
	back := reach
	switch {
	case first.action():
		return g.from
	case first.Kind == result.HappenedServer || first.Kind == result.AgentEvent:
		back = lookback
	}
	for k := c.ending(max(first.T-back, f.free())); k < g.from; k++ {
		at := c.points[k].T
		l, _ := f.before(at)
		if l == nil {
			continue
		}
		if d, ok := c.dipIn(l, k, g.to, at+tiny); ok && (at >= first.T-reach || d.back < 0 || c.points[d.back].T > first.T) {
			return k
		}
	}
	return g.from
}

// free is when the last incident no longer disturbs the throughput.
func (f *finder) free() float64 {
	end := math.Inf(-1)
	for _, s := range f.disturbed {
		end = max(end, s.to)
	}
	return end
}

// before is what is usual before an instant, or why that is not determined.
func (f *finder) before(at float64) (*level, string) {
	intervals := f.curve.usual(at, f.disturbed)
	if g := f.low; g != nil && g.back > at {
		// If the throughput has become steady, that is what is usual now.
		from := f.curve.starting(g.over() + reach)
		intervals = slices.DeleteFunc(intervals, func(i int) bool { return i < from })
		if steady, _ := stats.Steady(f.curve.at(intervals)); !steady {
			return nil, fmt.Sprintf("the throughput had neither recovered from %q at %.1f s nor become steady", g.first().Text, g.first().T)
		}
	}
	if len(intervals) < leastBefore {
		return nil, fmt.Sprintf("%d usable intervals before it, %d needed", len(intervals), leastBefore)
	}
	l := f.curve.level(intervals)
	if l.mean <= 0 {
		return nil, "no operation succeeded before it"
	}
	return &l, ""
}

// incident is the document of an incident.
func (f *finder) incident(g *group) result.Incident {
	first := g.first()
	i := result.Incident{
		T: first.T, Kind: first.Kind, Cause: first.Text, Outcome: first.outcome, Events: []result.Event{},
		Errors: make(map[string]uint64), Latency: []result.IncidentLatency{}, Because: g.why, Test: rules(),
	}
	for _, c := range g.causes[1:] {
		i.Events = append(i.Events, c.Event)
	}
	begin, end := g.at(f.curve), g.over()
	if g.dip != nil {
		end = max(end, min(f.recovered(g), f.measured(g)))
	}
	i.Seconds = round(max(end-first.T, 0))
	i.Measured = round(max(f.measured(g)-begin, 0))
	f.cost(&i, g)
	return i
}

// measured is the end of the last interval of an incident.
func (f *finder) measured(g *group) float64 {
	if g.to <= 0 || g.from >= g.to {
		return g.first().T
	}
	return f.curve.end(g.to - 1)
}

// own are the intervals whose errors and response times are those of an incident: until its causes have ended, and the
// throughput has recovered.
func (f *finder) own(g *group) []int {
	end := g.over() + reach
	if g.dip != nil {
		end = max(end, f.recovered(g))
	}
	var out []int
	for i := g.from; i < g.to && f.curve.points[i].T < end-tiny; i++ {
		out = append(out, i)
	}
	return out
}

func round(x float64) float64 { return math.Round(x*1e3) / 1e3 }
