package result

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/benchd/benchd/internal/latency"
)

// Snapshot is a run in progress: its current phase, and the last interval of it that all agents have reported.
type Snapshot struct {
	Phase      string // empty before the first window
	Loop       string
	Elapsed    time.Duration // to the end of the last complete interval
	Planned    time.Duration
	PlannedOps uint64
	Ops        uint64   // in the phase, so far
	Offered    *float64 // open loop: the rate that has been intended so far

	Interval   time.Duration // how long the last complete interval was
	Rate       float64       // operations per second in it
	Operations []PointOperation
	Totals     []Operation     // the phase so far
	Agents     []AgentSnapshot // by name
}

// AgentSnapshot is an agent in its newest window.
type AgentSnapshot struct {
	Name    string
	Until   time.Duration // the window's end, from the phase's start
	Ended   bool          // whether no more windows of the phase will arrive
	Behind  bool          // whether it has not reported the interval that the Snapshot shows
	Rate    float64       // operations per second
	P99     *float64      // of all good operations, in microseconds
	Idle    float64       // the host's idle share; negative when unknown
	OwnCPU  float64
	Late    uint64
	Backlog uint64
}

// agentWindow is what Live shows of an agent's newest window.
type agentWindow struct {
	AgentSnapshot
	entry *entry // of its shard
	slot  Slot
}

// patience is how many intervals behind the newest window Live stays at most, waiting for the slowest agent.
const patience = 3

// see keeps what Live shows of a window if it is its agent's newest. An agent's tail is too short to be shown. Percentiles take time, and only
// live views show them.
func (p *phase) see(w *latency.Window, agent string, percentiles bool) error {
	now := p.latest[agent]
	switch {
	case now == nil:
		now = new(agentWindow)
		p.latest[agent] = now
		at, _ := slices.BinarySearchFunc(p.agents, agent, func(a *agentWindow, name string) int { return cmp.Compare(a.Name, name) })
		p.agents = slices.Insert(p.agents, at, now)
	case now.Until >= w.End || w.Tail:
		return nil
	}
	*now = agentWindow{
		AgentSnapshot: AgentSnapshot{
			Name:    agent,
			Until:   w.End,
			Idle:    w.Health.HostIdle,
			OwnCPU:  w.Health.OwnCPU,
			Late:    w.Health.LateSends,
			Backlog: w.Health.Backlog,
		},
		entry: p.ledger.of(shardID{w.ID.Shard, w.ID.Attempt}),
		slot:  p.series.slotOf(w),
	}
	if length := (w.End - w.Start).Seconds(); length > 0 {
		now.Rate = float64(latency.Ops(w.Series)) / length
	}
	if w.Health.Cores <= 0 {
		now.Idle = -1
	}
	if percentiles {
		good := &p.good
		good.Reset()
		for i := range w.Series {
			if key := w.Series[i].Key; key.PartOf == "" && Good(key.Outcome) && !p.mixed() {
				if err := good.Merge(w.Series[i].Response); err != nil {
					return err
				}
			}
		}
		now.P99 = p.series.scale.p99.of(good)
	}
	return nil
}

// Live is the state of the phase that began last.
func (b *Builder) Live() Snapshot {
	var p *phase
	for _, q := range b.order {
		if q.begun() {
			p = q
		}
	}
	if p == nil {
		return Snapshot{}
	}
	s := Snapshot{
		Phase:      p.info.Name,
		Loop:       p.info.Loop,
		Planned:    p.info.Planned,
		PlannedOps: p.info.PlannedOps,
		Ops:        p.totals.count(),
		Offered:    p.offered(b.shardCount()),
		Totals:     p.totals.operations(b.scale),
	}
	at, shown := p.complete()
	if shown {
		iv := p.series.open[at]
		s.Elapsed = iv.End
		s.Interval = iv.End - iv.Start
		if s.Interval > 0 {
			s.Rate = float64(iv.ops) / s.Interval.Seconds()
		}
		for _, key := range slices.SortedFunc(maps.Keys(iv.cells), compareKeys) {
			s.Operations = append(s.Operations, p.series.point(key, iv.cells[key]))
		}
	}
	s.Agents = make([]AgentSnapshot, len(p.agents))
	for i, a := range p.agents {
		s.Agents[i] = a.AgentSnapshot
		s.Agents[i].Ended = a.entry.over()
		s.Agents[i].Behind = shown && !s.Agents[i].Ended && a.slot.before(at)
	}
	return s
}

// complete is the last interval that all working agents have reported, or the one patience intervals ago if an agent
// delays it; once all agents have ended, it is the last interval of all.
func (p *phase) complete() (Slot, bool) {
	newest, slowest := Slot{Index: -1}, Slot{Index: -1}
	waiting := false
	for _, a := range p.agents {
		if newest.before(a.slot) {
			newest = a.slot
		}
		if a.entry.over() {
			continue
		}
		if !waiting || a.slot.before(slowest) {
			slowest, waiting = a.slot, true
		}
	}
	limit := newest
	if waiting {
		limit = slowest
		if newest.Index-slowest.Index > patience {
			limit = Slot{Index: newest.Index - patience}
		}
	}
	var best Slot
	found := false
	for at := range p.series.open {
		if !at.Tail && !limit.before(at) && (!found || best.before(at)) {
			best, found = at, true
		}
	}
	return best, found
}

// shardCount is how many shards the run is cut into.
func (b *Builder) shardCount() int { return len(b.indexes) }
