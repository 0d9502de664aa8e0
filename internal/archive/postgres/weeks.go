package postgres

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/benchd/benchd/internal/archive"
)

const weekLength = 7 * 24 * time.Hour

// weekOf is the number of the week of an instant, since 1970. Weeks begin on Thursdays, as 1970 did.
func weekOf(t time.Time) int64 {
	seconds, length := t.Unix(), int64(weekLength/time.Second)
	week := seconds / length
	if seconds%length < 0 {
		week--
	}
	return week
}

// partitions are the tables that are partitioned by week.
func partitions() []string {
	return []string{"window", "measurement", "lateness", "error_sample", "observation"}
}

// partition is the name of a table's partition.
func partition(table string, week int64) string {
	if week < 0 {
		return fmt.Sprintf("%s_before_%d", table, -week)
	}
	return fmt.Sprintf("%s_week_%d", table, week)
}

// weekGate keeps those who create suites in a week from those who drop it.
type weekGate struct {
	mu    sync.Mutex
	weeks map[int64]*weekState
}

type weekState struct {
	ready    bool          // its partitions exist
	creating int           // how many create suites in it
	dropping chan struct{} // closed when it has been dropped; nil while nobody drops it
}

func (g *weekGate) of(week int64) *weekState {
	if g.weeks == nil {
		g.weeks = make(map[int64]*weekState)
	}
	s := g.weeks[week]
	if s == nil {
		s = new(weekState)
		g.weeks[week] = s
	}
	return s
}

// enter waits until nobody drops a week, and keeps it from being dropped until leave.
func (g *weekGate) enter(ctx context.Context, week int64) (ready bool, err error) {
	for {
		g.mu.Lock()
		s := g.of(week)
		if s.dropping == nil {
			s.creating++
			ready = s.ready
			g.mu.Unlock()
			return ready, nil
		}
		dropping := s.dropping
		g.mu.Unlock()
		select {
		case <-dropping:
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

func (g *weekGate) leave(week int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.of(week).creating--
}

func (g *weekGate) created(week int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.of(week).ready = true
}

// drop reports whether the caller may drop a week; then it must call dropped.
func (g *weekGate) drop(week int64) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.of(week)
	if s.creating > 0 || s.dropping != nil {
		return false
	}
	s.ready, s.dropping = false, make(chan struct{})
	return true
}

func (g *weekGate) dropped(week int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.of(week)
	close(s.dropping)
	s.dropping = nil
}

// enterWeek creates the partitions of a week if they are missing, and keeps them until leave is called.
func (a *Archive) enterWeek(ctx context.Context, week int64) (leave func(), err error) {
	if !a.partitioned {
		return func() {}, nil
	}
	ready, err := a.weeks.enter(ctx, week)
	if err != nil {
		return nil, err
	}
	leave = func() { a.weeks.leave(week) }
	if ready {
		return leave, nil
	}
	if err := a.createWeek(ctx, week); err != nil {
		leave()
		return nil, err
	}
	a.weeks.created(week)
	return leave, nil
}

// createWeek creates the partitions of a week in one transaction. Attaching a new, empty table does not block readers and writers.
func (a *Archive) createWeek(ctx context.Context, week int64) error {
	clean := true
	err := a.write(ctx, "prepare a week in", func(ctx context.Context, tx *transaction) error {
		states, err := a.partitionsOf(ctx, tx, week)
		if err != nil {
			return err
		}
		for _, state := range states {
			clean = clean && (state == absent || state == attached)
		}
		if !clean {
			return nil
		}
		for _, table := range partitions() {
			if states[table] == attached {
				continue
			}
			parent, name := quoted(table), quoted(partition(table, week))
			if _, err := tx.Exec(ctx, fmt.Sprintf(`CREATE TABLE IF NOT EXISTS %s (LIKE %s INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES)`, name, parent)); err != nil {
				return err
			}
			if table == "lateness" {
				if err := optionally(ctx, tx, fmt.Sprintf(`ALTER TABLE %s SET (toast_tuple_target = %d)`, name, inRow)); err != nil {
					return err
				}
			}
			if _, err := tx.Exec(ctx, fmt.Sprintf(`ALTER TABLE %s ATTACH PARTITION %s FOR VALUES IN (%d)`, parent, name, week)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || clean {
		return err
	}
	// A process that has ended since has begun to drop the week.
	if err := a.dropPartitions(ctx, week); err != nil {
		return err
	}
	return a.createWeek(ctx, week)
}

// inRow is how many bytes a row of table lateness may have before the server compresses its histogram or moves it out of the row: half a page instead of the
// usual quarter, because a window has one such row, with all of its operations. Its histogram is read without a second search and without unpacking.
const inRow = 4080

// optionally executes a statement that servers other than PostgreSQL may refuse, and need not have.
func optionally(ctx context.Context, tx *transaction, statement string) error {
	inner, err := tx.Begin(ctx)
	if err != nil {
		return err
	}
	_, err = inner.Exec(ctx, statement)
	if state := stateOf(err); state == stateUnknownValue || state == stateUnsupported || state == stateSyntax {
		return inner.Rollback(ctx)
	}
	if err != nil {
		return err
	}
	return inner.Commit(ctx)
}

func quoted(name string) string { return pgx.Identifier{name}.Sanitize() }

// The states of a partition.
const (
	absent   = iota
	attached // to its table
	pending  // being detached
	alone    // detached
)

// partitionsOf returns the states of the partitions of a week, by table.
func (a *Archive) partitionsOf(ctx context.Context, tx querier, week int64) (map[string]int, error) {
	states := make(map[string]int)
	detaching := `false`
	if a.detaches {
		detaching = `coalesce(i.inhdetachpending, false)`
	}
	for _, table := range partitions() {
		states[table] = absent
		if err := each(ctx, tx, func(row pgx.Rows) error {
			var child, detaching bool
			err := row.Scan(&child, &detaching)
			switch {
			case detaching:
				states[table] = pending
			case child:
				states[table] = attached
			default:
				states[table] = alone
			}
			return err
		}, `SELECT i.inhrelid IS NOT NULL, `+detaching+` FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
			LEFT JOIN pg_catalog.pg_inherits i ON i.inhrelid = c.oid WHERE n.nspname = $1 AND c.relname = $2`, a.schema, partition(table, week)); err != nil {
			return nil, err
		}
	}
	return states, nil
}

// dropPartitions drops the partitions of a week, without keeping anybody waiting: it waits for those who read.
func (a *Archive) dropPartitions(ctx context.Context, week int64) error {
	if a.term.Load() == 0 {
		return a.explain("drop a week of", archive.ErrFenced)
	}
	conn, err := a.connect(ctx)
	if err != nil {
		return a.explain("drop a week of", err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(ctx)
	}()
	err = func() error {
		states, err := a.partitionsOf(ctx, conn, week)
		if err != nil {
			return err
		}
		if _, err := conn.Exec(ctx, `SET lock_timeout = 0`); err != nil {
			return err
		}
		for _, table := range partitions() {
			if err := a.dropPartition(ctx, conn, table, partition(table, week), states[table]); err != nil {
				return err
			}
		}
		return nil
	}()
	return a.explain("drop a week of", err)
}

// dropPause is the pause between two attempts at a lock.
const dropPause = 500 * time.Millisecond

func (a *Archive) dropPartition(ctx context.Context, conn *pgx.Conn, table, name string, state int) error {
	parent, child := quoted(table), quoted(name)
	switch {
	case state == absent:
		return nil
	case state == attached && a.detaches:
		// It waits for transactions that use the table, without a lock that others would wait for.
		if _, err := conn.Exec(ctx, fmt.Sprintf(`ALTER TABLE %s DETACH PARTITION %s CONCURRENTLY`, parent, child)); err != nil {
			return err
		}
	case state == pending:
		if _, err := conn.Exec(ctx, fmt.Sprintf(`ALTER TABLE %s DETACH PARTITION %s FINALIZE`, parent, child)); err != nil {
			return err
		}
	case state == attached:
		// While it waits for its lock, others wait for it: it tries again and again, each time for a moment.
		if _, err := conn.Exec(ctx, `SET lock_timeout = '100ms'`); err != nil {
			return err
		}
	}
	for {
		_, err := conn.Exec(ctx, `DROP TABLE `+child)
		if stateOf(err) != stateLocked {
			return err
		}
		select {
		case <-time.After(dropPause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// weekIn returns the week of a partition's name.
func weekIn(name string) (week int64, ok bool) {
	for _, table := range partitions() {
		if rest, is := strings.CutPrefix(name, table+"_week_"); is {
			week, err := strconv.ParseInt(rest, 10, 64)
			return week, err == nil
		}
		if rest, is := strings.CutPrefix(name, table+"_before_"); is {
			week, err := strconv.ParseInt(rest, 10, 64)
			return -week, err == nil
		}
	}
	return 0, false
}
