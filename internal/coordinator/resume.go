package coordinator

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/audit"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/wire"
)

// resumeSuite resumes an interrupted suite: each run that did not end as complete is executed again, as a new run behind
// the existing ones, in the same order. Complete runs are kept. A sealed run stays as it is; the new one replaces it.
// Like any run of the suite, the new runs see the rows that all earlier ones wrote.
func (c *Coordinator) resumeSuite(ctx context.Context, req *benchdv1.SubmitRequest) (string, []string, error) {
	id := req.GetResume()
	suite, runs, err := c.results.Find(ctx, id)
	if err != nil {
		return "", nil, err
	}
	if id != suite.ID {
		return "", nil, wire.Errorf(wire.ErrNotAllowed, "%s is one run of a suite: resume the whole suite %s", id, suite.ID)
	}
	least := 1
	for _, r := range record.Standing(runs) {
		opened, err := record.Open(c.config.Reader, suite, r)
		if err == nil && opened.State.Foreign != nil {
			return "", nil, wire.Errorf(wire.ErrNotAllowed, "suite %s was measured by another program, and imported: benchd cannot resume it", id)
		}
		if err == nil && r.Status != result.Complete {
			least = max(least, opened.State.Want)
			req.Select = opened.State.Select
		}
	}
	audit.Note(ctx, "suite", id)
	cases, err := record.Cases(c.config.Reader, suite, runs)
	if err != nil {
		return "", nil, err
	}
	if err := privileged(ctx, suiteNeeds(c.config.Reader.Targets(), &plan.Suite{Cases: cases})); err != nil {
		return "", nil, err
	}
	have, err := c.awaitAgents(ctx, req.GetSelect(), least, req.GetWaitAgents().AsDuration())
	if err != nil {
		return "", nil, err
	}
	if have < least {
		return "", nil, c.tooFew(have, least, req)
	}
	again, unfinished, err := c.runAgain(ctx, suite, req.GetSubmittedBy())
	if err != nil {
		return "", nil, err
	}
	c.log.Info("suite is resumed", "suite", id, "runs", len(again), "by", req.GetSubmittedBy())
	c.schedule()
	switch {
	case len(again) > 0 && !slices.ContainsFunc(runs, func(r archive.RunRecord) bool {
		return r.Case == again[0].Archived.Case && r.Repeat == again[0].Archived.Repeat
	}):
		return id, []string{fmt.Sprintf("suite %s continues with %s; complete runs are kept", id, again[0].Archived.ID)}, nil
	case len(again) > 0:
		return id, []string{fmt.Sprintf("%s of suite %s run again, as %s to %s; complete runs are kept", some(len(again)), id, again[0].Archived.ID, again[len(again)-1].Archived.ID)}, nil
	case unfinished:
		return id, []string{fmt.Sprintf("suite %s is in progress: none of its runs needs to be repeated", id)}, nil
	}
	return id, []string{fmt.Sprintf("suite %s is complete: none of its runs needs to be repeated", id)}, nil
}

func some(runs int) string {
	if runs == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", runs)
}

// runAgain archives and queues new runs that replace those which did not end as complete. unfinished reports whether
// other runs have not ended: otherwise the suite counts again as one that has not ended, for the peer that resumes it.
func (c *Coordinator) runAgain(ctx context.Context, suite archive.Suite, who string) (again []*record.Run, unfinished bool, err error) {
	c.submitting.Lock()
	defer c.submitting.Unlock()
	c.turn.Lock()
	defer c.turn.Unlock()
	state, err := c.openSuite(ctx, suite.ID)
	if err != nil {
		return nil, false, err
	}
	c.mu.Lock()
	retries, unfinished := state.Retries(), state.Unfinished() || state.Open
	c.forgetSuite(suite.ID)
	c.mu.Unlock()
	runs, err := c.archive.Runs(ctx, suite.ID)
	switch {
	case err != nil:
		return nil, false, err
	case len(retries) > 0:
		again, err = record.RunAgain(c.config.Reader, suite, runs, retries)
	case !unfinished: // it may have been cancelled between two probes of a search
		again, err = c.more(ctx, suite, runs)
	}
	if err != nil || len(again) == 0 {
		return nil, unfinished, err
	}
	if !unfinished {
		if err := c.admitSuite(ctx, who); err != nil {
			return nil, false, err
		}
	}
	err = c.addRuns(ctx, suite, again, true)
	if errors.Is(err, archive.ErrFull) {
		err = wire.Errorf(wire.ErrFull, "%v", err)
	}
	if err != nil {
		return nil, false, err
	}
	if !unfinished {
		c.quota.resume(suite.ID, who)
	}
	return again, unfinished, nil
}
