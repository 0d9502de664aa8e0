package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/benchd/benchd/internal/archive"
)

// Suites returns all suites, newest first, without their Spec and Plan.
func (a *Archive) Suites(ctx context.Context) ([]archive.SuiteSummary, error) {
	var list []archive.SuiteSummary
	err := a.read(ctx, "list suites of", func(ctx context.Context, tx *sql.Tx) error {
		return each(ctx, tx, func(row scanner) error {
			var s archive.SuiteSummary
			err := scanSuite(row, &s.Suite, &s.Runs)
			list = append(list, s)
			return err
		}, `SELECT id, name, note, tags, status, created_ns, submitted_by, db, NULL AS spec, NULL AS plan,
			(SELECT count(*) FROM run WHERE run.suite = suite.id) FROM suite WHERE removed = 0 ORDER BY number DESC`)
	})
	return list, err
}

// Suite returns a suite.
func (a *Archive) Suite(ctx context.Context, id string) (archive.Suite, error) {
	var suite archive.Suite
	err := a.read(ctx, "read suite "+id+" of", func(ctx context.Context, tx *sql.Tx) (err error) {
		suite, err = suiteOf(ctx, tx, id)
		return err
	})
	return suite, err
}

func suiteOf(ctx context.Context, tx *sql.Tx, id string) (suite archive.Suite, err error) {
	row := tx.QueryRowContext(ctx, `SELECT id, name, note, tags, status, created_ns, submitted_by, db, spec, plan
		FROM suite WHERE id = ? AND removed = 0`, id)
	err = scanSuite(row, &suite)
	if errors.Is(err, sql.ErrNoRows) {
		err = notFound("suite", id)
	}
	return suite, err
}

// Run returns a run.
func (a *Archive) Run(ctx context.Context, id string) (archive.RunRecord, error) {
	list, err := a.runs(ctx, "read run "+id+" of", `WHERE id = ? AND suite NOT IN (SELECT id FROM suite WHERE removed = 1)`, id)
	if err != nil {
		return archive.RunRecord{}, err
	}
	if len(list) == 0 {
		return archive.RunRecord{}, notFound("run", id)
	}
	return list[0], nil
}

// Runs returns the runs of a suite in their order; none if there is no such suite.
func (a *Archive) Runs(ctx context.Context, suite string) ([]archive.RunRecord, error) {
	return a.runs(ctx, "read runs of suite "+suite+" of", `WHERE suite = ? AND suite NOT IN (SELECT id FROM suite WHERE removed = 1) ORDER BY number`, suite)
}

// Unfinished returns all runs that have not ended, in the order of their submission: a restarted coordinator continues
// them.
func (a *Archive) Unfinished(ctx context.Context) ([]archive.RunRecord, error) {
	list, err := a.runs(ctx, "read unfinished runs of",
		`WHERE status NOT IN ('complete', 'partial', 'failed', 'cancelled') ORDER BY number`)
	return list, err
}

func (a *Archive) runs(ctx context.Context, doing, where string, args ...any) (list []archive.RunRecord, err error) {
	err = a.read(ctx, doing, func(ctx context.Context, tx *sql.Tx) (err error) {
		list, err = readRuns(ctx, tx, where, args...)
		return err
	})
	return list, err
}

func readRuns(ctx context.Context, tx *sql.Tx, where string, args ...any) (list []archive.RunRecord, err error) {
	if err := each(ctx, tx, func(row scanner) error {
		run, err := scanRun(row)
		list = append(list, run)
		return err
	}, `SELECT id, suite, case_name, repeat, status, reason, started_ns, ended_ns, properties, header, state FROM run `+where, args...); err != nil {
		return nil, err
	}
	for i := range list {
		if list[i].Agents, err = agentsOf(ctx, tx, list[i].ID); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func agentsOf(ctx context.Context, tx *sql.Tx, run string) ([]archive.Agent, error) {
	var list []archive.Agent
	err := each(ctx, tx, func(row scanner) error {
		var agent archive.Agent
		err := row.Scan(&agent.Name, &agent.Shard, &agent.Attempt)
		list = append(list, agent)
		return err
	}, `SELECT name, shard, attempt FROM agent WHERE run = ? ORDER BY shard, attempt`, run)
	return list, err
}

// scanner is a *sql.Row or *sql.Rows.
type scanner interface{ Scan(into ...any) error }

// each calls do for each row of a query.
func each(ctx context.Context, tx *sql.Tx, do func(scanner) error, query string, args ...any) (err error) {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := do(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

func scanSuite(row scanner, suite *archive.Suite, more ...any) error {
	var tags, spec, planned []byte
	var created sql.NullInt64
	if err := row.Scan(append([]any{
		&suite.ID, &suite.Name, &suite.Note, &tags, &suite.Status, &created,
		&suite.SubmittedBy, &suite.DB, &spec, &planned,
	}, more...)...); err != nil {
		return err
	}
	suite.Created, suite.Spec, suite.Plan = timeOf(created), spec, planned
	if err := json.Unmarshal(tags, &suite.Tags); err != nil {
		return faultf(archive.ErrCorrupt, err, "read tags of suite %s: %v", suite.ID, err)
	}
	return nil
}

func scanRun(row scanner) (run archive.RunRecord, err error) {
	var properties, header []byte
	var started, ended sql.NullInt64
	if err := row.Scan(&run.ID, &run.Suite, &run.Case, &run.Repeat, &run.Status, &run.Reason, &started, &ended,
		&properties, &header, &run.State); err != nil {
		return run, err
	}
	run.Started, run.Ended, run.Header = timeOf(started), timeOf(ended), header
	if err := json.Unmarshal(properties, &run.Properties); err != nil {
		return run, faultf(archive.ErrCorrupt, err, "read properties of run %s: %v", run.ID, err)
	}
	return run, nil
}
