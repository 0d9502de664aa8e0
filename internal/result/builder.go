package result

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/benchd/benchd/internal/latency"
)

// PhaseInfo is what a Builder needs to know about a phase in advance.
type PhaseInfo struct {
	Name       string
	Loop       string        // "closed" or "open"; "mixed" with groups of both
	Planned    time.Duration // 0 where operations end it
	PlannedOps uint64        // over all shards; 0 where time ends it
	// Length is how long the phase has been; if it is 0, Planned is used. It only decides how long the points of the
	// series are. See PointLength.
	Length time.Duration
	// Intended returns how many operations all shards together intend in the first d of the phase, for an open
	// loop; nil for a closed one.
	Intended func(d time.Duration) float64
	// Groups are the groups of workers of the phase; nil for a run without groups.
	Groups []GroupInfo
}

// ShardInfo is a shard as it was handed out to an agent.
type ShardInfo struct {
	Index, Attempt int
	Agent          string
	Host           string // agents of one host share its CPU; empty for a host of its own
	CPUs           string // the processors of the host that the agent may use, if not all
	Workers        int
	GoesOn         bool // it continues exactly where the previous attempt ended, so nothing of that attempt is missing
}

// BuilderConfig configures a Builder.
type BuilderConfig struct {
	Run      string        // whose windows are taken; empty for any
	Interval time.Duration // of windows
	Phases   []PhaseInfo   // in their order
	Shards   []ShardInfo

	// NotFoundShare is the largest acceptable share of NOT_FOUND (law 3); 1 is no limit.
	NotFoundShare float64
	// Percentiles (0 to 100) are added to those that every result has, in the Combined series.
	Percentiles []float64
	// Combine says what is combined.
	Combine Combine
	// LiveOnly keeps no series, no course of the generators' health and no agent's totals: the Builder is for Live. Without it, Live has no
	// percentiles of agents.
	LiveOnly bool
	// InOrder promises that the windows of each phase are added in the order of their starts, as an archive has them: then intervals end
	// earlier, and take less memory.
	InOrder bool
}

// Builder makes a result from windows. It is not safe for concurrent use.
type Builder struct {
	cfg     BuilderConfig
	scale   scale
	phases  map[string]*phase
	order   []*phase
	agents  map[shardID]ShardInfo
	indexes map[int]struct{} // of shards
}

// phase is what was measured in one phase.
type phase struct {
	info       PhaseInfo
	totals     totals
	series     *series
	ledger     ledger
	generators map[string]*generator
	errors     map[errorKind]errorSample
	latest     map[string]*agentWindow // by agent
	agents     []*agentWindow          // the same, by name
	good       latency.Histogram       // scratch of see

	after       uint64 // operations after the planned end
	rows, bytes uint64
	retries     map[string]uint64 // by cause; nil where there were none
	groups      map[string]*groupTotals
	end         time.Duration // of the last window that is not a tail
}

// NewBuilder returns a Builder that has no window yet.
func NewBuilder(cfg BuilderConfig) *Builder {
	b := &Builder{
		cfg:     cfg,
		scale:   newScale(cfg.Percentiles),
		phases:  make(map[string]*phase, len(cfg.Phases)),
		agents:  make(map[shardID]ShardInfo, len(cfg.Shards)),
		indexes: make(map[int]struct{}, len(cfg.Shards)),
	}
	for _, info := range cfg.Phases {
		step := cfg.Interval
		if !cfg.LiveOnly {
			step = PointLength(cfg.Interval, cmp.Or(info.Length, info.Planned))
		}
		p := &phase{
			info:       info,
			series:     newSeries(step, cfg.InOrder, cfg.LiveOnly, b.scale),
			ledger:     make(ledger),
			generators: make(map[string]*generator),
			errors:     make(map[errorKind]errorSample),
			latest:     make(map[string]*agentWindow),
		}
		b.phases[info.Name] = p
		b.order = append(b.order, p)
	}
	for _, info := range cfg.Shards {
		b.Shard(info)
	}
	return b
}

// Shard adds a shard that was handed out later.
func (b *Builder) Shard(info ShardInfo) {
	b.agents[shardID{info.Index, info.Attempt}] = info
	b.indexes[info.Index] = struct{}{}
}

// shards are the shards in order.
func (b *Builder) shards() []ShardInfo {
	out := make([]ShardInfo, 0, len(b.agents))
	for _, info := range b.agents {
		out = append(out, info)
	}
	slices.SortFunc(out, func(x, y ShardInfo) int {
		return compareShards(shardID{x.Index, x.Attempt}, shardID{y.Index, y.Attempt})
	})
	return out
}

// Add merges a window and reports whether it was new: a window is merged only once. Windows may come in any order. A
// window that is refused with an error changes nothing. Add keeps no reference to w.
func (b *Builder) Add(w *latency.Window) (added bool, err error) {
	p, shard, err := b.validate(w)
	if err != nil {
		return false, fmt.Errorf("add window %d of %s, shard %d: %w", w.ID.Seq, w.ID.Phase, w.ID.Shard, err)
	}
	e := p.ledger.of(shardID{w.ID.Shard, w.ID.Attempt})
	if !e.add(w) {
		return false, nil
	}
	if err := p.add(w, shard.Agent, b.cfg.LiveOnly); err != nil {
		return false, fmt.Errorf("add window %d of %s, shard %d: %w", w.ID.Seq, w.ID.Phase, w.ID.Shard, err)
	}
	return true, nil
}

// validate checks all of a window before any of it is merged.
func (b *Builder) validate(w *latency.Window) (*phase, ShardInfo, error) {
	if b.cfg.Run != "" && w.ID.Run != b.cfg.Run {
		return nil, ShardInfo{}, fmt.Errorf("it belongs to run %s, not to %s", w.ID.Run, b.cfg.Run)
	}
	p := b.phases[w.ID.Phase]
	if p == nil {
		return nil, ShardInfo{}, errors.New("the run has no such phase")
	}
	shard, ok := b.agents[shardID{w.ID.Shard, w.ID.Attempt}]
	if !ok {
		return nil, ShardInfo{}, fmt.Errorf("attempt %d of the shard was not handed out", w.ID.Attempt)
	}
	if w.ID.Seq < 0 || w.Start < 0 || w.End < w.Start {
		return nil, ShardInfo{}, fmt.Errorf("invalid time range: from %s to %s", w.Start, w.End)
	}
	for i := range w.Series {
		if err := w.Series[i].Validate(); err != nil {
			return nil, ShardInfo{}, err
		}
	}
	return p, shard, nil
}

func (p *phase) add(w *latency.Window, agent string, liveOnly bool) error {
	whose := agent
	if liveOnly {
		whose = "" // the agents' own totals would dominate the memory of a large fleet
	}
	if err := p.totals.add(whose, w.Series); err != nil {
		return err
	}
	if err := p.series.add(w); err != nil {
		return err
	}
	if err := p.see(w, agent, liveOnly); err != nil {
		return err
	}
	g := p.generators[agent]
	if g == nil {
		g = newGenerator(!liveOnly)
		p.generators[agent] = g
	}
	if err := g.add(w, p.mixed(), p.series.slotOf(w), p.totals.newSum); err != nil {
		return err
	}
	p.sample(w, agent)
	p.rows += w.Rows
	p.bytes += w.Bytes
	p.retries = addRetries(p.retries, w.Retries)
	p.addGroups(w)
	if w.Tail {
		p.after += latency.Ops(w.Series)
	} else {
		p.end = max(p.end, w.End)
	}
	return nil
}

// begun reports whether a window of the phase has come.
func (p *phase) begun() bool { return len(p.latest) > 0 }

// throughput is the number of operations done within the phase per second.
func (p *phase) throughput() float64 {
	if p.end <= 0 {
		return 0
	}
	return float64(p.totals.count()-p.after) / p.end.Seconds()
}

// offered is the rate intended during the phase, in operations per second. Where operations end the phase, it is the
// rate until the last of them was intended: the time that the target then took does not lower it. A lost shard does
// lower it, because it intends nothing more.
func (p *phase) offered(shards int) *float64 {
	if p.info.Intended == nil {
		return nil
	}
	return p.offeredBy(p.info.Intended, shards)
}

// offeredBy is offered for the operations that a function counts.
func (p *phase) offeredBy(intended func(time.Duration) float64, shards int) *float64 {
	if p.end <= 0 || shards == 0 {
		return nil
	}
	until := p.end
	if n := float64(p.info.PlannedOps); n > 0 && intended(until) >= n {
		until = p.whenIntended(n)
	}
	var sum float64
	for _, e := range p.ledger {
		from, to := e.start, min(e.end, until)
		if e.last && !e.tail {
			to = until // it had finished its part
		}
		if from < to {
			sum += intended(to) - intended(from)
		}
	}
	rate := sum / float64(shards) / until.Seconds()
	return &rate
}

// whenIntended is the time by which n operations are intended.
func (p *phase) whenIntended(n float64) time.Duration {
	low, high := time.Duration(0), p.end
	for high-low > time.Microsecond {
		if mid := (low + high) / 2; p.info.Intended(mid) < n {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}
