package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/postgres/client"
	"github.com/benchd/benchd/internal/target/postgres/postgresspec"
	"github.com/benchd/benchd/internal/workload"
)

// Table is a table of a PostgreSQL server.
type Table struct {
	settings  postgresspec.Settings
	workload  workload.Config
	run       string
	log       *slog.Logger
	connector *client.Connector

	mu       sync.Mutex
	sessions map[*session]struct{}
	causes   map[string]uint64 // of failed attempts to connect

	reconnects atomic.Uint64

	quit chan struct{} // closed by Close
	work sync.WaitGroup
}

// Open is PostgreSQL's load.Driver. It fails within ten seconds if the server is not available.
func Open(ctx context.Context, s load.Settings) (load.Target, error) {
	settings, err := postgresspec.Read(s.Properties)
	if err != nil {
		return nil, fmt.Errorf("read settings of target postgres: %w", err)
	}
	password, err := s.Secret(postgresspec.PasswordProperty)
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the property
	}
	name := "benchd"
	if s.Run != "" {
		name += " " + s.Run
	}
	connector, err := client.New(client.Config{Settings: settings, Password: password, Dial: s.Dial, Credential: s.Credential, Application: name, KnownIO: s.KnownIO})
	if err != nil {
		return nil, err //nolint:wrapcheck // it needs no context
	}
	conn, err := connector.Connect(ctx)
	if err != nil {
		return nil, err //nolint:wrapcheck // it needs no context
	}
	client.Close(conn)
	t := &Table{
		settings: settings, workload: s.Workload, run: s.Run, log: s.Logger, connector: connector,
		sessions: make(map[*session]struct{}), causes: make(map[string]uint64), quit: make(chan struct{}),
	}
	if t.log == nil {
		t.log = slog.New(slog.DiscardHandler)
	}
	t.work.Go(t.watch)
	return t, nil
}

// with calls a function with a connection of its own.
func (t *Table) with(ctx context.Context, do func(*pgconn.PgConn) error) error {
	conn, err := t.connector.Connect(ctx)
	if err != nil {
		return err //nolint:wrapcheck // it needs no context
	}
	defer client.Close(conn)
	return do(conn)
}

// Prepare creates the table if postgres.table.create requires it, and checks that it can be used. The run's steward calls it.
func (t *Table) Prepare(ctx context.Context) error {
	return t.with(ctx, func(conn *pgconn.PgConn) error { return t.setUp(ctx, conn) })
}

// Open returns the session of a worker. Its statements are prepared when it returns.
func (t *Table) Open(ctx context.Context, _ int) (load.Session, error) {
	s := newSession(t)
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	for _, p := range needed(t.workload) {
		if _, err := s.statement(p.form, p.fields); err != nil {
			s.drop()
			return nil, fmt.Errorf("prepare the operations on table %s: %w", t.settings.Table, explained(err))
		}
	}
	t.mu.Lock()
	t.sessions[s] = struct{}{}
	t.mu.Unlock()
	return s, nil
}

func (t *Table) closed(s *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.sessions, s)
}

// watch interrupts operations that exceed their time, until the target is closed. One goroutine does that for all sessions, so that an
// operation sets no timer.
func (t *Table) watch() {
	period := min(max(t.settings.Timeout/20, 5*time.Millisecond), time.Second)
	tick := time.NewTicker(period)
	defer tick.Stop()
	for {
		select {
		case <-t.quit:
			return
		case now := <-tick.C:
			t.mu.Lock()
			for s := range t.sessions {
				s.turn.look(now, t.settings.Timeout)
			}
			t.mu.Unlock()
		}
	}
}

// failed counts a failed attempt to connect within an operation, and logs the first of each cause.
func (t *Table) failed(err error) {
	cause := causeOf(err)
	t.mu.Lock()
	t.causes[cause]++
	first := t.causes[cause] == 1
	t.mu.Unlock()
	if first {
		t.log.Info("connecting again", "cause", err)
	}
}

// Retries implements load.Retrier: failed attempts to connect within operations.
func (t *Table) Retries() map[string]uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.causes)
}

// Counts implements load.Counter.
func (t *Table) Counts() map[string]uint64 {
	return map[string]uint64{"reconnect": t.reconnects.Load()}
}

// Close ends the target. Its sessions are closed.
func (t *Table) Close() error {
	close(t.quit)
	t.work.Wait()
	return nil
}

var errOver = errors.New("the run has ended")

var (
	_ load.Admin    = (*Table)(nil)
	_ load.Observer = (*Table)(nil)
	_ load.Retrier  = (*Table)(nil)
	_ load.Counter  = (*Table)(nil)
)
