package action

import (
	"context"
	"fmt"
	"slices"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/sequoiadb/admin"
	"github.com/benchd/benchd/internal/target/sequoiadb/sequoiadbspec"
)

func (a *actor) count(ctx context.Context, s sequoiadbspec.Settings) (load.Answer, error) {
	n, err := a.client.Count(ctx, s.FullName())
	if err != nil {
		return load.Answer{}, missing(s, err)
	}
	return load.Answer{Columns: []string{"table", "rows"}, Rows: [][]any{{s.FullName(), n}}}, nil
}

// missing names the collection of an error.
func missing(s sequoiadbspec.Settings, err error) error {
	return fmt.Errorf("collection %s: %w", s.FullName(), err)
}

func (a *actor) create(ctx context.Context, s sequoiadbspec.Settings) (load.Answer, error) {
	if err := a.client.Create(ctx, s); err != nil {
		return load.Answer{}, missing(s, err)
	}
	return answerf("created collection %s", s.FullName()), nil
}

func (a *actor) describe(ctx context.Context, s sequoiadbspec.Settings) (load.Answer, error) {
	d, ok, err := a.client.Describe(ctx, s.FullName())
	switch {
	case err != nil:
		return load.Answer{}, missing(s, err)
	case !ok:
		return load.Answer{}, fmt.Errorf("collection %s does not exist", s.FullName())
	}
	return answerf("%s", d), nil
}

func (a *actor) drop(ctx context.Context, s sequoiadbspec.Settings) (load.Answer, error) {
	if err := a.client.Drop(ctx, s.FullName()); err != nil {
		return load.Answer{}, missing(s, err)
	}
	return answerf("dropped collection %s", s.FullName()), nil
}

func (a *actor) truncate(ctx context.Context, s sequoiadbspec.Settings) (load.Answer, error) {
	if err := a.client.Truncate(ctx, s.FullName()); err != nil {
		return load.Answer{}, missing(s, err)
	}
	return answerf("truncated collection %s", s.FullName()), nil
}

func (a *actor) sync(ctx context.Context, _ sequoiadbspec.Settings) (load.Answer, error) {
	if err := a.client.Sync(ctx); err != nil {
		return load.Answer{}, err //nolint:wrapcheck // it names the command
	}
	return answerf("the nodes have written data and log to their disks"), nil
}

func (a *actor) tables(ctx context.Context, _ sequoiadbspec.Settings) (load.Answer, error) {
	names, err := a.client.Collections(ctx)
	if err != nil {
		return load.Answer{}, err //nolint:wrapcheck // it names the command
	}
	slices.Sort(names)
	answer := load.Answer{Columns: []string{"table"}}
	for _, name := range names {
		answer.Rows = append(answer.Rows, []any{name})
	}
	return answer, nil
}

// servers lists the coordinators, each with a connection of its own, and the nodes that they know.
func (a *actor) servers(ctx context.Context, _ sequoiadbspec.Settings) (load.Answer, error) {
	answer := load.Answer{Columns: []string{"server", "role", "group", "primary", "version", "status"}}
	for _, address := range a.access.Addresses() {
		conn, err := a.access.ConnectTo(ctx, address)
		if err != nil {
			answer.Rows = append(answer.Rows, []any{address, "coordinator", "", false, "", err.Error()})
			continue
		}
		answer.Rows = append(answer.Rows, []any{address, "coordinator", "", false, conn.Info.Version, "reached"})
		if err := conn.Close(); err != nil {
			return answer, err //nolint:wrapcheck // it names the address
		}
	}
	nodes, err := a.client.Snapshot(ctx, admin.Database)
	if err != nil {
		return answer, err //nolint:wrapcheck // it names the command
	}
	for _, d := range nodes {
		name := d.Text("NodeName")
		if name == "" {
			continue
		}
		primary, _ := d.Bool("IsPrimary")
		answer.Rows = append(answer.Rows, []any{name, d.Text("Role"), d.Text("GroupName"), primary, "", d.Text("Status")})
	}
	return answer, nil
}
