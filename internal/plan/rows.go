package plan

import (
	"fmt"
	"strconv"

	"github.com/benchd/benchd/internal/workload"
)

// unheard is how far above the last row that is known of a run's inserts the next run begins where an agent was lost: it
// may have inserted, unheard, as long as it lived. No agent inserts as much in a day.
const unheard = 1 << 36

// Written is what a run has done to the rows of its dataset on its target, as far as is known.
type Written struct {
	Settings Settings // as the run had them
	Emptied  bool     // its table was, or may have been, created again
	Loaded   bool     // its load was begun
	Whole    bool     // all rows of the load are there
	Ran      bool     // what it measures was begun
	// InsertedBelow is the key number from which on it has inserted nothing; 0 where that is not known. Below it may have
	// left holes; there are none below Steady, 0 likewise.
	InsertedBelow, Steady int64
	Shards                int
	Gap                   Gap // at the end of its inserts; zero for none
}

// Gap is row numbers of which some have no row, both ends included.
type Gap struct{ First, Last int64 }

// Rows reports which rows of a dataset are there on a target while the runs of a suite go on.
type Rows struct {
	made     bool  // by the suite; otherwise they were there before, and nobody knows which
	next     int64 // no row from it on was inserted
	from, to int64 // rows that are there, without a hole
	gaps     []Gap // that inserts have left
}

// Gaps are the row numbers that inserts of earlier runs have left out, of which a run that was fitted asks for none.
func (r *Rows) Gaps() []Gap { return r.gaps }

// RowsBefore is what is there before the first of some runs, in the order of their execution: nothing if that is a load,
// else as many rows as any of them counts on.
func RowsBefore(runs []Settings) Rows {
	if len(runs) > 0 && runs[0].Load {
		return Rows{made: true}
	}
	var r Rows
	for _, s := range runs {
		if !s.Load {
			r.next = max(r.next, s.Workload.RecordCount, s.Workload.InsertBase)
		}
	}
	return r
}

// Add takes what the next run has written.
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

// most bounds how far above its base a run may have inserted of which not all was heard.
func (w Written) most() int64 {
	c := w.Settings.Workload
	shards := int64(max(w.Shards, 1))
	bounded := c.OperationCount > 0 && c.OperationCount < 1<<32 && w.Settings.Warmup == 0 && w.Settings.WarmupOps == 0 && w.Settings.WarmupUntil == ""
	if !bounded {
		return unheard
	}
	workers := int64(max(w.Settings.ThreadsTotal, w.Settings.Threads*int(shards), 1))
	return min(unheard, (c.OperationCount+workers)*shards*int64(max(c.BatchSize, 1)))
}

// The properties that Fit may set.
const (
	recordCount = "recordcount"
	insertStart = "insertstart"
	insertCount = "insertcount"
	insertBase  = "insertbase"
)

// Change is a property that a run gets another value of than was asked for, because of the rows that are there.
type Change struct {
	Key     string
	Value   string
	Because string // of a change that a reader of the result must know
}

// Fit says what a run must have otherwise than asked for, so that it inserts no row that was inserted before, and asks for
// none that is not there. A run that fills its dataset, or empties it, writes what it was asked for. The error is of a run
// that would ask for rows of which there are none.
func (r *Rows) Fit(s Settings, fills bool) ([]Change, error) {
	c := s.Workload
	if fills || s.Empties && s.Load {
		return nil, nil
	}
	if s.Load {
		return r.fitLoad(s), nil
	}
	asked, err := r.fitAsked(c)
	if err != nil {
		return nil, err
	}
	if base := max(r.next, c.InsertBase); c.Proportions.Insert > 0 && (base != c.FirstInsert() || len(asked) > 0 && c.InsertBase == 0) {
		return append([]Change{{Key: insertBase, Value: number(base)}}, asked...), nil
	}
	return asked, nil
}

// fitAsked lets a run ask for no row that is not there.
func (r *Rows) fitAsked(c workload.Config) ([]Change, error) {
	if !r.made || !c.Asks() { // of rows that were there before nobody knows, and inserts begin behind all that any run counts on
		return nil, nil
	}
	first, count := c.InsertStart, c.RequestCount()
	if first < r.from || first >= r.to {
		return nil, fmt.Errorf("it asks for rows %d to %d, and of those there are none: of the rows that this suite has written for it, %s; see whether what loads them has ended well",
			first, first+count-1, r.there())
	}
	return askBelow(c, r.to), nil
}

// askBelow lets a run ask for no row from a number on.
func askBelow(c workload.Config, to int64) (changes []Change) {
	first := c.InsertStart
	if c.RecordCount > to {
		changes = append(changes, Change{recordCount, number(to), fmt.Sprintf("of the %d rows that it was to ask for %d are there", c.RecordCount, to)})
	}
	if c.InsertCount > 0 && first+c.InsertCount > to {
		changes = append(changes, Change{insertCount, number(to - first), fmt.Sprintf("of the %d rows that it was to ask for %d are there", c.InsertCount, to-first)})
	}
	return changes
}

// fitLoad lets a load write behind what is there.
func (r *Rows) fitLoad(s Settings) []Change {
	c := s.Workload
	if r.next <= c.InsertStart {
		return nil
	}
	changes := []Change{
		{insertStart, number(r.next), fmt.Sprintf("rows up to %d were written by earlier runs of the suite", r.next-1)},
		{Key: insertCount, Value: number(c.LoadCount())},
	}
	// What it loads must lie below recordcount; a run behind it asks for that, and inserts from there on.
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
		return "none is there"
	}
	return fmt.Sprintf("%d to %d are there", r.from, r.to-1)
}

func number(n int64) string { return strconv.FormatInt(n, 10) }
