package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/result"
)

// CreateSuite atomically stores a suite with its runs. Runs are executed and listed in the order given. An id that is taken
// is ErrExists.
func (a *Archive) CreateSuite(ctx context.Context, suite archive.Suite, runs []archive.RunRecord) error {
	return a.write(ctx, "create suite "+suite.ID+" in", func(ctx context.Context, tx *sql.Tx) error {
		if taken, err := exists(ctx, tx, `SELECT 1 FROM suite WHERE id = ?`, suite.ID); err != nil {
			return err
		} else if taken {
			return archive.Faultf(archive.ErrExists, nil, "create suite %s: the archive already has a suite of this id", suite.ID)
		}
		tags, err := object(suite.Tags)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO suite (id, name, note, tags, status, created_ns, submitted_by, db, spec, plan)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, suite.ID, suite.Name, suite.Note, tags, string(suite.Status),
			suite.Created.UnixNano(), suite.SubmittedBy, suite.DB, text(suite.Spec), text(suite.Plan)); err != nil {
			return err
		}
		for _, run := range runs {
			if run.Suite != suite.ID {
				return archive.Faultf(archive.ErrInvalid, nil, "create run %s: it belongs to suite %q, not to %s", run.ID, run.Suite, suite.ID)
			}
			if err := insertRun(ctx, tx, run); err != nil {
				return err
			}
		}
		return nil
	})
}

// AddRuns appends runs to an existing suite, and changes the suite's status with them.
func (a *Archive) AddRuns(ctx context.Context, suite string, status result.Status, runs []archive.RunRecord) error {
	return a.write(ctx, "add runs to suite "+suite+" in", func(ctx context.Context, tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, `UPDATE suite SET status = ? WHERE id = ? AND removed = 0`, string(status), suite)
		if err := changedOne(res, err, "suite", suite); err != nil {
			return err
		}
		for _, run := range runs {
			if run.Suite != suite {
				return archive.Faultf(archive.ErrInvalid, nil, "create run %s: it belongs to suite %q, not to %s", run.ID, run.Suite, suite)
			}
			if err := insertRun(ctx, tx, run); err != nil {
				return err
			}
		}
		return nil
	})
}

// Apply atomically stores a change of existing suites and runs.
func (a *Archive) Apply(ctx context.Context, change archive.Change) error {
	return a.write(ctx, "update", func(ctx context.Context, tx *sql.Tx) error {
		for _, run := range change.Runs {
			if err := updateRun(ctx, tx, run); err != nil {
				return err
			}
		}
		if change.Suite != "" {
			res, err := tx.ExecContext(ctx, `UPDATE suite SET status = ? WHERE id = ?`, string(change.Status), change.Suite)
			if err := changedOne(res, err, "suite", change.Suite); err != nil {
				return err
			}
		}
		return insertEvents(ctx, tx, change.Events)
	})
}

// Annotate changes the note and tags of a suite, whether it has ended or not. More than MostTags are ErrInvalid.
func (a *Archive) Annotate(ctx context.Context, suite string, annotation archive.Annotation) error {
	return a.write(ctx, "annotate suite "+suite+" in", func(ctx context.Context, tx *sql.Tx) error {
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
		_, err = tx.ExecContext(ctx, `UPDATE suite SET note = ?, tags = ? WHERE id = ?`, s.Note, tags, suite)
		return err
	})
}

func insertRun(ctx context.Context, tx *sql.Tx, run archive.RunRecord) error {
	if taken, err := exists(ctx, tx, `SELECT 1 FROM run WHERE id = ?`, run.ID); err != nil {
		return err
	} else if taken {
		return archive.Faultf(archive.ErrExists, nil, "create run %s: the archive already has a run of this id", run.ID)
	}
	properties, err := object(run.Properties)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO run (id, suite, case_name, repeat, status, reason, started_ns, ended_ns,
		properties, header, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, run.ID, run.Suite, run.Case, run.Repeat,
		string(run.Status), run.Reason, instant(run.Started), instant(run.Ended), properties, text(run.Header), text(run.State)); err != nil {
		return err
	}
	return insertAgents(ctx, tx, run)
}

func updateRun(ctx context.Context, tx *sql.Tx, run archive.RunRecord) error {
	properties, err := object(run.Properties)
	if err != nil {
		return err
	}
	res, err := tx.ExecContext(ctx, `UPDATE run SET case_name = ?, repeat = ?, status = ?, reason = ?, started_ns = ?,
		ended_ns = ?, properties = ?, header = ?, state = ? WHERE id = ? AND suite = ?`, run.Case, run.Repeat,
		string(run.Status), run.Reason, instant(run.Started), instant(run.Ended), properties, text(run.Header),
		text(run.State), run.ID, run.Suite)
	if err := changedOne(res, err, "run", run.ID); err != nil {
		return err
	}
	return insertAgents(ctx, tx, run)
}

func insertAgents(ctx context.Context, tx *sql.Tx, run archive.RunRecord) error {
	for _, agent := range run.Agents {
		if _, err := tx.ExecContext(ctx, `INSERT INTO agent (run, shard, attempt, name) VALUES (?, ?, ?, ?)
			ON CONFLICT (run, shard, attempt) DO UPDATE SET name = excluded.name`,
			run.ID, agent.Shard, agent.Attempt, agent.Name); err != nil {
			return err
		}
	}
	return nil
}

func notFound(what, id string) error {
	return archive.Faultf(archive.ErrNotFound, nil, "find %s %s: not in the archive", what, id)
}

func changedOne(res sql.Result, err error, what, id string) error {
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil {
		return err
	} else if n == 0 {
		return notFound(what, id)
	}
	return nil
}

func exists(ctx context.Context, tx *sql.Tx, query string, args ...any) (bool, error) {
	var one int
	err := tx.QueryRowContext(ctx, query, args...).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
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
	return string(content), nil
}

// text is JSON as a column; nil is NULL.
func text(content []byte) sql.NullString {
	return sql.NullString{String: string(content), Valid: content != nil}
}

// instant is a time as a column; the zero time is NULL.
func instant(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.UnixNano(), Valid: !t.IsZero()}
}

func timeOf(ns sql.NullInt64) time.Time {
	if !ns.Valid {
		return time.Time{}
	}
	return time.Unix(0, ns.Int64).UTC()
}
