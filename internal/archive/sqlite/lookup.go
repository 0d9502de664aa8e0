package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/archive"
)

// Suites returns all suites, newest first, without their Spec and Plan.
func (a *Archive) Suites(ctx context.Context) ([]archive.SuiteSummary, error) {
	return a.Select(ctx, archive.SuiteQuery{})
}

// Select returns the suites of a query, newest first, without their Spec and Plan. It reads no further than to the last of them. An unknown
// suite in After is ErrNotFound.
func (a *Archive) Select(ctx context.Context, q archive.SuiteQuery) ([]archive.SuiteSummary, error) {
	var list []archive.SuiteSummary
	err := a.read(ctx, "list suites of", func(ctx context.Context, tx *sql.Tx) error {
		where, args := conditions(q)
		if q.After != "" {
			var number int64
			err := tx.QueryRowContext(ctx, `SELECT number FROM suite WHERE id = ? AND removed = 0`, q.After).Scan(&number)
			if errors.Is(err, sql.ErrNoRows) {
				return notFound("suite", q.After)
			}
			if err != nil {
				return err
			}
			where, args = where+` AND number < ?`, append(args, number)
		}
		err := each(ctx, tx, func(row scanner) error {
			var s archive.SuiteSummary
			if err := scanSuite(row, &s.Suite, &s.Runs); err != nil {
				return err
			}
			if q.Match == nil || q.Match(s.Suite) {
				list = append(list, s)
			}
			if q.Limit > 0 && len(list) == q.Limit {
				return errEnough
			}
			return nil
		}, `SELECT id, name, note, tags, status, created_ns, submitted_by, db, NULL AS spec, NULL AS plan,
			(SELECT count(*) FROM run WHERE run.suite = suite.id) FROM suite WHERE removed = 0`+where+` ORDER BY number DESC`, args...)
		if errors.Is(err, errEnough) {
			return nil
		}
		return err
	})
	return list, err
}

// conditions are those of a query that the database checks.
func conditions(q archive.SuiteQuery) (where string, args []any) {
	add := func(condition string, values ...any) { where, args = where+" AND "+condition, append(args, values...) }
	if q.Name != "" {
		add(`name = ?`, q.Name)
	}
	if n := len(q.Statuses); n > 0 {
		values := make([]any, n)
		for i, status := range q.Statuses {
			values[i] = string(status)
		}
		add(`status IN (?`+strings.Repeat(`, ?`, n-1)+`)`, values...)
	}
	for _, key := range slices.Sorted(maps.Keys(q.Tags)) {
		add(`EXISTS (SELECT 1 FROM json_each(suite.tags) WHERE json_each.key = ? AND json_each.value = ?)`, key, q.Tags[key])
	}
	if !q.Since.IsZero() {
		add(`created_ns >= ?`, q.Since.UnixNano())
	}
	if !q.Until.IsZero() {
		add(`created_ns < ?`, q.Until.UnixNano())
	}
	return where, args
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
		return archive.Faultf(archive.ErrCorrupt, err, "read tags of suite %s: %v", suite.ID, err)
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
		return run, archive.Faultf(archive.ErrCorrupt, err, "read properties of run %s: %v", run.ID, err)
	}
	return run, nil
}
