package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/result"
)

// CreateSuite atomically stores a suite with its runs. Runs are executed and listed in the order given. An id that is taken
// is ErrExists.
func (a *Archive) CreateSuite(ctx context.Context, suite archive.Suite, runs []archive.RunRecord) error {
	week := weekOf(suite.Created)
	leave, err := a.enterWeek(ctx, week)
	if err != nil {
		return a.explain("create suite "+suite.ID+" in", err)
	}
	defer leave()
	return a.write(ctx, "create suite "+suite.ID+" in", func(ctx context.Context, tx *transaction) error {
		if taken, err := exists(ctx, tx, `SELECT 1 FROM suite WHERE id = $1`, encode(suite.ID)); err != nil {
			return err
		} else if taken {
			return archive.Faultf(archive.ErrExists, nil, "create suite %s: the archive already has a suite of this id", suite.ID)
		}
		tags, err := object(suite.Tags)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `INSERT INTO suite (id, name, note, tags, status, created_ns, submitted_by, db, spec, plan, week)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`, encode(suite.ID), encode(suite.Name), encode(suite.Note), tags, encode(string(suite.Status)),
			suite.Created.UnixNano(), encode(suite.SubmittedBy), encode(suite.DB), optional(suite.Spec), optional(suite.Plan), week); err != nil {
			return err
		}
		tx.later(`INSERT INTO space (suite, bytes) VALUES ($1, $2)`, encode(suite.ID), int64(suiteBytes+len(suite.Spec)+len(suite.Plan)))
		return insertRuns(ctx, tx, suite.ID, runs)
	})
}

// AddRuns appends runs to an existing suite, and changes the suite's status with them.
func (a *Archive) AddRuns(ctx context.Context, suite string, status result.Status, runs []archive.RunRecord) error {
	return a.write(ctx, "add runs to suite "+suite+" in", func(ctx context.Context, tx *transaction) error {
		tag, err := tx.Exec(ctx, `UPDATE suite SET status = $1 WHERE id = $2 AND removed = 0`, encode(string(status)), encode(suite))
		if err := changedOne(tag, err, "suite", suite); err != nil {
			return err
		}
		return insertRuns(ctx, tx, suite, runs)
	})
}

// Apply atomically stores a change of existing suites and runs.
func (a *Archive) Apply(ctx context.Context, change archive.Change) error {
	return a.write(ctx, "update", func(ctx context.Context, tx *transaction) error {
		for _, run := range change.Runs {
			if err := updateRun(ctx, tx, run); err != nil {
				return err
			}
		}
		if change.Suite != "" {
			tag, err := tx.Exec(ctx, `UPDATE suite SET status = $1 WHERE id = $2`, encode(string(change.Status)), encode(change.Suite))
			if err := changedOne(tag, err, "suite", change.Suite); err != nil {
				return err
			}
		}
		return insertEvents(ctx, tx, change.Events)
	})
}

// Annotate changes the note and tags of a suite, whether it has ended or not. More than MostTags are ErrInvalid.
func (a *Archive) Annotate(ctx context.Context, suite string, annotation archive.Annotation) error {
	return a.write(ctx, "annotate suite "+suite+" in", func(ctx context.Context, tx *transaction) error {
		s, err := suiteOf(ctx, tx, suite)
		if err != nil {
			return err
		}
		if err := annotation.Apply(&s); err != nil {
			return err
		}
		tags, err := object(s.Tags)
		if err != nil {
			return err
		}
		tx.later(`UPDATE suite SET note = $1, tags = $2 WHERE id = $3`, encode(s.Note), tags, encode(suite))
		return nil
	})
}

// insertRuns stores new runs of a suite.
func insertRuns(ctx context.Context, tx *transaction, suite string, runs []archive.RunRecord) error {
	ids, fresh := make([]string, len(runs)), make(map[string]bool, len(runs))
	for i, run := range runs {
		ids[i] = encode(run.ID)
	}
	taken := make(map[string]bool)
	if err := each(ctx, tx, func(row pgx.Rows) error {
		var id string
		err := row.Scan(into(&id))
		taken[id] = true
		return err
	}, `SELECT id FROM run WHERE id = ANY($1)`, ids); err != nil {
		return err
	}
	for _, run := range runs {
		if run.Suite != suite {
			return archive.Faultf(archive.ErrInvalid, nil, "create run %s: it belongs to suite %q, not to %s", run.ID, run.Suite, suite)
		}
		if taken[run.ID] || fresh[run.ID] {
			return archive.Faultf(archive.ErrExists, nil, "create run %s: the archive already has a run of this id", run.ID)
		}
		fresh[run.ID] = true
		properties, err := object(run.Properties)
		if err != nil {
			return err
		}
		tx.later(`INSERT INTO run (id, suite, case_name, repeat, status, reason, started_ns, ended_ns, properties, header, state)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`, encode(run.ID), encode(run.Suite), encode(run.Case), run.Repeat,
			encode(string(run.Status)), encode(run.Reason), instant(run.Started), instant(run.Ended), properties, optional(run.Header), optional(run.State))
		insertAgents(tx, run)
	}
	return nil
}

func updateRun(ctx context.Context, tx *transaction, run archive.RunRecord) error {
	properties, err := object(run.Properties)
	if err != nil {
		return err
	}
	tag, err := tx.Exec(ctx, `UPDATE run SET case_name = $1, repeat = $2, status = $3, reason = $4, started_ns = $5,
		ended_ns = $6, properties = $7, header = $8, state = $9 WHERE id = $10 AND suite = $11`, encode(run.Case), run.Repeat,
		encode(string(run.Status)), encode(run.Reason), instant(run.Started), instant(run.Ended), properties, optional(run.Header),
		optional(run.State), encode(run.ID), encode(run.Suite))
	if err := changedOne(tag, err, "run", run.ID); err != nil {
		return err
	}
	insertAgents(tx, run)
	return nil
}

// insertAgents stores the agents of a run. Those that are stored already change nothing: a run of many agents is updated often.
func insertAgents(tx *transaction, run archive.RunRecord) {
	if len(run.Agents) == 0 {
		return
	}
	type part struct{ shard, attempt int }
	at := make(map[part]int, len(run.Agents)) // a later entry replaces one of the same part
	var shards, attempts []int64
	var names []string
	for _, agent := range run.Agents {
		key := part{agent.Shard, agent.Attempt}
		if i, again := at[key]; again {
			names[i] = encode(agent.Name)
			continue
		}
		at[key] = len(names)
		shards, attempts, names = append(shards, int64(agent.Shard)), append(attempts, int64(agent.Attempt)), append(names, encode(agent.Name))
	}
	tx.later(`INSERT INTO agent AS a (run, shard, attempt, name) SELECT $1, k.shard, k.attempt, k.name
		FROM unnest($2::bigint[], $3::bigint[], $4::text[]) AS k (shard, attempt, name)
		ON CONFLICT (run, shard, attempt) DO UPDATE SET name = excluded.name WHERE a.name <> excluded.name`,
		encode(run.ID), shards, attempts, names)
}

// querier is a connection or a transaction.
type querier interface {
	Query(ctx context.Context, query string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, query string, args ...any) pgx.Row
}

// each calls do for each row of a query.
func each(ctx context.Context, tx querier, do func(pgx.Rows) error, query string, args ...any) error {
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	return eachOf(rows, do)
}

// eachOf calls do for each of some rows, and closes them.
func eachOf(rows pgx.Rows, do func(pgx.Rows) error) error {
	defer rows.Close()
	for rows.Next() {
		if err := do(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

func exists(ctx context.Context, tx querier, query string, args ...any) (bool, error) {
	var one int
	err := tx.QueryRow(ctx, query, args...).Scan(&one)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// object is a map as a JSON object; a nil map is an empty object.
func object(m map[string]string) (string, error) {
	if m == nil {
		return "{}", nil
	}
	content, err := json.Marshal(m)
	if err != nil {
		return "", fmt.Errorf("encode %v: %w", m, err)
	}
	return encode(string(content)), nil
}

// instant is a time as a column; the zero time is NULL.
func instant(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	ns := t.UnixNano()
	return &ns
}

func timeOf(ns *int64) time.Time {
	if ns == nil {
		return time.Time{}
	}
	return time.Unix(0, *ns).UTC()
}

// bit is a bool as a column.
func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// bytesOf is a blob that is not NULL.
func bytesOf(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
