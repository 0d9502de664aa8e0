package coordinator

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/audit"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/search"
	"github.com/benchd/benchd/internal/wire"
)

func (c *Coordinator) submit(ctx context.Context, req *benchdv1.SubmitRequest) (string, []string, error) {
	req.SubmittedBy = by(ctx, req.GetSubmittedBy())
	if req.GetResume() != "" {
		return c.resumeSuite(ctx, req)
	}
	p, err := c.prepare(ctx, req)
	if err != nil {
		return "", nil, err
	}
	for {
		id := newID(c.clock.Wall().UTC())
		err := c.enqueue(ctx, p.suite, req, p.agents, id)
		switch {
		case errors.Is(err, archive.ErrExists):
			continue
		case err != nil:
			return "", nil, err
		}
		audit.Note(ctx, "suite", id)
		return id, p.warnings, nil
	}
}

// prepared is a valid submission, with the number of its agents.
type prepared struct {
	suite    *plan.Suite
	warnings []string
	agents   int
}

// prepare validates a submission and the rights of its peer, and waits for agents.
func (c *Coordinator) prepare(ctx context.Context, req *benchdv1.SubmitRequest) (prepared, error) {
	var hooks []string
	if req.GetWaitAgents().AsDuration() <= 0 { // otherwise an agent that allows them may still connect
		hooks = c.hooks()
	}
	suite, _, err := c.parse(req.GetSubmission(), hooks)
	if err != nil {
		return prepared{}, err
	}
	noteSuite(ctx, suite)
	if err := c.hasTraces(suite); err != nil {
		return prepared{}, err
	}
	if err := privileged(ctx, suiteNeeds(c.config.Reader.Targets(), suite)); err != nil {
		return prepared{}, err
	}
	want := int(req.GetAgents())
	least := max(want, 1)
	for _, one := range suite.Cases {
		least = max(least, one.Agents)
	}
	have, err := c.awaitAgents(ctx, req.GetSelect(), max(want, least), req.GetWaitAgents().AsDuration())
	if err != nil {
		return prepared{}, err
	}
	if have < least {
		return prepared{}, c.tooFew(have, least, req)
	}
	suite, warnings, err := c.parse(req.GetSubmission(), c.hooks()) // checked against the agents connected now
	if err != nil {
		return prepared{}, err
	}
	want = cmp.Or(want, have)
	if err := spread(suite, want); err != nil {
		return prepared{}, err
	}
	return prepared{suite, warnings, want}, nil
}

// noteSuite adds what a submission runs, and on what, to the audit log.
func noteSuite(ctx context.Context, suite *plan.Suite) {
	audit.Note(ctx, "name", suite.Name)
	var targets, tables []string
	for _, one := range suite.Cases {
		targets = append(targets, one.Settings.DB)
		if table := one.Properties[tableProperty]; table != "" {
			tables = append(tables, table)
		}
	}
	slices.Sort(targets)
	slices.Sort(tables)
	audit.Note(ctx, "target", strings.Join(slices.Compact(targets), " "))
	audit.Note(ctx, tableProperty, strings.Join(slices.Compact(tables), " "))
}

// hooks returns the hooks that connected agents allow; nil where no agent is connected.
func (c *Coordinator) hooks() []string {
	var names []string
	for _, m := range c.roster.All() {
		if _, connected := m.Connected(); connected {
			names = append(names, m.Hooks()...)
			names = slices.Grow(names, 1) // not nil, although no agent allows a hook
		}
	}
	return names
}

// spread checks that each case has enough workers for its agents.
func spread(suite *plan.Suite, want int) error {
	var wrong []error
	for _, one := range suite.Cases {
		if _, err := plan.Workers(one.Settings, cmp.Or(one.Agents, want)); err != nil {
			if few, is := errors.AsType[*plan.SpreadError](err); is && one.Search != nil && one.Search.Vary == search.Threads {
				err = fmt.Errorf("search.from is %d, and there are %d agents: an agent would have no worker; raise search.from to %d, or take fewer agents", few.Threads, few.Agents, few.Agents)
			}
			if len(suite.Cases) > 1 {
				err = fmt.Errorf("case %s: %w", one.Name, err)
			}
			wrong = append(wrong, err)
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return wire.Errorf(wire.ErrBadSpec, "%v", errors.Join(wrong...))
}

// tooFew refuses a submission for which have agents are connected, without drained ones, and want are needed.
func (c *Coordinator) tooFew(have, want int, req *benchdv1.SubmitRequest) error {
	with := ""
	if labels := req.GetSelect(); len(labels) > 0 {
		var pairs []string
		for _, k := range slices.Sorted(maps.Keys(labels)) {
			pairs = append(pairs, k+"="+labels[k])
		}
		with = " with " + strings.Join(pairs, ", ")
	}
	noun := "agents"
	if want == 1 {
		noun = "agent"
	}
	cures, drained, waited := []string{"start more with `benchd agent --coordinator HOST:PORT`"}, "", ""
	if n := len(c.roster.Drained(req.GetSelect())); n > 0 {
		drained = fmt.Sprintf(" and %d drained", n)
		cures = append(cures, "admit a drained one with `benchctl agents drain NAME --undo`")
	}
	if d := req.GetWaitAgents().AsDuration(); d > 0 {
		waited = fmt.Sprintf(" after %v", d)
	} else {
		cures = append(cures, "wait for them with --wait-agents")
	}
	if last := len(cures) - 1; last > 0 {
		cures[last] = "or " + cures[last]
	}
	return wire.Errorf(wire.ErrTooFewAgents, "%d %s%s needed, %d connected%s%s: %s", want, noun, with, have, drained, waited, strings.Join(cures, ", "))
}

// enqueue archives a suite with an id, and queues its runs. The error is archive.ErrExists if there is a suite with the id.
func (c *Coordinator) enqueue(ctx context.Context, suite *plan.Suite, req *benchdv1.SubmitRequest, want int, id string) error {
	submitted, err := json.Marshal(asSubmitted(c.config.Reader, req.GetSubmission()))
	if err != nil {
		return fmt.Errorf("encode submission: %w", err)
	}
	stored := archive.Suite{
		ID: id, Name: suite.Name, Note: suite.Note, Tags: suite.Tags, Status: result.Queued, Created: c.clock.Wall().UTC(),
		SubmittedBy: req.GetSubmittedBy(), Spec: submitted,
	}
	if len(suite.Cases) > 0 {
		stored.DB = suite.Cases[0].Settings.DB
	}
	ask := record.Ask{Agents: want, Select: req.GetSelect(), OnLoss: wire.ToPolicy(req.GetOnAgentLoss())}
	if stored.Plan, err = record.EncodePlan(*suite, ask); err != nil {
		return err
	}
	records, err := record.FirstRuns(c.config.Reader, stored, *suite, ask)
	if err != nil {
		return err
	}
	c.submitting.Lock()
	defer c.submitting.Unlock()
	if err := c.admitSuite(ctx, stored.SubmittedBy); err != nil {
		return err
	}
	switch err := c.archive.CreateSuite(ctx, stored, records); {
	case errors.Is(err, archive.ErrFull):
		return wire.Errorf(wire.ErrFull, "%v", err)
	case err != nil:
		return err
	}
	opened := make([]*record.Run, 0, len(records))
	for _, rec := range records {
		r, err := record.Open(c.config.Reader, stored, rec)
		if err != nil {
			return err
		}
		opened = append(opened, r)
	}
	c.mu.Lock()
	c.suites[stored.ID] = record.NewSuite(stored, records)
	c.queue = append(c.queue, opened...)
	c.mu.Unlock()
	c.log.Info("suite is queued", "suite", stored.ID, "runs", len(records), "agents", want, "by", stored.SubmittedBy)
	c.schedule()
	return nil
}

// newID returns an id that people can read aloud: the day and four letters.
func newID(now time.Time) string {
	const letters = "abcdefghjkmnpqrstuvwxyz23456789"
	id := now.AppendFormat(nil, "20060102-")
	for range 4 {
		id = append(id, letters[rand.IntN(len(letters))]) //nolint:gosec // an id is not a secret
	}
	return string(id)
}
