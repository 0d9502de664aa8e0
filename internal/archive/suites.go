package archive

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/benchd/benchd/internal/result"
)

// Suite is what a user submitted.
type Suite struct {
	ID          string
	Name, Note  string
	Tags        map[string]string
	Status      result.Status
	Created     time.Time
	SubmittedBy string
	DB          string          // the kind of target
	Spec        json.RawMessage // as submitted
	Plan        json.RawMessage // of a suite of several runs: what it is to do; nil where it is not known
}

// SuiteSummary is a suite in the list of all: without its Spec and Plan, with the number of its runs.
type SuiteSummary struct {
	Suite
	Runs int
}

// RunRecord is a run as the coordinator keeps it; what it measured is kept beside it, in windows.
type RunRecord struct {
	ID         string
	Suite      string
	Case       string
	Repeat     int
	Status     result.Status
	Reason     string            // why failed or cancelled
	Properties map[string]string // resolved
	Header     json.RawMessage   // the part of the result that windows do not hold: provenance, start …
	State      []byte            // lifecycle's own, JSON
	Agents     []Agent           // who was handed which shard; entries are only ever added
	Started    time.Time         // zero until then
	Ended      time.Time         // zero until then
}

// Agent is one handing out of a shard.
type Agent struct {
	Name           string
	Shard, Attempt int
}

// Change is what is stored together: after a crash all of it is there or nothing.
type Change struct {
	Runs   []RunRecord // by their ID; each replaces what was there
	Suite  string      // the suite whose status changes; "" for none
	Status result.Status
	Events []Event
}

// CreateSuite stores a suite with its runs, all or nothing. Runs are executed and listed in the order given.
// An id that is taken is ErrExists.
func (a *Archive) CreateSuite(ctx context.Context, suite Suite, runs []RunRecord) error {
	return a.write(ctx, "create suite "+suite.ID+" in", func(ctx context.Context, tx *sql.Tx) error {
		if taken, err := exists(ctx, tx, `SELECT 1 FROM suite WHERE id = ?`, suite.ID); err != nil {
			return err
		} else if taken {
			return faultf(ErrExists, nil, "create suite %s: there is one of this id in the archive", suite.ID)
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
				return faultf(ErrInvalid, nil, "create run %s: it belongs to suite %q, not to %s", run.ID, run.Suite, suite.ID)
			}
			if err := insertRun(ctx, tx, run); err != nil {
				return err
			}
		}
		return nil
	})
}

// AddRuns adds runs to a suite that is there, behind those that it has, and changes the suite's status with them.
func (a *Archive) AddRuns(ctx context.Context, suite string, status result.Status, runs []RunRecord) error {
	return a.write(ctx, "add runs to suite "+suite+" in", func(ctx context.Context, tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, `UPDATE suite SET status = ? WHERE id = ? AND removed = 0`, string(status), suite)
		if err := changedOne(res, err, "suite", suite); err != nil {
			return err
		}
		for _, run := range runs {
			if run.Suite != suite {
				return faultf(ErrInvalid, nil, "create run %s: it belongs to suite %q, not to %s", run.ID, run.Suite, suite)
			}
			if err := insertRun(ctx, tx, run); err != nil {
				return err
			}
		}
		return nil
	})
}

// UpdateRun replaces a run that is there.
func (a *Archive) UpdateRun(ctx context.Context, run RunRecord) error {
	return a.Apply(ctx, Change{Runs: []RunRecord{run}})
}

// UpdateSuite changes a suite's status.
func (a *Archive) UpdateSuite(ctx context.Context, id string, status result.Status) error {
	return a.Apply(ctx, Change{Suite: id, Status: status})
}

// Apply stores a change, all or nothing. What it changes must be there.
func (a *Archive) Apply(ctx context.Context, change Change) error {
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

func insertRun(ctx context.Context, tx *sql.Tx, run RunRecord) error {
	if taken, err := exists(ctx, tx, `SELECT 1 FROM run WHERE id = ?`, run.ID); err != nil {
		return err
	} else if taken {
		return faultf(ErrExists, nil, "create run %s: there is one of this id in the archive", run.ID)
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

func updateRun(ctx context.Context, tx *sql.Tx, run RunRecord) error {
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

func insertAgents(ctx context.Context, tx *sql.Tx, run RunRecord) error {
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
	return faultf(ErrNotFound, nil, "find %s %s: the archive has none of this id", what, id)
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

// object is a map as a JSON object; no map is an empty object.
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
