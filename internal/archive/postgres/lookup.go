package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/benchd/benchd/internal/archive"
)

// ended is the condition of a status that is final.
const ended = `IN ('complete', 'partial', 'failed', 'cancelled')`

// errEnough ends a read whose caller needs no more rows.
var errEnough = errors.New("enough")

// Suites returns all suites, newest first, without their Spec and Plan.
func (a *Archive) Suites(ctx context.Context) ([]archive.SuiteSummary, error) {
	return a.Select(ctx, archive.SuiteQuery{})
}

// Select returns the suites of a query, newest first, without their Spec and Plan. It reads no further than to the last of them, and a little.
// An unknown suite in After is ErrNotFound.
func (a *Archive) Select(ctx context.Context, q archive.SuiteQuery) ([]archive.SuiteSummary, error) {
	var list []archive.SuiteSummary
	err := a.read(ctx, "list suites of", func(ctx context.Context, tx pgx.Tx) error {
		where, args := conditions(q)
		if q.After != "" {
			var number int64
			err := tx.QueryRow(ctx, `SELECT number FROM suite WHERE id = $1 AND removed = 0`, encode(q.After)).Scan(&number)
			if errors.Is(err, pgx.ErrNoRows) {
				return notFound("suite", q.After)
			}
			if err != nil {
				return err
			}
			args = append(args, number)
			where += fmt.Sprintf(` AND number < $%d`, len(args))
		}
		if q.Limit > 0 && q.Match == nil && len(q.Tags) == 0 {
			args = append(args, q.Limit)
			where += fmt.Sprintf(` ORDER BY number DESC LIMIT $%d`, len(args))
		} else {
			where += ` ORDER BY number DESC`
		}
		err := each(ctx, tx, func(row pgx.Rows) error {
			var s archive.SuiteSummary
			if err := scanSuite(row, &s.Suite, &s.Runs); err != nil {
				return err
			}
			if tagged(s.Tags, q.Tags) && (q.Match == nil || q.Match(s.Suite)) {
				list = append(list, s)
			}
			if q.Limit > 0 && len(list) == q.Limit {
				return errEnough
			}
			return nil
		}, `SELECT id, name, note, tags, status, created_ns, submitted_by, db, NULL::text AS spec, NULL::text AS plan,
			(SELECT count(*) FROM run WHERE run.suite = suite.id) FROM suite WHERE removed = 0`+where, args...)
		if errors.Is(err, errEnough) {
			return nil
		}
		return err
	})
	return list, err
}

// tagged reports whether a suite has all tags. PostgreSQL's JSON cannot have every character, so the database does not compare them.
func tagged(has, want map[string]string) bool {
	for key, value := range want {
		if v, ok := has[key]; !ok || v != value {
			return false
		}
	}
	return true
}

// conditions are those of a query that the database checks.
func conditions(q archive.SuiteQuery) (where string, args []any) {
	add := func(condition string, value any) {
		args = append(args, value)
		where += fmt.Sprintf(" AND "+condition, len(args))
	}
	if q.Name != "" {
		add(`name = $%d`, encode(q.Name))
	}
	if len(q.Statuses) > 0 {
		values := make([]string, len(q.Statuses))
		for i, status := range q.Statuses {
			values[i] = encode(string(status))
		}
		add(`status = ANY($%d)`, values)
	}
	if !q.Since.IsZero() {
		add(`created_ns >= $%d`, q.Since.UnixNano())
	}
	if !q.Until.IsZero() {
		add(`created_ns < $%d`, q.Until.UnixNano())
	}
	return where, args
}

// Suite returns a suite.
func (a *Archive) Suite(ctx context.Context, id string) (archive.Suite, error) {
	var suite archive.Suite
	err := a.read(ctx, "read suite "+id+" of", func(ctx context.Context, tx pgx.Tx) (err error) {
		suite, err = suiteOf(ctx, tx, id)
		return err
	})
	return suite, err
}

const suiteColumns = `SELECT id, name, note, tags, status, created_ns, submitted_by, db, spec, plan FROM suite WHERE id = $1`

func suiteOf(ctx context.Context, tx querier, id string) (suite archive.Suite, err error) {
	err = scanSuite(tx.QueryRow(ctx, suiteColumns+` AND removed = 0`, encode(id)), &suite)
	if errors.Is(err, pgx.ErrNoRows) {
		err = notFound("suite", id)
	}
	return suite, err
}

// Run returns a run.
func (a *Archive) Run(ctx context.Context, id string) (archive.RunRecord, error) {
	list, err := a.runs(ctx, "read run "+id+" of", `WHERE id = $1 AND suite NOT IN (SELECT id FROM suite WHERE removed <> 0)`, encode(id))
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
	return a.runs(ctx, "read runs of suite "+suite+" of", `WHERE suite = $1 AND suite NOT IN (SELECT id FROM suite WHERE removed <> 0) ORDER BY number`, encode(suite))
}

// Unfinished returns all runs that have not ended, in the order of their submission: a restarted coordinator continues
// them.
func (a *Archive) Unfinished(ctx context.Context) ([]archive.RunRecord, error) {
	return a.runs(ctx, "read unfinished runs of", `WHERE NOT status `+ended+` ORDER BY number`)
}

func (a *Archive) runs(ctx context.Context, doing, where string, args ...any) (list []archive.RunRecord, err error) {
	err = a.read(ctx, doing, func(ctx context.Context, tx pgx.Tx) (err error) {
		list, err = readRuns(ctx, tx, where, args...)
		return err
	})
	return list, err
}

func readRuns(ctx context.Context, tx querier, where string, args ...any) (list []archive.RunRecord, err error) {
	at := make(map[string]int)
	ids := []string{}
	if err := each(ctx, tx, func(row pgx.Rows) error {
		run, err := scanRun(row)
		at[run.ID] = len(list)
		list, ids = append(list, run), append(ids, encode(run.ID))
		return err
	}, `SELECT id, suite, case_name, repeat, status, reason, started_ns, ended_ns, properties, header, state FROM run `+where, args...); err != nil || len(ids) == 0 {
		return nil, err
	}
	err = each(ctx, tx, func(row pgx.Rows) error {
		var run string
		var agent archive.Agent
		err := row.Scan(into(&run), into(&agent.Name), &agent.Shard, &agent.Attempt)
		list[at[run]].Agents = append(list[at[run]].Agents, agent)
		return err
	}, `SELECT run, name, shard, attempt FROM agent WHERE run = ANY($1) ORDER BY run, shard, attempt`, ids)
	return list, err
}

func scanSuite(row pgx.Row, suite *archive.Suite, more ...any) error {
	var tags []byte
	var created *int64
	if err := row.Scan(append([]any{
		into(&suite.ID), into(&suite.Name), into(&suite.Note), (*content)(&tags), into(&suite.Status), &created,
		into(&suite.SubmittedBy), into(&suite.DB), (*content)(&suite.Spec), (*content)(&suite.Plan),
	}, more...)...); err != nil {
		return err
	}
	suite.Created = timeOf(created)
	if err := json.Unmarshal(tags, &suite.Tags); err != nil {
		return archive.Faultf(archive.ErrCorrupt, err, "read tags of suite %s: %v", suite.ID, err)
	}
	return nil
}

func scanRun(row pgx.Row) (run archive.RunRecord, err error) {
	var properties []byte
	var started, ended *int64
	if err := row.Scan(into(&run.ID), into(&run.Suite), into(&run.Case), &run.Repeat, into(&run.Status), into(&run.Reason), &started, &ended,
		(*content)(&properties), (*content)(&run.Header), (*content)(&run.State)); err != nil {
		return run, err
	}
	run.Started, run.Ended = timeOf(started), timeOf(ended)
	if err := json.Unmarshal(properties, &run.Properties); err != nil {
		return run, archive.Faultf(archive.ErrCorrupt, err, "read properties of run %s: %v", run.ID, err)
	}
	return run, nil
}
