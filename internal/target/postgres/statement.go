package postgres

import (
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/target/postgres/client"
	"github.com/benchd/benchd/internal/target/postgres/postgresspec"
)

// form is what a statement does. Several kinds of operations share one.
type form uint8

const (
	read form = iota
	readSeveral
	scan
	insert
	insertSeveral
	update
	updateIf
	remove
	increment
	appendTo
	forms // the number of forms
)

// statement is a prepared statement of a connection.
type statement struct {
	name    string
	formats []int16  // of its parameters; nil if all are texts
	key     int      // which column of a row is the key; -1 if none
	fields  [][]byte // the names of a row's columns, as the workload writes them
}

// dialect writes the statements of a table.
type dialect struct {
	table  string
	jsonb  bool
	upsert bool
}

const keyIs = " WHERE " + client.KeyColumn + " = $1"

// sql returns a statement on some fields; nil is all of them. The first parameter is the key or the keys.
func (d dialect) sql(f form, fields [][]byte) string {
	switch f {
	case read:
		return "SELECT " + d.columns(fields, false) + " FROM " + d.table + keyIs
	case readSeveral:
		return "SELECT " + d.columns(fields, true) + " FROM " + d.table + " WHERE " + client.KeyColumn + " = ANY($1::text[])"
	case scan:
		return "SELECT " + d.columns(fields, true) + " FROM " + d.table + " WHERE " + client.KeyColumn + " >= $1 ORDER BY " + client.KeyColumn + " LIMIT $2"
	case insert:
		return d.insert(fields) + "VALUES ($1" + list(d.values(fields), func(i int) string { return ", $" + strconv.Itoa(i+2) }) + ")" + d.conflict(fields)
	case insertSeveral:
		kind := "::text[]"
		if d.jsonb {
			kind = "::jsonb[]"
		}
		return d.insert(fields) + "SELECT * FROM unnest($1::text[]" +
			list(d.values(fields), func(i int) string { return ", $" + strconv.Itoa(i+2) + kind }) + ")" + d.conflict(fields)
	case update:
		return d.update(fields)
	case updateIf:
		if d.jsonb {
			return d.update(fields) + " AND " + client.DocumentColumn + " ? " + literal(fields[0])
		}
		return d.update(fields) + " AND " + ident(fields[0]) + " IS NOT NULL"
	case remove:
		return "DELETE FROM " + d.table + keyIs
	case increment:
		return d.change(fields[0], "bigint", "0", "+")
	case appendTo:
		return d.change(fields[0], "text", "''", "||")
	case forms:
	}
	return ""
}

// columns lists the columns that are read. Without fields it is the whole row, as in YCSB's jdbc binding.
func (d dialect) columns(fields [][]byte, key bool) string {
	var prefix string
	if key {
		prefix = client.KeyColumn + ", "
	}
	switch {
	case d.jsonb && fields == nil:
		return prefix + client.DocumentColumn
	case fields == nil:
		return "*"
	case d.jsonb:
		return prefix + list(len(fields), func(i int) string {
			return comma(i) + client.DocumentColumn + "->>" + literal(fields[i]) + " AS " + ident(fields[i])
		})
	}
	return prefix + list(len(fields), func(i int) string { return comma(i) + ident(fields[i]) })
}

// values returns the number of values of a row that is written.
func (d dialect) values(fields [][]byte) int {
	if d.jsonb {
		return 1
	}
	return len(fields)
}

func (d dialect) insert(fields [][]byte) string {
	into := "INSERT INTO " + d.table + " (" + client.KeyColumn
	if d.jsonb {
		return into + ", " + client.DocumentColumn + ") "
	}
	return into + list(len(fields), func(i int) string { return ", " + ident(fields[i]) }) + ") "
}

// conflict returns what happens to an existing row.
func (d dialect) conflict(fields [][]byte) string {
	if !d.upsert {
		return ""
	}
	set := " ON CONFLICT (" + client.KeyColumn + ") DO UPDATE SET "
	if d.jsonb {
		return set + client.DocumentColumn + " = excluded." + client.DocumentColumn
	}
	return set + list(len(fields), func(i int) string { return comma(i) + ident(fields[i]) + " = excluded." + ident(fields[i]) })
}

func (d dialect) update(fields [][]byte) string {
	if d.jsonb {
		return "UPDATE " + d.table + " SET " + client.DocumentColumn + " = " + client.DocumentColumn + " || $2::jsonb" + keyIs
	}
	return "UPDATE " + d.table + " SET " +
		list(len(fields), func(i int) string { return comma(i) + ident(fields[i]) + " = $" + strconv.Itoa(i+2) }) + keyIs
}

// change returns a statement that changes one field by its old value.
func (d dialect) change(field []byte, kind, empty, operator string) string {
	if !d.jsonb {
		return "UPDATE " + d.table + " SET " + ident(field) + " = coalesce(" + ident(field) + ", " + empty + ") " + operator + " $2::" + kind + keyIs
	}
	old := "coalesce((" + client.DocumentColumn + "->>" + literal(field) + ")::" + kind + ", " + empty + ")"
	return "UPDATE " + d.table + " SET " + client.DocumentColumn + " = " + client.DocumentColumn +
		" || jsonb_build_object(" + literal(field) + ", " + old + " " + operator + " $2::" + kind + ")" + keyIs
}

// list joins n items.
func list(n int, item func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(item(i))
	}
	return b.String()
}

func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ", "
}

func ident(name []byte) string { return postgresspec.Ident(string(name)) }

func literal(text []byte) string { return "'" + strings.ReplaceAll(string(text), "'", "''") + "'" }
