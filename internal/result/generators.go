package result

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/benchd/benchd/internal/latency"
)

// generator is the health of one agent's load generator in a phase.
type generator struct {
	ops      uint64
	paced    uint64  // operations of an open loop
	seconds  float64 // of the windows that report the host's CPU
	idle     float64 // host's idle share × seconds
	cores    float64
	idleMin  float64       // +Inf before the first window that is long enough
	ownCPU   float64       // CPU seconds of the agent's process
	elapsed  float64       // of all windows with a health
	end      time.Duration // of its last window that is not a tail
	netRx    uint64
	netTx    uint64
	pauses   int
	pauseSum time.Duration
	pauseMax time.Duration
	lagP99   time.Duration
	lagMax   time.Duration
	netUse   float64 // the largest share of an interface's speed
	late     uint64
	lateMax  time.Duration
	backlog  uint64
	lateness *agentSum // nil before the first

	course map[int64]*health // by the series' slots; nil when no series is kept
}

// health is a generator's state over one interval.
type health struct {
	start, end time.Duration
	seconds    float64 // for which idle is known
	idle       float64 // share × seconds
	lagP99     time.Duration
	pauses     time.Duration
	netUse     float64 // share × seconds
	netSeconds float64 // for which netUse is known
	ops        uint64
	paced      uint64   // operations of an open loop
	response   exactSum // of their response times
	late       uint64   // operations sent late
}

// shortest is the shortest window whose idle CPU counts as a figure of its own: hosts account for CPU in
// steps of 10 ms.
const shortest = 50 * time.Millisecond

func newGenerator(keepCourse bool) *generator {
	g := &generator{idleMin: math.Inf(1)}
	if keepCourse {
		g.course = make(map[int64]*health)
	}
	return g
}

// add adds a window. newSum returns an empty sum.
func (g *generator) add(w *latency.Window, mixed bool, at Slot, newSum func() *agentSum) error {
	h := &w.Health
	if g.course != nil && w.Lateness != nil {
		if g.lateness == nil {
			g.lateness = newSum()
		}
		if err := g.lateness.merge(w.Lateness); err != nil {
			return fmt.Errorf("merge lateness: %w", err)
		}
	}
	length := w.End - w.Start
	ops := latency.Ops(w.Series)
	paced := ops
	if mixed { // the lateness of a window is that of its open loops
		paced = 0
		if w.Lateness != nil {
			paced = w.Lateness.Count()
		}
	}
	g.ops += ops
	g.paced += paced
	g.netRx += h.NetRx
	g.netTx += h.NetTx
	if length >= shortest && !w.Tail {
		g.netUse = max(g.netUse, h.NetUse)
	}
	g.pauses += h.GCPauses
	g.pauseSum += h.GCPauseTotal
	g.pauseMax = max(g.pauseMax, h.GCPauseMax)
	g.lagP99 = max(g.lagP99, h.SchedLagP99)
	g.lagMax = max(g.lagMax, h.SchedLagMax)
	g.late += h.LateSends
	g.lateMax = max(g.lateMax, h.LateMax)
	g.ownCPU += h.OwnCPU * length.Seconds()
	g.elapsed += length.Seconds()
	if w.Tail {
		return nil // nothing was offered any more, so idle CPU and backlog mean nothing
	}
	g.end = max(g.end, w.End)
	g.backlog = max(g.backlog, h.Backlog)
	known := h.Cores > 0 && h.HostIdle >= 0 && length > 0
	if known {
		if length >= shortest {
			g.idleMin = min(g.idleMin, h.HostIdle)
		}
		g.seconds += length.Seconds()
		g.idle += h.HostIdle * length.Seconds()
		g.cores = max(g.cores, h.Cores)
	}
	if g.course == nil {
		return nil
	}
	c := g.course[at.Index]
	if c == nil {
		c = &health{start: w.Start, end: w.End}
		g.course[at.Index] = c
	}
	c.start, c.end = min(c.start, w.Start), max(c.end, w.End)
	c.lagP99 = max(c.lagP99, h.SchedLagP99)
	c.pauses += h.GCPauseTotal
	c.addOps(w.Series)
	c.paced += paced
	c.late += h.LateSends
	if h.NetUse > 0 {
		c.netUse += h.NetUse * length.Seconds()
		c.netSeconds += length.Seconds()
	}
	if known {
		c.seconds += length.Seconds()
		c.idle += h.HostIdle * length.Seconds()
	}
	return nil
}

// clientEvents sums the events of the target's client over an agent's shards in a phase; nil if there are none.
func (b *Builder) clientEvents(p *phase, agent string) map[string]uint64 {
	var sum map[string]uint64
	for id, e := range p.ledger {
		if b.agents[id].Agent != agent {
			continue
		}
		for name, n := range e.client {
			if sum == nil {
				sum = make(map[string]uint64, len(e.client))
			}
			sum[name] += n
		}
	}
	return sum
}

// lateness is how late the operations of a histogram were sent; nil if it has none.
func (s scale) lateness(h *latency.Histogram) *Lateness {
	if h.Count() == 0 {
		return nil
	}
	ms := func(us *float64) *float64 {
		if us != nil {
			*us = rounded(*us/1000, 6)
		}
		return us
	}
	return &Lateness{
		Count: h.Count(), Mean: milliseconds(time.Duration(h.Mean())), Max: milliseconds(time.Duration(h.Max())),
		P50: ms(s.p50.of(h)), P99: ms(s.p99.of(h)), P999: ms(s.p999.of(h)),
	}
}

// figures are the generator's entry in the result.
func (g *generator) figures(name string, s scale) Generator {
	out := Generator{
		Name:         name,
		Seconds:      g.end.Seconds(),
		NetRx:        g.netRx,
		NetTx:        g.netTx,
		GCPauses:     g.pauses,
		GCPauseTotal: milliseconds(g.pauseSum),
		GCPauseMax:   milliseconds(g.pauseMax),
		SchedLagP99:  milliseconds(g.lagP99),
		SchedLagMax:  milliseconds(g.lagMax),
		LateSends:    g.late,
		LateMax:      milliseconds(g.lateMax),
		BacklogMax:   g.backlog,
	}
	g.lateness.read(func(h *latency.Histogram) { out.Lateness = s.lateness(h) })
	if g.seconds > 0 {
		mean := rounded(100*g.idle/g.seconds, 2)
		lowest := min(rounded(100*g.idleMin, 2), mean)
		out.IdleMin, out.IdleMean = &lowest, &mean
	}
	if g.netUse > 0 {
		most := rounded(100*g.netUse, 2)
		out.NetUse = &most
	}
	if g.elapsed > 0 {
		out.OwnCPU = rounded(g.ownCPU/g.elapsed, 3)
	}
	if g.ops > 0 {
		out.CPUPerOp = rounded(g.ownCPU/float64(g.ops)*1e6, 3)
	}
	return out
}

// rounded is x rounded to a number of decimals.
func rounded(x float64, decimals int) float64 {
	unit := math.Pow10(decimals)
	return math.Round(x*unit) / unit
}

// steps are the generator's course in time.
func (g *generator) steps() []*health { return sorted(g.course) }

func sorted(course map[int64]*health) []*health {
	steps := slices.AppendSeq(make([]*health, 0, len(course)), maps.Values(course))
	slices.SortFunc(steps, func(a, b *health) int { return cmp.Compare(a.start, b.start) })
	return steps
}
