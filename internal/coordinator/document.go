package coordinator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/wire"
)

// document makes a run's result from the archive.
func (c *Coordinator) document(ctx context.Context, suite archive.Suite, archived archive.RunRecord) (result.Run, error) {
	r, err := record.Open(c.config.Reader, suite, archived)
	if err != nil {
		return result.Run{}, err
	}
	lengths, err := c.lengths(ctx, r)
	if err != nil {
		return result.Run{}, err
	}
	b := r.Builder(lengths)
	for w, err := range c.archive.Windows(ctx, archived.ID) {
		if err != nil {
			return result.Run{}, err
		}
		if _, err := b.Add(w); err != nil {
			return result.Run{}, err
		}
	}
	events, err := c.archive.Events(ctx, archived.ID)
	if err != nil {
		return result.Run{}, err
	}
	notes := result.Notes{Events: make(map[string][]result.Event)}
	for _, e := range events {
		notes.Events[e.Phase] = append(notes.Events[e.Phase], result.Event{T: e.Offset.Seconds(), Kind: e.Kind, Text: e.Text})
	}
	if err := c.observations(ctx, r, &notes); err != nil {
		return result.Run{}, err
	}
	doc, err := b.Document(r.Header(c.config.Version), notes)
	r.AddActions(doc.Phases)
	for i := range doc.Phases {
		compare.Effects(&doc.Phases[i])
	}
	return doc, err
}

// lengths are how long the phases of a run have been, by their windows.
func (c *Coordinator) lengths(ctx context.Context, r *record.Run) (map[plan.PhaseName]time.Duration, error) {
	extents, err := c.archive.Extents(ctx, r.Archived.ID)
	if err != nil {
		return nil, err
	}
	lengths := make(map[plan.PhaseName]time.Duration)
	for _, e := range extents {
		// What was rolled up further than so long a phase is, shows no finer than that.
		lengths[plan.PhaseName(e.Phase)] = max(e.Length, result.LengthFor(r.Settings.Interval, e.Rolled))
	}
	return lengths, nil
}

// resultJSON makes the result of a suite or a run as the JSON of the contract: a suite of one run answers with
// the run itself.
func (c *Coordinator) resultJSON(ctx context.Context, id string) ([]byte, error) {
	suite, runs, err := c.find(ctx, id)
	if err != nil {
		return nil, err
	}
	whole, err := suiteHeader(suite, runs)
	if err != nil {
		return nil, err
	}
	replaced := record.ReplacedBy(runs)
	for _, archived := range runs {
		var doc result.Run
		err := guard(func() (err error) {
			doc, err = c.document(ctx, suite, archived)
			return err
		})
		if _, is := errors.AsType[*panicked](err); is {
			c.setAside(suite.ID, "make the result of run "+archived.ID, err)
		}
		if err != nil {
			return nil, fmt.Errorf("make result of run %s: %w", archived.ID, err)
		}
		if why := c.whyAside(suite.ID); why != "" {
			doc.Warnings = append(slices.Clone(doc.Warnings), "suite "+suite.ID+" is "+why)
		}
		doc.ReplacedBy = replaced[archived.ID]
		whole.Runs = append(whole.Runs, doc)
	}
	if id != suite.ID || len(whole.Runs) == 1 {
		return json.Marshal(whole.Runs[0])
	}
	compare.Conclude(&whole)
	return json.Marshal(whole)
}

// suiteHeader is the part of a suite's result that is not its runs'.
func suiteHeader(suite archive.Suite, runs []archive.RunRecord) (result.Suite, error) {
	whole := result.Suite{
		Schema: result.Schema, Kind: "suite", ID: suite.ID, Name: suite.Name, Status: suite.Status, Runs: []result.Run{},
		Note: suite.Note, Tags: suite.Tags, Ran: []result.Turn{},
	}
	var err error
	if whole.Plan, err = record.Plan(suite); err != nil {
		return whole, err
	}
	for _, r := range runs {
		if !r.Started.IsZero() {
			of, _ := whole.Plan.Case(r.Case)
			whole.Ran = append(whole.Ran, result.Turn{Run: r.ID, Case: r.Case, Target: of.Target, Repeat: r.Repeat, Started: r.Started})
		}
	}
	slices.SortStableFunc(whole.Ran, func(a, b result.Turn) int { return a.Started.Compare(b.Started) })
	return whole, nil
}

// find gives a suite with its runs, or with one of them if id is a run's.
func (c *Coordinator) find(ctx context.Context, id string) (archive.Suite, []archive.RunRecord, error) {
	suite, err := c.archive.Suite(ctx, record.SuiteOf(id))
	if err == nil && id != suite.ID {
		var one archive.RunRecord
		one, err = c.archive.Run(ctx, id)
		if err == nil {
			return suite, []archive.RunRecord{one}, nil
		}
	}
	if errors.Is(err, archive.ErrNotFound) {
		return suite, nil, wire.Errorf(wire.ErrNotFound, "there is no suite or run %q here: `benchctl list` shows what there is", id)
	}
	if err != nil {
		return suite, nil, err
	}
	runs, err := c.archive.Runs(ctx, suite.ID)
	return suite, runs, err
}

// apply archives how a run goes on, and how its suite stands if the run's status has changed. Runs of a suite
// take turns: two that ended at once would each take the other for one that goes on.
func (c *Coordinator) apply(ctx context.Context, r archive.RunRecord, events []archive.Event, changed bool) error {
	change := archive.Change{Runs: []archive.RunRecord{r}, Events: events}
	if changed {
		c.turn.Lock()
		defer c.turn.Unlock()
		runs, err := c.archive.Runs(ctx, r.Suite)
		if err != nil {
			return err
		}
		change.Suite, change.Status = r.Suite, record.StatusOf(runs, r)
	}
	return c.archive.Apply(ctx, change)
}
