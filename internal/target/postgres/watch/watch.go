package watch

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/observe"
	"github.com/benchd/benchd/internal/target/postgres/client"
	"github.com/benchd/benchd/internal/target/postgres/postgresspec"
)

const (
	// lookWithin is the time limit of a look.
	lookWithin = 5 * time.Second
	// A server that cannot be read is left alone for a while.
	firstRest, lastRest = time.Second, 30 * time.Second
	// tolerated is the number of failures in a row without a warning.
	tolerated = 2
)

// Open is the observe.Opener of PostgreSQL.
func Open(properties map[string]string, with observe.Access) (observe.Source, error) {
	settings, err := postgresspec.Read(properties)
	if err != nil {
		return nil, err //nolint:wrapcheck // it lists the mistakes
	}
	password, err := with.Secret(properties, postgresspec.PasswordProperty)
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the property
	}
	connector, err := client.New(client.Config{
		Settings: settings, Password: password, Dial: with.Dial, Credential: with.Credential, Application: "benchd-telemetry", KnownIO: true,
	})
	if err != nil {
		return nil, err //nolint:wrapcheck // it needs no context
	}
	return &source{connector: connector, log: with.Logger, warned: make(map[string]bool)}, nil
}

// source reads one server.
type source struct {
	connector *client.Connector
	log       *slog.Logger

	conn     *pgconn.PgConn // nil without a connection
	sql      string         // of a look
	failures int            // in a row
	rest     clock.Instant  // until when the server is left alone
	warned   map[string]bool
	before   *document
}

// Close closes the connection.
func (s *source) Close() { s.drop() }

func (s *source) drop() {
	if s.conn != nil {
		client.Close(s.conn)
		s.conn = nil
	}
}

// Look reads all figures.
func (s *source) Look(ctx context.Context) observe.Look {
	if clock.Mono().Before(s.rest) {
		return observe.Look{}
	}
	limited, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	at := clock.Mono()
	d, err := s.read(limited)
	if err != nil {
		s.drop()
		return s.failed(ctx, err)
	}
	s.failures = 0
	look := observe.Look{Groups: []observe.Group{s.group(d, at)}, Events: s.events(d, at)}
	s.before = d
	return look
}

// failed returns a look without figures.
func (s *source) failed(ctx context.Context, err error) observe.Look {
	s.failures++
	s.rest = clock.Mono().Add(min(firstRest<<min(s.failures-1, 10), lastRest))
	if text := "PostgreSQL could not be watched: " + err.Error(); ctx.Err() == nil && s.failures > tolerated && !s.warned[text] && len(s.warned) < 100 {
		s.warned[text] = true
		return observe.Look{Warnings: []string{text}}
	}
	return observe.Look{}
}

// view is a row of one of the server's views.
type view map[string]any

// document is the answer of a look.
type document struct {
	Started      string
	Database     view
	Tables       view `json:"user_tables"` //nolint:tagliatelle // the view is pg_stat_user_tables
	Bgwriter     view
	Checkpointer view
	Wal          view
	Benchd       view
}

func (d *document) view(name string) view {
	switch name {
	case "database":
		return d.Database
	case "user_tables":
		return d.Tables
	case "bgwriter":
		return d.Bgwriter
	case "checkpointer":
		return d.Checkpointer
	case "wal":
		return d.Wal
	}
	return d.Benchd
}

// number returns a column's value. It is false for a column that does not exist or is NULL.
func (v view) number(column string) (float64, bool) {
	n, ok := v[column].(json.Number)
	if !ok {
		return 0, false
	}
	f, err := n.Float64()
	return f, err == nil
}

// read executes the statement of a look.
func (s *source) read(ctx context.Context) (*document, error) {
	if s.conn == nil {
		conn, err := s.connector.Connect(ctx)
		if err != nil {
			return nil, err //nolint:wrapcheck // it needs no context
		}
		s.conn = conn
		if s.sql, err = client.Statistics(ctx, conn); err != nil {
			return nil, err //nolint:wrapcheck // it needs no context
		}
	}
	rows, err := client.Query(ctx, s.conn, s.sql, s.connector.Settings().Table.SQL())
	if err != nil {
		return nil, fmt.Errorf("read statistics: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader([]byte(rows[0][0])))
	decoder.UseNumber()
	var d document
	if err := decoder.Decode(&d); err != nil {
		return nil, fmt.Errorf("decode statistics: %w", err)
	}
	return &d, nil
}

// group returns the readings of a look.
func (s *source) group(d *document, at clock.Instant) observe.Group {
	reset, _ := d.Database["stats_reset"].(string)
	g := observe.Group{Key: "server", Source: s.connector.Settings().Address, At: at, Live: true, Epoch: d.Started + reset}
	for _, f := range figures() {
		v := d.view(f.view)
		value, ok := v.number(f.column)
		if !ok {
			continue
		}
		r := observe.Reading{Name: f.name, Unit: f.unit, Kind: f.kind, Value: value}
		for _, column := range f.of {
			whole, _ := v.number(column)
			r.Of += whole
		}
		g.Readings = append(g.Readings, r)
	}
	return g
}
