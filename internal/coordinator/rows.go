package coordinator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/spec"
)

// planOf is what a suite is to do; nil where that was not kept.
func planOf(suite archive.Suite) (*result.Plan, error) {
	if suite.Plan == nil {
		return nil, nil //nolint:nilnil // a suite of an older benchd
	}
	p := new(result.Plan)
	if err := json.Unmarshal(suite.Plan, p); err != nil {
		return nil, fmt.Errorf("read plan of suite %s: %w", suite.ID, err)
	}
	return p, nil
}

// fitRows lets a run of several begin its inserts behind all rows that the earlier ones have inserted, and ask for no row
// that is not there. It changes the run's properties and archives them before anybody is told anything: where the
// numbers of rows were lost, the next run would write over them. why says why the run cannot be begun.
func (cd *conductor) fitRows() (why string, err error) {
	if !cd.run.settings.ContinueInserts {
		return "", nil
	}
	if cd.run.record.Asked == nil {
		rows, of, err := cd.c.rowsBefore(cd.c.life, cd.run)
		if err != nil {
			return "", err
		}
		changes, err := rows.Fit(cd.run.settings, of.Fills, empties(cd.run.archived.Properties))
		if err != nil {
			return err.Error(), nil //nolint:nilerr // it ends the run, not the coordinator's work
		}
		for _, gap := range rows.Gaps() {
			cd.note("rows", fmt.Sprintf("an earlier run of the suite left out some of the row numbers %d to %d: this run asks for none of them", gap.First, gap.Last))
		}
		if err := cd.run.change(cd.c.config.Reader, changes); err != nil {
			return err.Error(), nil //nolint:nilerr // as above
		}
		for _, c := range changes {
			if c.Because != "" {
				cd.note("rows", fmt.Sprintf("%s is %s instead of %s: %s", c.Key, c.Value, cd.run.record.Asked[c.Key], c.Because))
			}
		}
	}
	if cd.persist(cd.c.life); cd.dirty {
		return "", errors.New("the archive did not take the numbers of the rows")
	}
	return "", nil
}

// change gives a run other values of properties than were asked for.
func (r *run) change(reader *spec.Reader, changes []plan.Change) error {
	properties, asked := maps.Clone(r.archived.Properties), make(map[string]string)
	for _, c := range changes {
		asked[c.Key] = properties[c.Key]
		properties[c.Key] = c.Value
	}
	settings, err := reader.Resolve(properties)
	if err != nil {
		return fmt.Errorf("fit it to the rows that are there: %w", err)
	}
	r.archived.Properties, r.settings, r.record.Asked = properties, settings, asked
	return nil
}

// rowsBefore tells which rows are there when a run begins, of its dataset on its target.
func (c *Coordinator) rowsBefore(ctx context.Context, r *run) (rows plan.Rows, of result.PlannedCase, err error) {
	planned, err := planOf(r.suite)
	if err != nil {
		return rows, of, err
	}
	of, _ = planned.Case(r.archived.Case)
	all, err := c.archive.Runs(ctx, r.suite.ID)
	if err != nil {
		return rows, of, fmt.Errorf("read runs of suite %s: %w", r.suite.ID, err)
	}
	var asked []plan.Settings
	var written []plan.Written
	before := true
	for _, other := range all {
		if other.ID == r.archived.ID {
			before = false
		}
		if with, _ := planned.Case(other.Case); with.Dataset != of.Dataset || with.Target != of.Target {
			continue
		}
		one, err := openRun(c.config.Reader, r.suite, other)
		if err != nil {
			return rows, of, err
		}
		settings, err := c.config.Reader.Resolve(one.asked())
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

// asked is what a run was to have, before it was fitted to the rows that are there.
func (r *run) asked() map[string]string {
	properties := maps.Clone(r.archived.Properties)
	maps.Copy(properties, r.record.Asked)
	return properties
}

// empties reports whether a run with these properties drops its table and creates it anew.
func empties(properties map[string]string) bool {
	return properties["hbase.table.create"] == "recreate"
}

// loadedAll reports whether a load that has ended well has written all of its rows: one that is bounded in time may have
// ended before.
func (r *run) loadedAll() bool {
	for _, p := range r.phases {
		if p.Name != plan.Load || p.Duration == 0 {
			continue
		}
		var ops uint64
		for _, sh := range r.record.Life.Shards {
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

// rowGap is which row numbers at the end of a run's inserts have no row; nil where there are none, or where an agent was lost
// and nobody knows what it has inserted.
func (r *run) rowGap() *result.RowGap {
	life, base := r.record.Life, r.settings.Workload.FirstInsert()
	if r.settings.Workload.Proportions.Insert <= 0 || !life.Status.Ended() {
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
	first := max(r.record.InsertedBelow, base)
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

// written is what a run has done to the rows, as far as is known.
func (r *run) written() plan.Written {
	life := r.record.Life
	w := plan.Written{
		Settings: r.settings, Emptied: len(life.Shards) > 0 && empties(r.archived.Properties), Shards: len(life.Shards),
		Steady: r.record.InsertedBelow,
	}
	if gap := r.rowGap(); gap != nil {
		w.Gap = plan.Gap{First: gap.First, Last: gap.Last}
	}
	for name := range r.record.Begun {
		if name == plan.Load {
			w.Loaded = true
		} else {
			w.Ran = true
		}
	}
	w.Whole = w.Loaded && (w.Ran || life.Status == result.Complete) && r.loadedAll()
	for i := range life.Shards {
		end := life.Shards[i].InsertedBelow()
		if end == 0 { // nobody knows how far it came
			w.InsertedBelow = 0
			break
		}
		w.InsertedBelow = max(w.InsertedBelow, end)
	}
	return w
}
