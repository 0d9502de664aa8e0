package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/target/postgres/client"
	"github.com/benchd/benchd/internal/target/postgres/postgresspec"
	"github.com/benchd/benchd/internal/workload"
)

// setUp creates or validates the table.
func (t *Table) setUp(ctx context.Context, conn *pgconn.PgConn) error {
	s := t.settings
	if err := primary(ctx, conn, t.connector.Settings()); err != nil {
		return err
	}
	found, err := client.DescribeTable(ctx, conn, s.Table)
	missing := errors.Is(err, client.ErrNoTable)
	switch {
	case err != nil && !missing:
		return err //nolint:wrapcheck // it names the table
	case missing && s.Create == descriptor.CreateNever:
		return fmt.Errorf("table %s does not exist: load it first (--phase load, or load,run), or create it empty with postgres.table.create=missing", s.Table)
	case missing:
		return t.create(ctx, conn)
	case s.Create != descriptor.Recreate:
		return t.validate(found)
	}
	t.log.Info("dropping the table, because postgres.table.create=recreate", "table", s.Table.String())
	if err := client.DropTable(ctx, conn, s.Table); err != nil {
		return err //nolint:wrapcheck // it names the table
	}
	return t.create(ctx, conn)
}

func (t *Table) create(ctx context.Context, conn *pgconn.PgConn) error {
	t.log.Info("creating the table", "table", t.settings.Table.String(), "form", t.settings.Form)
	return client.CreateTable(ctx, conn, t.settings, t.workload, t.run) //nolint:wrapcheck // it names the table
}

// primary fails on a server that accepts no writes. Set-up may write, and so do most workloads.
func primary(ctx context.Context, conn *pgconn.PgConn, s postgresspec.Settings) error {
	rows, err := client.Query(ctx, conn, "SELECT pg_is_in_recovery()")
	if err != nil {
		return fmt.Errorf("read the role of PostgreSQL %s: %w", s.Address, err)
	}
	if rows[0][0] == "t" {
		return fmt.Errorf("PostgreSQL %s is a standby, which accepts no writes: name the primary in %s", s.Address, s.Keys.Host)
	}
	return nil
}

// validate fails when an existing table does not fit the settings.
func (t *Table) validate(found client.Table) error {
	s, w := t.settings, t.workload
	key, ok := found.Column(client.KeyColumn)
	switch {
	case !ok:
		return fmt.Errorf("table %s has no column %s: it is not a table of YCSB's bindings; name another table, or use postgres.table.create=recreate", s.Table, client.KeyColumn)
	case !found.Key:
		return fmt.Errorf("column %s of table %s has no unique index, so each operation would read the whole table: ALTER TABLE %s ADD PRIMARY KEY (%s)", client.KeyColumn, s.Table, s.Table, client.KeyColumn)
	}
	if err := t.allowed(found); err != nil {
		return err
	}
	if !postgresspec.IsByteOrder(key.Collation) && w.Proportions.Scan > 0 {
		t.log.Warn("scans are not in the order of the keys' bytes, because of the collation of the key's column", "table", s.Table.String(), "collation", key.Collation)
	}
	if s.Form == postgresspec.FormJSONB {
		switch document, ok := found.Column(client.DocumentColumn); {
		case !ok:
			return fmt.Errorf("table %s has no column %s: it has a column for each field; set postgres.form=columns, or use postgres.table.create=recreate", s.Table, client.DocumentColumn)
		case document.Type != "jsonb":
			return fmt.Errorf("column %s of table %s is %s, not jsonb: use postgres.table.create=recreate", client.DocumentColumn, s.Table, document.Type)
		}
		return nil
	}
	return columns(found, s.Table, w)
}

// allowed fails when the role lacks a privilege that the workload needs.
func (t *Table) allowed(found client.Table) error {
	s, p := t.settings, t.workload.Proportions
	var missing []string
	for _, need := range []struct {
		name   string
		needed bool
	}{
		{"SELECT", s.Runs && p.Read+p.Scan+p.MultiGet+p.ReadModifyWrite+p.Update+p.Delete+p.Increment+p.Append+p.CheckAndPut > 0}, // a condition reads, too
		{"INSERT", s.Loads || p.Insert > 0},
		{"UPDATE", s.Upsert || s.Runs && p.Update+p.ReadModifyWrite+p.Increment+p.Append+p.CheckAndPut > 0},
		{"DELETE", s.Runs && p.Delete > 0},
	} {
		if need.needed && !slices.Contains(found.Allowed, need.name) {
			missing = append(missing, need.name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("role %s may not use table %s: GRANT %s ON %s TO %s", s.User, s.Table, strings.Join(missing, ", "), s.Table, s.User)
	}
	return nil
}

// columns fails when a column of the workload is missing.
func columns(found client.Table, table postgresspec.Table, w workload.Config) error {
	var missing []string
	for i := range w.FieldCount {
		if name := postgresspec.Fold(w.FieldNamePrefix + strconv.Itoa(i)); !found.Has(name) {
			missing = append(missing, name)
		}
	}
	switch {
	case len(missing) == w.FieldCount && found.Has(client.DocumentColumn):
		return fmt.Errorf("table %s has documents, not a column for each field: set postgres.form=jsonb, or use postgres.table.create=recreate", table)
	case len(missing) > 0:
		const most = 5
		if len(missing) > most {
			missing = append(missing[:most], "…")
		}
		return fmt.Errorf("table %s has no column %s: check fieldcount and fieldnameprefix, or use postgres.table.create=recreate", table, strings.Join(missing, ", "))
	case w.Proportions.Increment > 0 && !found.Has(workload.CounterField):
		return fmt.Errorf("table %s has no column %s, which increments need: ALTER TABLE %s ADD COLUMN %s bigint", table, workload.CounterField, table, workload.CounterField)
	}
	return nil
}
