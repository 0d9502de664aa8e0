package record

import (
	"fmt"
	"maps"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
)

// Fit makes a run of several insert behind all rows that earlier runs have inserted, and read only existing rows. It
// changes the run's properties and returns the changes, and the gaps that earlier runs have left. runs are those of the
// suite.
func (r *Run) Fit(runs []archive.RunRecord) (changes []plan.Change, gaps []plan.Gap, err error) {
	rows, of, err := r.rowsBefore(runs)
	if err != nil {
		return nil, nil, err
	}
	if changes, err = rows.Fit(r.Settings, of.Fills); err != nil {
		return nil, nil, &UnfitError{err}
	}
	if err := r.change(changes); err != nil {
		return nil, rows.Gaps(), &UnfitError{err}
	}
	return changes, rows.Gaps(), nil
}

// UnfitError reports that a run cannot have the rows that it requests: it ends the run.
type UnfitError struct{ Err error }

func (e *UnfitError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *UnfitError) Unwrap() error { return e.Err }

// change sets other values of properties than were requested.
func (r *Run) change(changes []plan.Change) error {
	properties, asked := maps.Clone(r.Archived.Properties), make(map[string]string)
	for _, c := range changes {
		asked[c.Key] = properties[c.Key]
		properties[c.Key] = c.Value
	}
	settings, err := r.reader.Resolve(properties)
	if err != nil {
		return fmt.Errorf("adjust it to the existing rows: %w", err)
	}
	r.Archived.Properties, r.Settings, r.State.Asked = properties, settings, asked
	return nil
}

// rowsBefore returns the rows that exist when a run starts, of its dataset on its target.
func (r *Run) rowsBefore(runs []archive.RunRecord) (rows plan.Rows, of result.PlannedCase, err error) {
	planned, err := Plan(r.Suite)
	if err != nil {
		return rows, of, err
	}
	of, _ = planned.Case(r.Archived.Case)
	var asked []plan.Settings
	var written []plan.Written
	before := true
	for _, other := range runs {
		if other.ID == r.Archived.ID {
			before = false
		}
		if with, _ := planned.Case(other.Case); with.Dataset != of.Dataset || with.Target != of.Target {
			continue
		}
		one, err := Open(r.reader, r.Suite, other)
		if err != nil {
			return rows, of, err
		}
		settings, err := r.reader.Resolve(one.Asked())
		if err != nil {
			return rows, of, fmt.Errorf("read settings of run %s: %w", other.ID, err)
		}
		asked = append(asked, settings)
		if before {
			written = append(written, one.written())
		}
	}
	rows = plan.RowsBefore(asked)
	for _, w := range written {
		rows.Add(w)
	}
	return rows, of, nil
}

// Asked returns the requested properties of the run, before it was adjusted to the existing rows.
func (r *Run) Asked() map[string]string {
	properties := maps.Clone(r.Archived.Properties)
	maps.Copy(properties, r.State.Asked)
	return properties
}

// loadedAll reports whether a complete load has written all of its rows: one that is bounded in time may have ended
// before.
func (r *Run) loadedAll() bool {
	for _, p := range r.Phases {
		if p.Name != plan.Load || p.Duration == 0 {
			continue
		}
		var ops uint64
		for _, sh := range r.State.Life.Shards {
			for _, e := range sh.Ended {
				if e.Phase == plan.Load {
					ops += e.Recorded
				}
			}
		}
		return ops >= uint64(max(p.Ops, 0))
	}
	return true
}

// rowGap returns the row numbers at the end of a run's inserts that have no row; nil if there are none, or if an agent
// was lost with unknown inserts.
func (r *Run) rowGap() *result.RowGap {
	life, base := r.State.Life, r.Settings.Workload.FirstInsert()
	if r.Settings.Workload.Proportions.Insert <= 0 || !life.Status.Ended() {
		return nil
	}
	var top, rows int64
	counted := true
	for i := range life.Shards {
		end, inserted := life.Shards[i].InsertedBelow(), life.Shards[i].InsertedRows()
		if end == 0 {
			return nil
		}
		top = max(top, end)
		if inserted == nil || *inserted < 0 || *inserted > end-base {
			counted = false
			continue
		}
		rows += *inserted
	}
	first := max(r.State.InsertedBelow, base)
	if first >= top {
		return nil
	}
	gap := &result.RowGap{First: first, Last: top - 1}
	if lacking := top - base - rows; counted {
		if lacking <= 0 {
			return nil
		}
		gap.Count = &lacking
	}
	return gap
}

// written returns what is known of the run's effect on the rows.
func (r *Run) written() plan.Written {
	life := r.State.Life
	w := plan.Written{
		Settings: r.Settings, Emptied: len(life.Shards) > 0 && r.Settings.Empties, Shards: len(life.Shards),
		Steady: r.State.InsertedBelow,
	}
	if gap := r.rowGap(); gap != nil {
		w.Gap = plan.Gap{First: gap.First, Last: gap.Last}
	}
	for name := range r.State.Begun {
		if name == plan.Load {
			w.Loaded = true
		} else {
			w.Ran = true
		}
	}
	w.Whole = w.Loaded && (w.Ran || life.Status == result.Complete) && r.loadedAll()
	for i := range life.Shards {
		end := life.Shards[i].InsertedBelow()
		if end == 0 { // its progress is unknown
			w.InsertedBelow = 0
			break
		}
		w.InsertedBelow = max(w.InsertedBelow, end)
	}
	return w
}
