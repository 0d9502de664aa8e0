package plan

import (
	"fmt"
	"maps"
	"strconv"

	"github.com/benchd/benchd/internal/workload"
)

// maxUnreported is the gap between the last known row of a run's inserts and the first insert of the next run where an agent
// was lost: the agent may have inserted rows without a report. No agent inserts as many in a day.
const maxUnreported = 1 << 36

// Written is what is known of a run's effect on the rows of its dataset on its target.
type Written struct {
	Settings Settings // of the run
	Emptied  bool     // its table was, or may have been, created again
	Loaded   bool     // its load was started
	Whole    bool     // all rows of the load exist
	Ran      bool     // its measurement was started
	// InsertedBelow is the key number above the last one that the run may have inserted; 0 if it is unknown. All rows
	// below Steady exist; 0 if it is unknown.
	InsertedBelow, Steady int64
	Shards                int
	Gap                   Gap // at the end of its inserts; zero for none
}

// Gap is a range of row numbers, of which some have no row. Both ends are included.
type Gap struct{ First, Last int64 }

// RowsChange is what an action between phases does to the rows of the run's table.
type RowsChange struct {
	Kind     RowsKind
	Snapshot string // the name under which rows are saved; empty for the table's usual one
}

// RowsKind is a kind of RowsChange.
type RowsKind int

// The kinds of changes.
const (
	SaveRows RowsKind = iota + 1
	RestoreRows
	EmptyTable
)

// extent is which rows of a dataset exist on a target.
type extent struct {
	made     bool  // the suite has written them; otherwise they existed before, and their numbers are unknown
	next     int64 // no row from next on was inserted
	from, to int64 // range of existing rows, without a gap
	gaps     []Gap // gaps left by inserts
}

// Rows tracks which rows of a dataset exist on a target during a suite.
type Rows struct {
	extent
	first extent            // before the suite
	saved map[string]extent // by the name of the snapshot
}

// Gaps returns the row numbers that inserts of earlier runs have skipped. An adjusted run reads none of them.
func (r *Rows) Gaps() []Gap { return r.gaps }

// RowsBefore returns the rows that exist before the first of some runs, in the order of their execution: none if that is
// a load, else as many rows as any of them expects.
func RowsBefore(runs []Settings) Rows {
	var r Rows
	if len(runs) > 0 && runs[0].Load {
		r.made = true
	} else {
		for _, s := range runs {
			if !s.Load {
				r.next = max(r.next, s.Workload.RecordCount, s.Workload.InsertBase)
			}
		}
	}
	r.first = r.extent
	return r
}

// apply follows actions between phases.
func (r *Rows) apply(changes []RowsChange) {
	for _, c := range changes {
		switch c.Kind {
		case SaveRows:
			saved := maps.Clone(r.saved) // Fit works on a copy
			if saved == nil {
				saved = make(map[string]extent)
			}
			saved[c.Snapshot], r.saved = r.extent, saved
		case RestoreRows:
			r.extent = r.restored(c.Snapshot)
		case EmptyTable:
			r.extent = extent{made: true}
		}
	}
}

// restored returns the rows of a snapshot. One that the suite has not taken has the rows of before the suite; if the suite has
// written all rows that it uses, the snapshot's are unknown.
func (r *Rows) restored(snapshot string) extent {
	if e, ok := r.saved[snapshot]; ok {
		return e
	}
	if r.first.made {
		return extent{next: r.next}
	}
	return r.first
}

// Add adds the effect of the next run.
func (r *Rows) Add(w Written) {
	c := w.Settings.Workload
	if w.Emptied {
		r.from, r.to, r.made, r.gaps = 0, 0, true, nil
		if w.Loaded || w.Ran {
			r.next = 0
		}
	}
	if w.Loaded {
		start, end := c.InsertStart, c.InsertStart+c.LoadCount()
		r.next = max(r.next, end)
		switch {
		case !w.Whole:
		case r.from == r.to:
			r.from, r.to = start, end
		case start <= r.to && end >= r.from:
			r.from, r.to = min(r.from, start), max(r.to, end)
		}
	}
	if w.Loaded {
		r.apply(w.Settings.RowsAfterLoad)
	}
	if above := r.next; w.Settings.Run {
		r.apply(w.Settings.RowsBeforeRun)
		if !w.Ran { // they may not have been executed
			r.next = max(r.next, above)
		}
	}
	if !w.Ran || c.Proportions.Insert <= 0 {
		return
	}
	if w.Gap != (Gap{}) {
		r.gaps = append(r.gaps, w.Gap)
	}
	base := c.FirstInsert()
	if w.InsertedBelow > 0 {
		r.next = max(r.next, w.InsertedBelow)
	} else {
		r.next = max(r.next, base) + w.most()
	}
	if base <= r.to && w.Steady > r.to {
		r.to = w.Steady
	}
}

// most bounds how far above its base a run may have inserted, with unreported inserts.
func (w Written) most() int64 {
	c := w.Settings.Workload
	shards := int64(max(w.Shards, 1))
	bounded := c.OperationCount > 0 && c.OperationCount < 1<<32 && w.Settings.Warmup == 0 && w.Settings.WarmupOps == 0 && w.Settings.WarmupUntil == ""
	if !bounded {
		return maxUnreported
	}
	workers := int64(max(w.Settings.ThreadsTotal, w.Settings.Threads*int(shards), 1))
	return min(maxUnreported, (c.OperationCount+workers)*shards*int64(max(c.BatchSize, 1)))
}

// The properties that Fit may set.
const (
	recordCount = "recordcount"
	insertStart = "insertstart"
	insertCount = "insertcount"
	insertBase  = "insertbase"
)

// Change is a change of a run's property because of the existing rows.
type Change struct {
	Key     string
	Value   string
	Because string // reason, for a change that matters to a reader of the result
}

// Fit returns the changes by which a run inserts no row that was inserted before, and reads only existing rows. A run
// that fills or empties its dataset is not changed. Fit returns an error for a run that would read rows of which none
// exists.
func (r *Rows) Fit(s Settings, fills bool) ([]Change, error) {
	c := s.Workload
	if fills || s.Empties && s.Load {
		return nil, nil
	}
	if s.Load {
		return r.fitLoad(s), nil
	}
	after := *r
	after.apply(s.RowsBeforeRun)
	return after.fitRun(c)
}

// fitRun is Fit for a run without a load, on the rows that it finds.
func (r *Rows) fitRun(c workload.Config) ([]Change, error) {
	asked, err := r.fitAsked(c)
	if err != nil {
		return nil, err
	}
	if base := max(r.next, c.InsertBase); base > 0 && c.Proportions.Insert > 0 && (base != c.FirstInsert() || len(asked) > 0 && c.InsertBase == 0) {
		return append([]Change{{Key: insertBase, Value: number(base)}}, asked...), nil
	}
	return asked, nil
}

// fitAsked restricts the reads of a run to existing rows.
func (r *Rows) fitAsked(c workload.Config) ([]Change, error) {
	if !r.made || !c.Asks() { // rows of before the suite are unknown, and inserts start behind all rows that any run expects
		return nil, nil
	}
	first, count := c.InsertStart, c.RequestCount()
	if first < r.from || first >= r.to {
		return nil, fmt.Errorf("it reads rows %d to %d, but none of them exists: of the rows that this suite has written for it, %s; check whether the run that loads them is complete",
			first, first+count-1, r.there())
	}
	return askBelow(c, r.to), nil
}

// askBelow restricts the reads of a run to rows below a number.
func askBelow(c workload.Config, to int64) (changes []Change) {
	first := c.InsertStart
	if c.RecordCount > to {
		changes = append(changes, Change{recordCount, number(to), fmt.Sprintf("only %d of the %d requested rows exist", to, c.RecordCount)})
	}
	if c.InsertCount > 0 && first+c.InsertCount > to {
		changes = append(changes, Change{insertCount, number(to - first), fmt.Sprintf("only %d of the %d requested rows exist", to-first, c.InsertCount)})
	}
	return changes
}

// fitLoad makes a load write behind the existing rows.
func (r *Rows) fitLoad(s Settings) []Change {
	c := s.Workload
	if r.next <= c.InsertStart {
		return nil
	}
	changes := []Change{
		{insertStart, number(r.next), fmt.Sprintf("rows up to %d were written by earlier runs of the suite", r.next-1)},
		{Key: insertCount, Value: number(c.LoadCount())},
	}
	// Rows to load must be below recordcount; a run after the load reads these rows, and inserts behind them.
	if end := r.next + c.LoadCount(); s.Run || end > c.RecordCount {
		changes = append(changes, Change{Key: recordCount, Value: number(end)})
	}
	if c.InsertBase > 0 {
		changes = append(changes, Change{Key: insertBase, Value: number(max(c.InsertBase, r.next+c.LoadCount()))})
	}
	return changes
}

func (r *Rows) there() string {
	if r.from == r.to {
		return "none exists"
	}
	return fmt.Sprintf("%d to %d exist", r.from, r.to-1)
}

func number(n int64) string { return strconv.FormatInt(n, 10) }
