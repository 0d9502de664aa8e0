package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/benchd/benchd/internal/target/postgres/client"
	"github.com/benchd/benchd/internal/target/postgres/postgresspec"
	"github.com/benchd/benchd/internal/workload"
)

// session carries out the operations of a worker on a connection of its own. Its buffers serve every operation again.
type session struct {
	t       *Table
	conn    *conn // nil after it has broken
	turn    turn
	phase   phase
	cut     func() // interrupts the connection
	dialect dialect

	one, several [forms]map[string]*statement // by the field; by the fields, with commas
	whole        [forms]*statement            // on all fields
	lookup       []byte

	params [][]byte
	array  []byte // of keys, or a document
	ends   []int  // of the parameters in array
	number []byte
	keys   [][]byte
}

func newSession(t *Table) *session {
	s := &session{t: t, dialect: dialect{table: t.settings.Table.SQL(), jsonb: t.settings.Form == postgresspec.FormJSONB, upsert: t.settings.Upsert}}
	s.cut = s.turn.interrupt
	s.forget()
	return s
}

// forget forgets all prepared statements.
func (s *session) forget() {
	for f := range forms {
		s.one[f], s.several[f], s.whole[f] = make(map[string]*statement), make(map[string]*statement), nil
	}
}

// open connects.
func (s *session) open(ctx context.Context) error {
	from, err := s.t.connector.Connect(ctx)
	if err != nil {
		return err //nolint:wrapcheck // it needs no context
	}
	c, err := take(ctx, from)
	if err != nil {
		client.Close(from)
		return err
	}
	s.forget()
	s.conn = c
	s.turn.conn.Store(&c.net)
	return nil
}

// drop closes the connection.
func (s *session) drop() {
	if s.conn != nil {
		s.turn.conn.Store(nil)
		s.conn.close()
		s.conn = nil
	}
}

// Close ends the session.
func (s *session) Close(context.Context) error {
	s.t.closed(s)
	s.phase.leave()
	s.drop()
	return nil
}

var (
	errUnknown = errors.New("target postgres does not support this operation")
	errMissing = errors.New("the row does not exist")
	errSome    = errors.New("a row does not exist")
	errUnmet   = errors.New("the row does not exist, or has no such field")
)

// Do carries out op.
func (s *session) Do(ctx context.Context, op *workload.Op) workload.Outcome {
	if s.phase.enter(ctx, s.cut) {
		s.drop()
	}
	if s.conn == nil {
		if err := s.reconnect(ctx); err != nil {
			return ended(err)
		}
	}
	if s.phase.over() {
		return workload.Outcome{Code: workload.Timeout, Err: fmt.Errorf("%w: %w", errOver, context.Cause(ctx))}
	}
	s.turn.begin()
	out := s.do(op)
	if late := s.turn.end(); late || errors.Is(out.Err, errBroken) {
		s.drop()
		switch {
		case s.phase.over():
			out.Code = workload.Timeout
		case late && !out.Code.Good():
			out = workload.Outcome{Code: workload.Timeout, Err: fmt.Errorf("no answer within postgres.operation.timeout (%s)", s.t.settings.Timeout)}
		}
	}
	return out
}

func (s *session) do(op *workload.Op) workload.Outcome {
	switch op.Kind {
	case workload.Read:
		return s.read(op)
	case workload.Update:
		return s.change(update, op, errMissing)
	case workload.CheckAndPut:
		return s.change(updateIf, op, errUnmet)
	case workload.Insert:
		if len(op.Keys) > 0 {
			return s.insertSeveral(op)
		}
		return s.change(insert, op, errMissing)
	case workload.Scan:
		return s.scan(op)
	case workload.Delete:
		return s.remove(op)
	case workload.Increment:
		s.number = strconv.AppendInt(s.number[:0], op.Delta, 10)
		return s.compute(increment, op, s.number)
	case workload.Append:
		return s.compute(appendTo, op, op.Values[0])
	case workload.MultiGet:
		return s.readSeveral(op)
	case workload.MultiRow, workload.ReadModifyWrite, workload.Verify, workload.Cleanup, workload.NumKinds:
	}
	return workload.Outcome{Code: workload.NotImplemented, Err: fmt.Errorf("%w: %s", errUnknown, op.Kind)}
}

const (
	firstPause = 5 * time.Millisecond
	mostPause  = time.Second
)

// reconnect connects again. It tries until the operation's time is over, unless another attempt would fail, too.
func (s *session) reconnect(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, s.t.settings.Timeout, errNoConnection)
	defer cancel()
	for pause := firstPause; ; pause = min(2*pause, mostPause) {
		err := s.open(ctx)
		if err == nil {
			s.t.reconnects.Add(1)
			return nil
		}
		if ctx.Err() == nil && !client.IsTemporary(err) {
			return err
		}
		s.t.failed(err)
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", context.Cause(ctx), err)
		case <-time.After(pause):
		}
	}
}

// errNoConnection is the error of an operation that found no connection within its time.
var errNoConnection = errors.New("no connection within postgres.operation.timeout")

// statement returns the prepared statement of a form and fields, and prepares it if necessary.
func (s *session) statement(f form, fields [][]byte) (*statement, error) {
	if s.dialect.jsonb && (f == insert || f == insertSeveral || f == update) {
		fields = nil // one statement for all fields
	}
	switch {
	case fields == nil:
		if p := s.whole[f]; p != nil {
			return p, nil
		}
	case len(fields) == 1:
		if p := s.one[f][string(fields[0])]; p != nil {
			return p, nil
		}
	default:
		s.lookup = s.lookup[:0]
		for _, field := range fields {
			s.lookup = append(append(s.lookup, field...), ',')
		}
		if p := s.several[f][string(s.lookup)]; p != nil {
			return p, nil
		}
	}
	p, err := s.prepare(f, fields)
	if err != nil {
		return nil, err
	}
	switch {
	case fields == nil:
		s.whole[f] = p
	case len(fields) == 1:
		s.one[f][string(fields[0])] = p
	default:
		s.several[f][string(s.lookup)] = p
	}
	return p, nil
}

func (s *session) prepare(f form, fields [][]byte) (*statement, error) {
	p := &statement{name: "b" + strconv.Itoa(s.conn.prepared), key: -1}
	s.conn.prepared++
	described, err := s.conn.prepare(p.name, s.dialect.sql(f, fields))
	if err != nil {
		return nil, err
	}
	if f == readSeveral || f == insertSeveral {
		p.formats = []int16{1} // all parameters are arrays in binary form
	}
	if described == nil {
		return p, nil
	}
	written := s.t.written()
	for i, column := range described.Fields {
		name := string(column.Name)
		if name == client.KeyColumn {
			p.key = i
		}
		if field, ok := written[name]; ok {
			name = field
		}
		p.fields = append(p.fields, []byte(name))
	}
	return p, nil
}

// written returns the workload's spelling of each field by the name of its column.
func (t *Table) written() map[string]string {
	names := make(map[string]string, t.workload.FieldCount)
	for i := range t.workload.FieldCount {
		field := t.workload.FieldNamePrefix + strconv.Itoa(i)
		names[postgresspec.Fold(field)] = field
	}
	return names
}
