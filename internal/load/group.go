package load

import (
	"fmt"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/pacing"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/workload"
)

// group is the workers of a segment that share a workload and a pacing. A run without groups of workers has one, without a name.
// All groups of a segment share its start, its end and its windows.
type group struct {
	name     string
	settings *plan.Settings
	shard    *workload.Shard
	catalog  *catalog
	schedule pacing.Schedule // nil in the closed loop
	backlog  backlog
	workers  []*worker
}

// newGroup builds what the workers of a group share; keys are the series of the groups before it.
func (s *segment) newGroup(of *plan.Group, keys []latency.Key, workers []int) (*group, error) {
	g := &group{name: of.Name, settings: &of.Settings, catalog: newCatalog(keys, of.Name, &of.Settings.Workload, s.load, s.r.stages())}
	var err error
	if g.schedule, err = s.schedule(of); err != nil {
		return nil, err
	}
	if g.backlog.schedule, err = s.schedule(of); err != nil {
		return nil, err
	}
	shard := s.r.cfg.Shard
	if g.shard, err = workload.NewShard(of.Settings.Workload, s.load, shard.Index, shard.Count, workers); err != nil {
		return nil, fmt.Errorf("build generators: %w", err)
	}
	return g, nil
}

// stages names the stages of the target's inserts.
func (r *Runner) stages() []string {
	for _, t := range r.targets {
		if staged, ok := t.(Staged); ok {
			return staged.Stages()
		}
	}
	return nil
}

// schedule returns a schedule of a group's operations; nil in the closed loop.
func (s *segment) schedule(of *plan.Group) (pacing.Schedule, error) {
	pace := of.Settings.PacingOf(s.phases[0].Name)
	if pace.Arrival == pacing.Replay {
		return s.r.replay.Schedule(), nil
	}
	shard := s.r.cfg.Shard
	schedule, err := pacing.New(pace, shard.Index, shard.Count, of.Settings.Workload.Seed)
	if err != nil {
		return nil, fmt.Errorf("build schedule: %w", err)
	}
	return schedule, nil
}

// issued returns how many operations the group's workers have begun.
func (g *group) issued() (n uint64) {
	for _, w := range g.workers {
		n += w.counts.issued.Load()
	}
	return n
}

// inserts reports whether the group's workers insert rows while they may read others.
func (g *group) inserts() bool { return g.settings.Workload.Proportions.Insert > 0 }

// inserter returns the group that inserts rows, or the first one if none does. A run has at most one.
func (s *segment) inserter() *group {
	for _, g := range s.groups {
		if g.inserts() {
			return g
		}
	}
	return s.groups[0]
}

// targets returns the part of the target that each worker's session is on.
func (c *Config) targets() ([]Target, error) {
	var all []Target
	for _, g := range c.Settings.GroupsIn(c.Shard.Phases[0].Name) {
		workers, err := plan.Workers(g.Settings, c.Shard.Count)
		if err != nil {
			return nil, fmt.Errorf("prepare shard: %w", err)
		}
		target, own := c.Targets[g.Name]
		if !own {
			target = c.Target
		}
		for range workers[c.Shard.Index] {
			all = append(all, target)
		}
	}
	return all, nil
}

// groupCounts adds what each group has done to a window. A run without groups of workers has none.
func (c *cutter) groupCounts(w *latency.Window) {
	if c.s.groups[0].name == "" {
		return
	}
	recorded := make(map[string]uint64, len(c.s.groups))
	for i := range w.Series {
		if key := w.Series[i].Key; key.PartOf == "" {
			name, _ := workload.SplitGroup(key.Op)
			recorded[name] += w.Series[i].Response.Count()
		}
	}
	for i, g := range c.s.groups {
		n := &c.groups[i]
		var rows, bytes, late uint64
		for _, worker := range g.workers {
			rows += worker.counts.rows.Load()
			bytes += worker.counts.bytes.Load()
			late += worker.counts.late.Load()
		}
		n.all.issued, n.all.recorded = g.issued(), n.all.recorded+recorded[g.name]
		w.Groups = append(w.Groups, latency.GroupCount{
			Name: g.name, Issued: n.all.issued - n.before.issued, Recorded: n.all.recorded - n.before.recorded,
			Rows: rows - n.rows, Bytes: bytes - n.bytes, LateSends: late, Backlog: g.backlog.left,
		})
		n.rows, n.bytes = rows, bytes
	}
}

// groupCount counts the operations of a group, and what they moved, in all phases of the segment.
type groupCount struct {
	before, all count
	rows, bytes uint64
}
