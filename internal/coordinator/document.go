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
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/wire"
)

// limitsFrom is how many operations a phase must have before its limits end the run; a run that is over is
// judged however short it was.
const limitsFrom = 1000

// liveBuilder makes the builder of a run that goes on.
func liveBuilder(r *run) *result.Builder { return newBuilder(r, true, nil) }

// newBuilder makes the builder of a run's result; lengths are those of its phases, as far as they are known.
func newBuilder(r *run, liveOnly bool, lengths map[plan.PhaseName]time.Duration) *result.Builder {
	config := result.BuilderConfig{
		Run: r.archived.ID, Interval: r.settings.Interval, NotFoundShare: r.settings.Limits.NotFoundShare, LiveOnly: liveOnly,
		Percentiles: r.ycsb.Kept(), Combine: r.ycsb.Combine,
	}
	for _, p := range r.phases {
		info := result.PhaseInfo{
			Name: string(p.Name), Loop: string(p.Loop), Planned: p.Duration, PlannedOps: uint64(max(p.Ops, 0)), Length: lengths[p.Name],
		}
		if p.Announced() && p.Name == plan.Warmup { // what it was to take at most says nothing of what it took
			info.Planned, info.PlannedOps = 0, 0
		}
		if p.Loop == plan.Open {
			info.Intended = r.intended(p.Name)
		}
		config.Phases = append(config.Phases, info)
	}
	for _, a := range r.record.Agents { // all to whom a shard was handed, one after another
		config.Shards = append(config.Shards, shardInfo(a))
	}
	b := result.NewBuilder(config)
	for i, sh := range r.record.Life.Shards {
		for _, e := range sh.Ended {
			b.Ended(result.PhaseEnd{
				Shard: i, Attempt: sh.Attempt, Phase: string(e.Phase), Windows: e.Windows, Issued: e.Issued, Recorded: e.Recorded, Client: e.Client,
			})
		}
	}
	for _, loss := range r.record.Losses {
		b.Lost(loss)
	}
	return b
}

func shardInfo(a result.Agent) result.ShardInfo {
	return result.ShardInfo{Index: a.Shard, Attempt: a.Attempt, Agent: a.Name, Host: a.Hostname, Workers: a.Workers, Resumes: a.Attempt > 1}
}

// intended tells how many operations are intended in a phase until d after its start. A schedule counts from the
// start of the segment, so a phase that joins another goes on with what that one has left of the rate.
func (r *run) intended(name plan.PhaseName) func(time.Duration) float64 {
	rate := r.settings.PacingOf(name).Rate
	return func(d time.Duration) float64 {
		before := r.since(name)
		return rate.Area((before + d).Seconds()) - rate.Area(before.Seconds())
	}
}

// since is how long after its segment's start a phase begins; 0 while that is not known.
func (r *run) since(name plan.PhaseName) time.Duration {
	var segment time.Duration
	for _, p := range r.phases {
		began, ok := r.began(p.Name)
		if ok && !p.Joined {
			segment = began
		}
		if p.Name == name && ok {
			return began - segment
		}
	}
	return 0
}

// document makes a run's result from the archive.
func (c *Coordinator) document(ctx context.Context, suite archive.Suite, archived archive.RunRecord) (result.Run, error) {
	r, err := openRun(c.config.Reader, suite, archived)
	if err != nil {
		return result.Run{}, err
	}
	lengths, err := c.lengths(ctx, r)
	if err != nil {
		return result.Run{}, err
	}
	b := newBuilder(r, false, lengths)
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
	doc, err := b.Document(r.header(c.config.Version), notes)
	r.actions(doc.Phases)
	for i := range doc.Phases {
		compare.Effects(&doc.Phases[i])
	}
	return doc, err
}

// lengths are how long the phases of a run have been, by their windows.
func (c *Coordinator) lengths(ctx context.Context, r *run) (map[plan.PhaseName]time.Duration, error) {
	extents, err := c.archive.Extents(ctx, r.archived.ID)
	if err != nil {
		return nil, err
	}
	lengths := make(map[plan.PhaseName]time.Duration)
	for _, e := range extents {
		// What was rolled up further than so long a phase is, shows no finer than that.
		lengths[plan.PhaseName(e.Phase)] = max(e.Length, result.LengthFor(r.settings.Interval, e.Rolled))
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
	replaced := replacedBy(runs)
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
	if whole.Plan, err = planOf(suite); err != nil {
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
	suite, err := c.archive.Suite(ctx, suiteOf(id))
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
		var err error
		if change.Status, err = c.suiteStatus(ctx, r); err != nil {
			return err
		}
		change.Suite = r.Suite
	}
	return c.archive.Apply(ctx, change)
}

// suiteStatus is how a suite stands when one of its runs stands as r does: as its worst run once all have
// ended, as the one that is served before.
func (c *Coordinator) suiteStatus(ctx context.Context, r archive.RunRecord) (result.Status, error) {
	runs, err := c.archive.Runs(ctx, r.Suite)
	if err != nil {
		return "", err
	}
	status, ended := result.Complete, 0
	runs = standing(runs)
	for _, other := range runs {
		s := other.Status
		if other.ID == r.ID {
			s = r.Status
		}
		if s.Ended() {
			ended++
			if worse(s, status) {
				status = s
			}
		}
	}
	switch {
	case ended == len(runs):
		return status, nil
	case r.Status.Ended():
		return result.Running, nil // between two runs
	default:
		return r.Status, nil
	}
}

func worse(a, b result.Status) bool {
	ends := []result.Status{result.Complete, result.Partial, result.Cancelled, result.Failed}
	return slices.Index(ends, a) > slices.Index(ends, b)
}

// violations judges all phases but the warm-up.
func violations(limits plan.Limits, phases []result.Phase) string {
	for _, p := range phases {
		if text := violation(limits, p.Name, p.Operations); text != "" {
			return text
		}
	}
	return ""
}

// violation says which limit a phase has violated; empty for none. A warm-up is not judged.
func violation(limits plan.Limits, phase string, operations []result.Operation) string {
	if phase == string(plan.Warmup) {
		return ""
	}
	var all, notFound, failed, wrong uint64
	for _, o := range operations {
		if o.PartOf != nil {
			if o.Op == result.Verification && !result.Good(o.Outcome) {
				wrong += o.Count
			}
			continue
		}
		all += o.Count
		switch {
		case o.Outcome == "NOT_FOUND":
			notFound += o.Count
		case !result.Good(o.Outcome):
			failed += o.Count
		}
	}
	for _, l := range []struct {
		what, cure string
		count      uint64
		limit      float64
	}{
		{"found no row", "load the rows that are read, or raise limit.notfound", notFound, limits.NotFoundShare},
		{"failed", "see the errors, or raise limit.errors", failed, limits.ErrorShare},
		{"read something else than was written", "see the errors, or raise limit.errors", wrong, limits.ErrorShare},
	} {
		if share := float64(l.count) / float64(max(all, 1)); share > l.limit {
			return fmt.Sprintf("%d of %d operations (%.3g %%) in phase %s %s; the limit is %.3g %%: %s",
				l.count, all, 100*share, phase, l.what, 100*l.limit, l.cure)
		}
	}
	return ""
}
