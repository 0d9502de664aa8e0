package action

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/postgres/client"
	"github.com/benchd/benchd/internal/target/postgres/postgresspec"
	"github.com/benchd/benchd/internal/workload"
)

// actor carries out actions on one server.
type actor struct {
	conn     *pgconn.PgConn
	settings postgresspec.Settings
	workload workload.Config // its fields are the columns of tables
	by       string          // the creator of tables
}

// Open is PostgreSQL's load.OpenActor.
func Open(ctx context.Context, s load.Settings) (load.Actor, error) {
	settings, err := postgresspec.Read(s.Properties)
	if err != nil {
		return nil, load.Mark(load.ErrAction, fmt.Errorf("read settings of target postgres: %w", err))
	}
	password, err := s.Secret(postgresspec.PasswordProperty)
	if err != nil {
		return nil, load.Mark(load.ErrNotReached, err)
	}
	connector, err := client.New(client.Config{Settings: settings, Password: password, Dial: s.Dial, Credential: s.Credential, Application: "benchd-admin", KnownIO: true})
	if err != nil {
		return nil, load.Mark(load.ErrNotReached, err)
	}
	conn, err := connector.Connect(ctx)
	if err != nil {
		return nil, load.Mark(load.ErrNotReached, err)
	}
	by := s.Run
	if by == "" {
		by = "benchctl admin"
	}
	return &actor{conn: conn, settings: settings, workload: s.Workload, by: by}, nil
}

// Close closes the connection.
func (a *actor) Close() error {
	client.Close(a.conn)
	return nil
}

// Act carries out an action.
func (a *actor) Act(ctx context.Context, what load.Action) (load.Answer, error) {
	_, args, err := postgresspec.Target().FindAction(what.Name, what.Args)
	if err != nil {
		return load.Answer{}, load.Mark(load.ErrAction, err)
	}
	table := a.settings.Table
	if name := args["table"]; name != "" {
		if table, err = postgresspec.ParseTable(name); err != nil {
			return load.Answer{}, load.Mark(load.ErrAction, fmt.Errorf("%s: %w", what.Name, err))
		}
	}
	answer, err := functions()[what.Name](a, ctx, table, args)
	if err != nil && client.State(err) == "" && (a.conn.IsClosed() || ctx.Err() != nil) {
		err = load.Mark(load.ErrUnknown, fmt.Errorf("%s: %w; the server may have done it", what.Name, err))
	}
	return answer, err
}

// function carries out an action with valid arguments.
type function func(a *actor, ctx context.Context, table postgresspec.Table, args map[string]string) (load.Answer, error)

// functions has a function for each action that postgresspec describes.
func functions() map[string]function {
	return map[string]function{
		"analyze":    (*actor).analyze,
		"checkpoint": (*actor).checkpoint,
		"count":      (*actor).count,
		"create":     (*actor).create,
		"describe":   (*actor).describe,
		"drop":       (*actor).drop,
		"servers":    (*actor).servers,
		"tables":     (*actor).tables,
		"truncate":   (*actor).truncate,
		"vacuum":     (*actor).vacuum,
	}
}

// ours fails when a table was not created by benchd, unless the action is forced.
func (a *actor) ours(ctx context.Context, table postgresspec.Table, args map[string]string) error {
	found, err := a.find(ctx, table)
	if err != nil {
		return err
	}
	if found.Creator == "" && args["force"] != "true" {
		return fmt.Errorf("table %s was not created by benchd: add --force if its rows are no longer needed", table)
	}
	return nil
}

// find describes a table that must exist.
func (a *actor) find(ctx context.Context, table postgresspec.Table) (client.Table, error) {
	found, err := client.DescribeTable(ctx, a.conn, table)
	if errors.Is(err, client.ErrNoTable) {
		return found, fmt.Errorf("table %s does not exist in database %s: `benchctl admin postgres tables` lists those that do", table, a.settings.Database)
	}
	return found, err //nolint:wrapcheck // it names the table
}
