package results

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/table"
	"github.com/benchd/benchd/internal/wire"
)

// Bounds on an imported suite, in addition to those of packages archive and wire.
const (
	maxImportedPhases  = 16       // of a run
	maxImportedShards  = 1 << 17  // of a run
	maxImportedSeries  = 512      // operations with their outcomes, of a phase
	maxImportedPoints  = 20_000   // of a phase's series
	maxImportedCells   = 2 << 20  // points times operations, of a run
	maxImportedCases   = 5000     // of a plan
	maxImportedTables  = 200      // of a plan
	maxImportedColumns = 100      // of a table
	maxImportedTableOf = 5000     // scenarios of a table
	maxPublishedLines  = 100_000  // of a plan
	maxPublishedWork   = 10 << 20 // published lines times the rows that look for them, of a plan
	century            = 100 * 366 * 24 * time.Hour
)

// checkImported checks all data of an imported suite, and then makes its results and tables: a suite that cannot be shown
// is refused.
func (s *Store) checkImported(ctx context.Context, suite archive.Suite, runs []archive.RunRecord) (err error) {
	defer func() {
		if wrong := recover(); wrong != nil {
			s.log.Warn("imported suite is inconsistent", "suite", suite.ID, "found", wrong)
			err = fmt.Errorf("it is inconsistent: %v", wrong)
		}
	}()
	planned, err := record.Plan(suite)
	if err != nil {
		return err
	}
	if err := checkPlan(planned, len(runs)); err != nil {
		return err
	}
	whole, err := suiteHeader(suite, runs)
	if err != nil {
		return err
	}
	for _, archived := range runs {
		r, err := record.Open(s.reader, suite, archived)
		if err != nil {
			return err
		}
		if err := checkRecord(r); err != nil {
			return fmt.Errorf("run %s: %w", archived.ID, err)
		}
		if err := s.checkMeasured(ctx, r); err != nil {
			return fmt.Errorf("run %s: %w", archived.ID, err)
		}
		if err := s.checkForeign(ctx, r); err != nil {
			return fmt.Errorf("run %s: %w", archived.ID, err)
		}
		doc, err := s.buildNow(ctx, suite, archived)
		if err != nil {
			return err
		}
		if _, err := json.Marshal(doc); err != nil {
			return err
		}
		for i := range doc.Phases {
			doc.Phases[i].Series, doc.Phases[i].Observations = nil, nil // not needed here, and of many runs they fill the memory
		}
		whole.Runs = append(whole.Runs, doc)
		if r.State.Foreign != nil {
			continue // it has no histograms
		}
		if err := s.Histograms(ctx, r, 0, func(Interval) error { return nil }); err != nil {
			return err
		}
	}
	table.Conclude(&whole, s.reader.Targets())
	_, err = json.Marshal(whole)
	return err
}

// checkPlan checks the plan of an imported suite, whose tables are made at every request.
func checkPlan(p *result.Plan, runs int) error {
	if p == nil {
		return nil
	}
	if len(p.Cases) > maxImportedCases || len(p.Tables) > maxImportedTables {
		return fmt.Errorf("its plan has %d cases and %d tables: at most %d and %d are allowed", len(p.Cases), len(p.Tables), maxImportedCases, maxImportedTables)
	}
	for _, t := range p.Tables {
		if len(t.Columns) > maxImportedColumns || len(t.Scenarios) > maxImportedTableOf {
			return fmt.Errorf("a table of its plan has %d columns and %d scenarios: at most %d and %d are allowed", len(t.Columns), len(t.Scenarios), maxImportedColumns, maxImportedTableOf)
		}
	}
	lines, work := 0, 0
	for _, c := range p.Cases {
		most := runs
		for _, line := range c.Published {
			for _, key := range []string{"run", "client"} {
				if v := line[key]; !plan.CountsPublished(v) {
					return fmt.Errorf("a published line of case %q has %s %v: it must be a whole number from 1 to %d", c.Name, key, v, plan.MaxPublished)
				}
			}
			if n, ok := line["run"].(float64); ok {
				most = max(most, int(n))
			}
		}
		if c.Repeats < 0 || c.Repeats > plan.MaxPublished || c.Agents < 0 || c.Agents > maxImportedShards {
			return fmt.Errorf("case %q has %d repeats on %d agents: at most %d and %d are allowed", c.Name, c.Repeats, c.Agents, plan.MaxPublished, maxImportedShards)
		}
		lines += len(c.Published)
		work += len(c.Published) * max(most, 1) * max(len(p.Tables), 1)
		if lines > maxPublishedLines || work > maxPublishedWork {
			return fmt.Errorf("its plan has more published lines than %d, or they name more runs than can be shown", maxPublishedLines)
		}
	}
	return nil
}

// checkRecord checks the numbers of a run's state.
func checkRecord(r *record.Run) error {
	rec := &r.State
	life := rec.Life
	if len(life.Phases) == 0 || len(life.Phases) > maxImportedPhases || life.Phase < -1 || life.Phase >= len(life.Phases) || life.Joined < 0 || life.Joined >= len(life.Phases) {
		return fmt.Errorf("its state is of phase %d, joined by %d, of %d", life.Phase, life.Joined, len(life.Phases))
	}
	for _, p := range life.Phases {
		if p.Duration < 0 || p.Duration > century || p.Ops < 0 || p.Ops > math.MaxInt64/2 {
			return fmt.Errorf("phase %s is %s long and has %d operations", p.Name, p.Duration, p.Ops)
		}
	}
	if n := max(len(life.Shards), len(rec.Agents), len(rec.Sends), len(rec.Losses), rec.Want); n > maxImportedShards || rec.Want < 0 {
		return fmt.Errorf("it has %d shards or agents: at most %d are allowed", n, maxImportedShards)
	}
	if rec.Epoch < 0 || rec.Epoch > math.MaxInt64/2 {
		return fmt.Errorf("it began %d ns after 1970", rec.Epoch)
	}
	for name, at := range rec.Begun {
		if at < -century/100 || at > century/10 {
			return fmt.Errorf("phase %s began after %s", name, at)
		}
	}
	for i := range life.Shards {
		if err := checkShard(i, &life.Shards[i]); err != nil {
			return err
		}
	}
	for _, a := range rec.Agents {
		if a.Shard < 0 || a.Shard > maxImportedShards || a.Attempt < 0 || a.Attempt > maxImportedShards || a.Workers < 0 || a.Workers > maxImportedShards*10 {
			return fmt.Errorf("agent %q has attempt %d of shard %d, with %d workers", a.Name, a.Attempt, a.Shard, a.Workers)
		}
	}
	for _, t := range rec.Timed {
		if t.Seconds < 0 || t.Seconds > century.Seconds() || math.Abs(t.T) > century.Seconds() {
			return fmt.Errorf("action %q began after %g s and took %g s", t.Do, t.T, t.Seconds)
		}
	}
	return nil
}

func checkShard(i int, sh *lifecycle.Shard) error {
	if sh.Attempt < 0 || sh.Attempt > maxImportedShards || len(sh.Ended) > maxImportedPhases {
		return fmt.Errorf("shard %d was handed out %d times and ended %d phases", i, sh.Attempt, len(sh.Ended))
	}
	for _, e := range sh.Ended {
		if e.Windows < 0 || e.Windows > 1<<31 || e.At < -century/10 || e.At > century/10 || max(e.Issued, e.Recorded) > 1<<53 {
			return fmt.Errorf("shard %d ended phase %s after %s with %d windows, %d operations issued and %d recorded", i, e.Phase, e.At, e.Windows, e.Issued, e.Recorded)
		}
	}
	return nil
}

// checkMeasured checks a run's measurements before a result is made from them: the extent of its phases, and each window
// by the bounds on windows of agents.
func (s *Store) checkMeasured(ctx context.Context, r *record.Run) error {
	extents, err := s.archive.Extents(ctx, r.Archived.ID)
	if err != nil {
		return err
	}
	if len(extents) > maxImportedPhases {
		return fmt.Errorf("it has windows of %d phases: at most %d are allowed", len(extents), maxImportedPhases)
	}
	if _, err := s.archive.Observations(ctx, r.Archived.ID); err != nil {
		return err
	}
	steps := make(map[string]time.Duration)
	for _, e := range extents {
		if !result.IsPointLength(e.Rolled) || e.RolledTo < 0 || e.RolledTo > e.Windows+e.Rolled {
			return fmt.Errorf("phase %s is rolled up by %d windows, to %d of %d", e.Phase, e.Rolled, e.RolledTo, e.Windows)
		}
		steps[e.Phase] = result.PointLength(r.Settings.Interval, max(e.Length, result.LengthFor(r.Settings.Interval, e.Rolled)))
	}
	var points map[result.Slot]bool
	var series map[latency.Key]bool
	phase, cells := "", 0
	for w, err := range s.archive.Windows(ctx, r.Archived.ID) {
		if err != nil {
			return err
		}
		if err := wire.CheckWindow(w); err != nil {
			return fmt.Errorf("window %d of shard %d in phase %s: %w", w.ID.Seq, w.ID.Shard, w.ID.Phase, err)
		}
		if w.ID.Phase != phase {
			cells += len(points) * len(series)
			phase, points, series = w.ID.Phase, make(map[result.Slot]bool), make(map[latency.Key]bool)
		}
		points[result.SlotOf(w, max(steps[phase], 1))] = true
		for i := range w.Series {
			series[w.Series[i].Key] = true
		}
		if len(points) > maxImportedPoints || len(series) > maxImportedSeries || cells+len(points)*len(series) > maxImportedCells {
			return fmt.Errorf("phase %s has more than %d points of %d series, or more than %d of both together", phase, maxImportedPoints, maxImportedSeries, maxImportedCells)
		}
	}
	return nil
}
