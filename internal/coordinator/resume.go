package coordinator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/archive"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/wire"
)

// resumeSuite goes on with a suite that was interrupted: what has ended otherwise than complete is run again, as new runs
// behind those that there are, in the same order; what is complete is not. A run that was sealed stays as it is, and the
// new one takes its place. The new ones see the rows of all that came before them, as any run of the suite does.
func (c *Coordinator) resumeSuite(ctx context.Context, req *benchdv1.SubmitRequest) (string, []string, error) {
	id := req.GetResume()
	suite, runs, err := c.find(ctx, id)
	if err != nil {
		return "", nil, err
	}
	if id != suite.ID {
		return "", nil, wire.Errorf(wire.ErrNotAllowed, "%s is one run of a suite: resume the whole suite %s", id, suite.ID)
	}
	least := 1
	for _, r := range standing(runs) {
		if opened, err := openRun(c.config.Reader, suite, r); err == nil && r.Status != result.Complete {
			least = max(least, opened.record.Want)
			req.Select = opened.record.Select
		}
	}
	have, err := c.awaitAgents(ctx, req.GetSelect(), least, req.GetWaitAgents().AsDuration())
	if err != nil {
		return "", nil, err
	}
	if have < least {
		return "", nil, tooFew(have, least, req)
	}
	again, going, err := c.runAgain(ctx, suite)
	if err != nil {
		return "", nil, err
	}
	c.mu.Lock()
	c.queue = append(c.queue, again...)
	c.mu.Unlock()
	c.log.Info("suite is resumed", "suite", id, "runs", len(again), "by", req.GetSubmittedBy())
	c.schedule()
	switch {
	case len(again) > 0:
		return id, []string{fmt.Sprintf("%s of suite %s run again, as %s to %s; what is complete is kept", some(len(again)), id, again[0].archived.ID, again[len(again)-1].archived.ID)}, nil
	case going:
		return id, []string{fmt.Sprintf("suite %s goes on by itself: none of its runs has to be run again", id)}, nil
	}
	return id, []string{fmt.Sprintf("suite %s is complete: none of its runs has to be run again", id)}, nil
}

func some(runs int) string {
	if runs == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", runs)
}

// runAgain archives new runs in the place of those that ended otherwise than complete, and tells whether others have not
// ended.
func (c *Coordinator) runAgain(ctx context.Context, suite archive.Suite) (again []*run, going bool, err error) {
	c.turn.Lock()
	defer c.turn.Unlock()
	runs, err := c.archive.Runs(ctx, suite.ID)
	if err != nil {
		return nil, false, err
	}
	last := 0
	for _, r := range runs {
		_, number, _ := strings.Cut(r.ID, ".")
		if n, err := strconv.Atoi(number); err == nil {
			last = max(last, n)
		}
	}
	var records []archive.RunRecord
	for _, r := range standing(runs) {
		switch {
		case r.Status == result.Complete:
			continue
		case !r.Status.Ended():
			going = true
			continue
		}
		last++
		record, err := anew(c.config.Reader, suite, r, suite.ID+"."+strconv.Itoa(last))
		if err != nil {
			return nil, false, err
		}
		opened, err := openRun(c.config.Reader, suite, record)
		if err != nil {
			return nil, false, err
		}
		records, again = append(records, record), append(again, opened)
	}
	if len(records) == 0 {
		return nil, going, nil
	}
	status := result.Queued
	if going {
		status = suite.Status
	}
	err = c.archive.AddRuns(ctx, suite.ID, status, records)
	if errors.Is(err, archive.ErrFull) {
		err = wire.Errorf(wire.ErrFull, "%v", err)
	}
	return again, going, err
}

// anew makes the record of a run that takes another one's place: with what that was asked for, and its seed.
func anew(reader *spec.Reader, suite archive.Suite, r archive.RunRecord, id string) (archive.RunRecord, error) {
	before, err := openRun(reader, suite, r)
	if err != nil {
		return r, err
	}
	rec := record{
		Life: lifecycle.New(id, before.phases, before.record.Life.Policy), Want: before.record.Want, Select: before.record.Select,
	}
	out := archive.RunRecord{ID: id, Suite: r.Suite, Case: r.Case, Repeat: r.Repeat, Status: result.Queued, Properties: before.asked()}
	if out.State, err = json.Marshal(rec); err != nil {
		return out, fmt.Errorf("keep run %s: %w", id, err)
	}
	return out, nil
}
