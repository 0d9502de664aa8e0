package result

import (
	"time"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/workload"
)

// Group is what a group of workers has done in a phase. Its operations are also in the phase's own list, as GROUP.OP.
type Group struct {
	Name       string   `json:"name"`
	Loop       string   `json:"loop"`
	Workers    int      `json:"workers"` // over all agents
	Ops        uint64   `json:"ops"`
	OpsAfter   uint64   `json:"ops_after_end"`
	Rows       uint64   `json:"rows"`
	Bytes      uint64   `json:"bytes"`
	Throughput float64  `json:"throughput"`
	Offered    *float64 `json:"offered,omitempty"` // open loop only
	LateSends  uint64   `json:"late_sends"`
	Unsent     uint64   `json:"unsent"` // intended and not sent when the phase ended; open loop only

	Operations []Operation `json:"operations"`
}

// GroupReconcile has the counts of law 9 of a group of workers, over all phases.
type GroupReconcile struct {
	Name     string `json:"name"`
	Issued   uint64 `json:"issued"`
	Recorded uint64 `json:"recorded"`
	Merged   uint64 `json:"merged"`
	OK       bool   `json:"ok"`
}

// GroupInfo is what a Builder needs to know about a group of workers in advance.
type GroupInfo struct {
	Name     string
	Loop     string
	Workers  int
	Intended func(d time.Duration) float64 // see PhaseInfo
}

// groupTotals is what a group of workers has moved in a phase.
type groupTotals struct{ after, rows, bytes, late uint64 }

// addGroups adds what the groups of workers have done in a window.
func (p *phase) addGroups(w *latency.Window) {
	if len(p.info.Groups) == 0 {
		return
	}
	if p.groups == nil {
		p.groups = make(map[string]*groupTotals)
	}
	of := func(name string) *groupTotals {
		if p.groups[name] == nil {
			p.groups[name] = new(groupTotals)
		}
		return p.groups[name]
	}
	for _, g := range w.Groups {
		sum := of(g.Name)
		sum.rows += g.Rows
		sum.bytes += g.Bytes
		sum.late += g.LateSends
	}
	if !w.Tail {
		return
	}
	for i := range w.Series {
		if s := &w.Series[i]; s.Key.PartOf == "" {
			name, _ := workload.SplitGroup(s.Key.Op)
			of(name).after += s.Response.Count()
		}
	}
}

// groupDocuments returns the groups of workers of a phase with these operations.
func (p *phase) groupDocuments(operations []Operation, shards int) []Group {
	var out []Group
	for i := range p.info.Groups {
		info := &p.info.Groups[i]
		g := Group{Name: info.Name, Loop: info.Loop, Workers: info.Workers, Operations: []Operation{}}
		for _, o := range operations {
			name, op := workload.SplitGroup(o.Op)
			if name != info.Name {
				continue
			}
			o.Op = op
			if o.PartOf == nil {
				g.Ops += o.Count
			} else {
				_, whole := workload.SplitGroup(*o.PartOf)
				o.PartOf = &whole
			}
			g.Operations = append(g.Operations, o)
		}
		if sum := p.groups[info.Name]; sum != nil {
			g.OpsAfter, g.Rows, g.Bytes, g.LateSends = sum.after, sum.rows, sum.bytes, sum.late
		}
		if p.end > 0 {
			g.Throughput = float64(g.Ops-g.OpsAfter) / p.end.Seconds()
		}
		if info.Intended != nil {
			g.Offered = p.offeredBy(info.Intended, shards)
		}
		for _, e := range p.ledger {
			g.Unsent += e.groups[info.Name].backlog
		}
		out = append(out, g)
	}
	return out
}

// mostBacklog returns the largest backlog of a group, summed over its shards.
func (p *phase) mostBacklog(group string) (n uint64) {
	for _, e := range p.ledger {
		n += e.groups[group].most
	}
	return n
}

// mergedOf returns the number of operations of a group that the phase holds.
func (p *phase) mergedOf(group string) (n uint64) {
	for s := range p.totals.all {
		if name, _ := workload.SplitGroup(s.Key.Op); name == group && s.Key.PartOf == "" {
			n += s.Response.Count()
		}
	}
	return n
}

// reconcileGroups compares the counts of each group of workers; nil for a run without groups.
func (b *Builder) reconcileGroups() []GroupReconcile {
	var out []GroupReconcile
	at := make(map[string]int)
	for _, p := range b.order {
		for i := range p.info.Groups {
			name := p.info.Groups[i].Name
			if _, known := at[name]; !known {
				at[name] = len(out)
				out = append(out, GroupReconcile{Name: name})
			}
			r := &out[at[name]]
			for _, e := range p.ledger {
				r.Issued += e.groups[name].issued
				r.Recorded += e.groups[name].recorded
			}
			r.Merged += p.mergedOf(name)
		}
	}
	for i := range out {
		r := &out[i]
		r.OK = r.Issued == r.Recorded && r.Recorded == r.Merged
	}
	return out
}

// LoopOf returns the loop of an operation of the phase: that of its group of workers, or of the phase.
func (p *Phase) LoopOf(op string) string {
	name, _ := workload.SplitGroup(op)
	for i := range p.Groups {
		if p.Groups[i].Name == name {
			return p.Groups[i].Loop
		}
	}
	return p.Loop
}

// mixed reports whether the phase has operations of both loops, whose response times are not merged (law 2).
func (p *phase) mixed() bool { return p.info.Loop == string(plan.Mixed) }

// paced reports whether any operation of the phase is intended by the clock.
func (p *phase) paced() bool { return p.info.Intended != nil || p.mixed() }
