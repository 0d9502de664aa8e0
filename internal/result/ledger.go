package result

import (
	"cmp"
	"time"

	"github.com/benchd/benchd/internal/latency"
)

// shardID is a shard as it was handed out once.
type shardID struct{ index, attempt int }

func compareShards(a, b shardID) int {
	return cmp.Or(cmp.Compare(a.index, b.index), cmp.Compare(a.attempt, b.attempt))
}

// entry is the ledger's account of one shard in one phase.
type entry struct {
	have    seqSet
	newest  int // the largest window number, −1 before any
	last    bool
	tail    bool // the last window is of what was done after the end
	counted bool // the agent has reported how many windows there are
	count   int  // how many, when counted

	start   time.Duration // of the earliest window; 0 while a first attempt's window 0 is missing
	end     time.Duration // of the newest window that is not a tail
	until   time.Duration // of the newest window
	lost    bool
	lostAt  time.Duration
	between bool // lost before its first operation of the phase
	why     string

	client           map[string]uint64 // events of the target's client, as the agent has counted them
	issued, recorded uint64            // as the agent counted
	merged           uint64            // as received
	backlog          uint64            // at the end of the newest window that is not a tail

	groups map[string]groupEntry // the same counts of each group of workers
}

func newEntry() *entry { return &entry{newest: -1} }

// add accounts for a window and reports whether it is new.
func (e *entry) add(w *latency.Window) bool {
	if !e.have.add(w.ID.Seq, Stretch{w.Start, w.End}) {
		return false
	}
	if w.ID.Seq == 0 || w.ID.Attempt > 1 && (e.newest < 0 || w.Start < e.start) {
		e.start = w.Start
	}
	if w.ID.Seq > e.newest {
		e.newest = w.ID.Seq
		e.until = w.End
		if !w.Tail {
			e.backlog = w.Health.Backlog
		}
	}
	// Both are cumulative: the newest window has the largest values.
	e.issued = max(e.issued, w.Issued)
	e.recorded = max(e.recorded, w.Recorded)
	e.addGroups(w)
	if w.Last {
		e.last, e.tail = true, w.Tail
	}
	if !w.Tail {
		e.end = max(e.end, w.End)
	}
	for i := range w.Series {
		if w.Series[i].Key.PartOf == "" {
			e.merged += w.Series[i].Response.Count()
		}
	}
	return true
}

// addGroups accounts for the groups of workers of a window. It is called after newest is set.
func (e *entry) addGroups(w *latency.Window) {
	for _, g := range w.Groups {
		if e.groups == nil {
			e.groups = make(map[string]groupEntry)
		}
		sum := e.groups[g.Name]
		sum.issued, sum.recorded = max(sum.issued, g.Issued), max(sum.recorded, g.Recorded)
		if !w.Tail {
			sum.most = max(sum.most, g.Backlog)
		}
		if w.ID.Seq == e.newest && !w.Tail {
			sum.backlog = g.Backlog
		}
		e.groups[g.Name] = sum
	}
}

// groupEntry is the account of a group of workers of one shard in one phase.
type groupEntry struct {
	issued, recorded uint64
	backlog, most    uint64 // at the end of the newest window, and of any window, that is not a tail
}

// over reports whether no more windows of the shard's phase will arrive.
func (e *entry) over() bool { return e.last || e.counted || e.lost }

// gaps are the windows that should have arrived and have not.
func (e *entry) gaps() []Range {
	if e.counted {
		return e.have.gaps(max(e.count, e.have.end()))
	}
	return e.have.gaps(e.have.end())
}

// late is how much of the phase's beginning the windows of a first attempt do not cover. A later attempt begins where it
// can.
func (e *entry) late(attempt int) time.Duration {
	if at, ok := e.have.start(); ok && attempt == 1 {
		return at
	}
	return 0
}

// ledger holds the entries of one phase.
type ledger map[shardID]*entry

func (l ledger) of(id shardID) *entry {
	e := l[id]
	if e == nil {
		e = newEntry()
		l[id] = e
	}
	return e
}

// Loss records that an agent was lost, or left, before its shard had ended.
type Loss struct {
	Shard, Attempt int
	Phase          string        // in which it was, or which it had not begun
	At             time.Duration // from the phase's start; negative when it had not begun
	Why            string        // in a few words; may be empty
}

// Lost records a loss, so that the result shows when it happened.
func (b *Builder) Lost(l Loss) {
	p := b.phases[l.Phase]
	if p == nil {
		return
	}
	e := p.ledger.of(shardID{l.Shard, l.Attempt})
	e.lost, e.lostAt, e.between, e.why = true, max(l.At, 0), l.At < 0, l.Why
}

// PhaseEnd is what an agent reports at the end of its shard's phase.
type PhaseEnd struct {
	Shard, Attempt   int
	Phase            string
	Windows          int // their numbers are 0 to Windows−1
	Issued, Recorded uint64
	Client           map[string]uint64 // events of the target's client besides operations
}

// Ended records the end of a shard's phase, so that windows that never arrived are known to be missing.
func (b *Builder) Ended(end PhaseEnd) {
	p := b.phases[end.Phase]
	if p == nil {
		return
	}
	e := p.ledger.of(shardID{end.Shard, end.Attempt})
	e.counted, e.count, e.client = true, end.Windows, end.Client
	e.issued = max(e.issued, end.Issued)
	e.recorded = max(e.recorded, end.Recorded)
}

// missing lists what a result lacks. Only phases that began count: a run that ended before a phase does not lack its
// windows. A run that was stopped has shards that ended before their phase's planned end.
func (b *Builder) missing(stopped bool) []string {
	var parts []ShardPhase
	gone := make(map[shardID]bool) // lost in an earlier phase
	for _, p := range b.order {
		if !p.begun() {
			continue
		}
		for _, info := range b.shards() {
			id := shardID{info.Index, info.Attempt}
			if gone[id] {
				continue
			}
			e := p.ledger[id]
			if e == nil {
				if b.served(p, info) {
					continue
				}
				e = newEntry()
			}
			gone[id] = e.lost
			handedOver := b.handedOver(id)
			parts = append(parts, ShardPhase{
				Agent: info.Agent, Phase: p.info.Name, Planned: p.info.Planned,
				Gaps: e.gaps(), Begun: e.newest >= 0, Ended: e.last || e.counted || handedOver, Until: e.until,
				Lost: e.lost && !handedOver, LostAt: e.lostAt, Between: e.between, Why: e.why,
				Late: e.late(id.attempt), Holes: e.have.uncovered(), Short: !handedOver && !stopped && p.endedEarly(e),
			})
		}
	}
	return Missing(parts)
}

// endedEarly reports whether a shard ended before the planned end of a phase that only time ends.
func (p *phase) endedEarly(e *entry) bool {
	return p.info.Planned > 0 && p.info.PlannedOps == 0 && !e.lost && (e.last || e.counted) && len(e.gaps()) == 0 &&
		e.until < p.info.Planned
}

// handedOver reports whether another attempt continues exactly where this one ended.
func (b *Builder) handedOver(id shardID) bool {
	next, ok := b.agents[shardID{id.index, id.attempt + 1}]
	return ok && next.GoesOn
}

// served reports whether another attempt at the same shard has windows of the phase, or will have: then the attempt
// info need not have any.
func (b *Builder) served(p *phase, info ShardInfo) bool {
	for id, e := range p.ledger {
		if id.index == info.Index && id.attempt != info.Attempt && e.newest >= 0 {
			return true
		}
	}
	for id := range b.agents {
		if id.index == info.Index && id.attempt > info.Attempt {
			return true
		}
	}
	return false
}

// reconcile compares the counts over all phases (law 9): an operation that begins in one phase may end in the next.
// Operations that an attempt has begun and not recorded when another attempt continues its part begin again there.
func (b *Builder) reconcile() Reconcile {
	var r Reconcile
	for _, p := range b.order {
		for id, e := range p.ledger {
			if b.handedOver(id) {
				r.Issued += e.recorded
			} else {
				r.Issued += e.issued
			}
			r.Recorded += e.recorded
		}
		r.Merged += p.totals.count()
	}
	r.OK = r.Issued == r.Recorded && r.Recorded == r.Merged
	r.Groups = b.reconcileGroups()
	for _, g := range r.Groups {
		r.OK = r.OK && g.OK
	}
	return r
}
