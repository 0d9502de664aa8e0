package cassandra

import (
	"bytes"
	"strings"

	gocql "github.com/apache/cassandra-gocql-driver/v2"

	"github.com/benchd/benchd/internal/target/cassandra/cassandraspec"
	"github.com/benchd/benchd/internal/target/cassandra/cluster"
	"github.com/benchd/benchd/internal/workload"
)

// cell is a value on its way to the driver or from it. A pointer to one is no allocation when it becomes an interface, and its methods
// replace the driver's conversions, which use reflection.
type cell struct{ value []byte }

// MarshalCQL implements gocql.Marshaler.
func (c *cell) MarshalCQL(gocql.TypeInfo) ([]byte, error) { return c.value, nil }

// UnmarshalCQL implements gocql.Unmarshaler. The value is a part of the driver's frame, and valid until the next row.
func (c *cell) UnmarshalCQL(_ gocql.TypeInfo, data []byte) error {
	c.value = data
	return nil
}

// form is what a statement does.
type form uint8

const (
	formRead form = iota
	formScan
	formMultiGet
	formUpdate
	formInsert
	formDelete
	formIncrement
	formCheckAndPut
)

// statement is a statement of a session. Its buffers serve every execution again.
type statement struct {
	form   form
	fields [][]byte // copies; nil for all
	rows   int      // of a multi-get
	text   string
	query  *gocql.Query

	cells  []cell // the parameters
	values []any  // pointers to cells

	names [][]byte // of the columns of the answer; nil for the key and for columns that are not of the table
	got   []cell
	dest  []any // pointers to got
}

// statement returns the statement of a form for fields, with space for its parameters.
func (s *session) statement(f form, fields [][]byte, rows int) *statement {
	for _, st := range s.statements[f] {
		if st.rows == rows && sameFields(st.fields, fields) {
			return st
		}
	}
	st := s.make(f, fields, rows)
	s.statements[f] = append(s.statements[f], st)
	return st
}

func sameFields(a, b [][]byte) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !bytes.Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

func (s *session) make(f form, fields [][]byte, rows int) *statement {
	st := &statement{form: f, rows: rows}
	names := make([]string, len(fields))
	for i, field := range fields {
		st.fields = append(st.fields, bytes.Clone(field))
		names[i] = cluster.Quote(strings.ToLower(string(field)))
	}
	var parameters int
	st.text, parameters = textOf(s.t.settings, f, names, rows)
	st.cells = make([]cell, parameters)
	for i := range st.cells {
		st.values = append(st.values, &st.cells[i])
	}
	level := s.t.settings.WriteLevel
	if f == formRead || f == formScan || f == formMultiGet {
		level = s.t.settings.ReadLevel
	}
	st.query = s.t.cluster.Session.Query(st.text).SetKeyspace(s.t.settings.Keyspace).Consistency(gocql.ParseConsistency(level))
	if f == formCheckAndPut {
		st.query = st.query.NoSkipMetadata()
	}
	if s.t.settings.Tracing {
		st.query = st.query.Trace(untraced{})
	}
	return st
}

// textOf returns the CQL of a statement, and its number of parameters. It is that of YCSB's binding where that has one.
func textOf(s cassandraspec.Settings, f form, names []string, rows int) (text string, parameters int) {
	key, table := cluster.Quote(cassandraspec.Key), cluster.QuoteTable(s.Keyspace, s.Table)
	columns := "*"
	if len(names) > 0 {
		columns = strings.Join(names, ", ")
	}
	where := " WHERE " + key + " = ?"
	set := " SET " + strings.Join(names, " = ?, ") + " = ?"
	switch f {
	case formRead:
		return "SELECT " + columns + " FROM " + table + where + " LIMIT 1", 1
	case formScan:
		return "SELECT " + columns + " FROM " + table + " WHERE token(" + key + ") >= token(?) LIMIT ?", 2
	case formMultiGet:
		return "SELECT " + columns + " FROM " + table + " WHERE " + key + " IN (" + marks(rows) + ")", rows
	case formUpdate:
		return "UPDATE " + table + set + where, len(names) + 1
	case formInsert:
		return "INSERT INTO " + table + " (" + strings.Join(append([]string{key}, names...), ", ") + ") VALUES (" + marks(len(names)+1) + ")", len(names) + 1
	case formDelete:
		return "DELETE FROM " + table + where, 1
	case formCheckAndPut:
		return "UPDATE " + table + set + where + " IF " + names[0] + " != null", len(names) + 1
	case formIncrement:
		return "UPDATE " + cluster.QuoteTable(s.Keyspace, s.Counters()) + " SET " + names[0] + " = " + names[0] + " + ?" + where, 2
	}
	return "", 0
}

func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

// untraced has the nodes trace operations, and leaves the traces in system_traces.
type untraced struct{}

// Trace implements gocql.Tracer.
func (untraced) Trace([]byte) {}

// columns prepares the buffers for the columns of an answer. They change when the table does.
func (st *statement) columns(iter *gocql.Iter) {
	cols := iter.Columns()
	if len(cols) == len(st.names) && st.form != formCheckAndPut {
		return
	}
	st.names, st.got, st.dest = make([][]byte, len(cols)), make([]cell, len(cols)), make([]any, len(cols))
	for i, col := range cols {
		if col.Name != cassandraspec.Key {
			st.names[i] = []byte(col.Name)
		}
		st.dest[i] = &st.got[i]
	}
}

// tally adds up what an answer has.
type tally struct {
	rows  int32
	bytes int64
}

// add counts the row in the statement's buffers, and passes its cells on.
func (st *statement) add(t *tally, collect func(field, value []byte)) {
	t.rows++
	for i := range st.got {
		value := st.got[i].value
		t.bytes += int64(len(value))
		if collect != nil && value != nil && st.names[i] != nil {
			collect(st.names[i], value)
		}
	}
}

func (t tally) outcome() workload.Outcome {
	return workload.Outcome{Code: workload.OK, Rows: t.rows, Bytes: t.bytes}
}
