package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/benchd/benchd/internal/target/postgres/postgresspec"
	"github.com/benchd/benchd/internal/workload"
)

// The columns that are not fields.
const (
	KeyColumn      = "ycsb_key"
	DocumentColumn = "ycsb_value"
)

// Mark begins the comment of a table that benchd has created.
const Mark = "created by benchd: "

// ErrNoTable is the kind of the error for a table that does not exist.
var ErrNoTable = errors.New("table does not exist")

// Column is a column of a table.
type Column struct {
	Name, Type, Collation string
	NotNull               bool
}

// Table is what the catalogue has about a table.
type Table struct {
	Columns  []Column
	Creator  string // the run that has created it; empty if benchd has not
	Key      bool   // it has a unique index on ycsb_key alone
	Unlogged bool
	Allowed  []string // what the role may do with it: SELECT, INSERT, UPDATE, DELETE
}

// Has reports whether the table has a column.
func (t Table) Has(name string) bool {
	return slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Name == name })
}

// Column returns a column by its name.
func (t Table) Column(name string) (Column, bool) {
	i := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
	if i < 0 {
		return Column{}, false
	}
	return t.Columns[i], true
}

// DescribeTable reads a table's columns. Its error is ErrNoTable if there is no such table.
func DescribeTable(ctx context.Context, conn *pgconn.PgConn, name postgresspec.Table) (Table, error) {
	rows, err := Query(ctx, conn, `SELECT c.oid, c.relpersistence, coalesce(obj_description(c.oid, 'pg_class'), ''),
  EXISTS (SELECT FROM pg_index i JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = $2 AND i.indkey::text = a.attnum::text
          WHERE i.indrelid = c.oid AND i.indisunique AND i.indisvalid AND i.indpred IS NULL),
  (SELECT coalesce(string_agg(p, ','), '') FROM unnest('{SELECT,INSERT,UPDATE,DELETE}'::text[]) p WHERE has_table_privilege(c.oid, p))
FROM pg_class c WHERE c.oid = to_regclass($1) AND c.relkind IN ('r', 'p', 'f', 'v')`, name.SQL(), KeyColumn)
	if err != nil {
		return Table{}, fmt.Errorf("read table %s: %w", name, err)
	}
	if len(rows) == 0 {
		return Table{}, fmt.Errorf("%w: %s", ErrNoTable, name)
	}
	creator, marked := strings.CutPrefix(rows[0][2], Mark)
	if !marked {
		creator = ""
	}
	t := Table{Creator: creator, Key: rows[0][3] == "t", Unlogged: rows[0][1] == "u", Allowed: strings.Split(rows[0][4], ",")}
	columns, err := Query(ctx, conn, `SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
  coalesce((SELECT CASE WHEN l.collname = 'default' THEN d.datcollate ELSE l.collname END FROM pg_collation l, pg_database d
            WHERE l.oid = a.attcollation AND d.datname = current_database()), '')
FROM pg_attribute a WHERE a.attrelid = $1::oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`, rows[0][0])
	if err != nil {
		return Table{}, fmt.Errorf("read columns of table %s: %w", name, err)
	}
	for _, c := range columns {
		t.Columns = append(t.Columns, Column{Name: c[0], Type: c[1], NotNull: c[2] == "t", Collation: c[3]})
	}
	return t, nil
}

// CreateTable creates the table of a workload.
func CreateTable(ctx context.Context, conn *pgconn.PgConn, s postgresspec.Settings, w workload.Config, by string) error {
	_, err := Query(ctx, conn, Definition(s, w))
	if State(err) == DuplicateTable {
		return fmt.Errorf("create table %s: another client created it at the same time; run again to use it", s.Table)
	}
	if State(err) == NoPrivilege {
		return fmt.Errorf("create table %s: %w: GRANT CREATE ON its schema TO %s, or create the table as another role", s.Table, err, s.User)
	}
	if err != nil {
		return fmt.Errorf("create table %s: %w", s.Table, err)
	}
	if _, err := Query(ctx, conn, "COMMENT ON TABLE "+s.Table.SQL()+" IS '"+strings.ReplaceAll(Mark+by, "'", "''")+"'"); err != nil {
		return fmt.Errorf("mark table %s: %w", s.Table, err)
	}
	return nil
}

// Definition returns the statement that creates the table of a workload: YCSB's, with keys in the order of their bytes.
func Definition(s postgresspec.Settings, w workload.Config) string {
	var b strings.Builder
	b.WriteString("CREATE ")
	if s.Unlogged {
		b.WriteString("UNLOGGED ")
	}
	b.WriteString("TABLE " + s.Table.SQL() + " (" + KeyColumn + ` varchar(255) COLLATE "C" PRIMARY KEY`)
	if s.Form == postgresspec.FormJSONB {
		b.WriteString(", " + DocumentColumn + " jsonb NOT NULL")
	} else {
		for i := range w.FieldCount {
			b.WriteString(", " + postgresspec.Ident(w.FieldNamePrefix+strconv.Itoa(i)) + " text")
		}
		if w.Proportions.Increment > 0 {
			b.WriteString(", " + postgresspec.Ident(workload.CounterField) + " bigint")
		}
	}
	b.WriteString(")")
	if s.FillFactor != 100 {
		b.WriteString(" WITH (fillfactor=" + strconv.Itoa(s.FillFactor) + ")")
	}
	return b.String()
}

// DropTable deletes a table.
func DropTable(ctx context.Context, conn *pgconn.PgConn, name postgresspec.Table) error {
	if _, err := Query(ctx, conn, "DROP TABLE "+name.SQL()); err != nil {
		return fmt.Errorf("drop table %s: %w", name, err)
	}
	return nil
}
