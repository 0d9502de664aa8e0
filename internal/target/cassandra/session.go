package cassandra

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	gocql "github.com/apache/cassandra-gocql-driver/v2"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/cassandra/cluster"
	"github.com/benchd/benchd/internal/workload"
)

// unreachedPause is how long an operation waits that finds no connection. Without a pause workers would count millions of failures
// while a node restarts.
const unreachedPause = 100 * time.Millisecond

var (
	errUnknown    = errors.New("target cassandra does not support this operation")
	errMissing    = errors.New("the row does not exist")
	errNotApplied = errors.New("the row has no value in the first field")
	errUnreached  = errors.New("no connection to any node that has the row")
)

// session carries out the operations of a worker.
type session struct {
	t          *Table
	statements [formCheckAndPut + 1][]*statement
	number     [8]byte
	batch      *gocql.Batch
	rows       *statement // the parameters of the rows of a batch
	wait       *time.Timer
}

func newSession(t *Table) *session {
	s := &session{t: t, wait: time.NewTimer(time.Hour)}
	s.wait.Stop()
	return s
}

// Do carries out op.
func (s *session) Do(ctx context.Context, op *workload.Op) workload.Outcome {
	switch op.Kind {
	case workload.Read:
		return s.read(ctx, op)
	case workload.Update:
		return s.write(ctx, op, formUpdate)
	case workload.Insert:
		if len(op.Keys) > 0 {
			return s.insertBatch(ctx, op)
		}
		return s.write(ctx, op, formInsert)
	case workload.Scan:
		return s.scan(ctx, op)
	case workload.Delete:
		return s.remove(ctx, op)
	case workload.Increment:
		return s.increment(ctx, op)
	case workload.MultiGet:
		return s.multiGet(ctx, op)
	case workload.CheckAndPut:
		return s.checkAndPut(ctx, op)
	case workload.Append, workload.MultiRow, workload.ReadModifyWrite, workload.Verify, workload.Cleanup, workload.NumKinds:
	}
	return workload.Outcome{Code: workload.NotImplemented, Err: fmt.Errorf("%w: %s", errUnknown, op.Kind)}
}

// Close implements load.Session. Nothing is buffered.
func (s *session) Close(context.Context) error {
	s.wait.Stop()
	return nil
}

// run executes a statement with the parameters in its cells.
func (st *statement) run(ctx context.Context, key []byte) *gocql.Iter {
	return st.query.Bind(st.values...).RoutingKey(key).IterContext(ctx)
}

// failed returns the outcome of an operation that ended with an error after it had handled some rows.
func (s *session) failed(ctx context.Context, err error, t tally) workload.Outcome {
	if errors.Is(err, gocql.ErrNoConnections) {
		s.wait.Reset(unreachedPause)
		select {
		case <-s.wait.C:
		case <-ctx.Done():
			s.wait.Stop()
		}
		err = errUnreached
		if reason := s.t.cluster.Reason(); reason != nil {
			err = fmt.Errorf("%w: %w", errUnreached, reason)
		}
		return workload.Outcome{Code: workload.ServiceUnavailable, Rows: t.rows, Bytes: t.bytes, Err: err}
	}
	return workload.Outcome{Code: cluster.CodeOf(err), Rows: t.rows, Bytes: t.bytes, Err: err}
}

// drain reads all rows of an answer.
func (s *session) drain(ctx context.Context, st *statement, iter *gocql.Iter, collect func(field, value []byte)) workload.Outcome {
	var t tally
	st.columns(iter)
	for iter.Scan(st.dest...) {
		st.add(&t, collect)
	}
	if err := iter.Close(); err != nil {
		return s.failed(ctx, err, t)
	}
	return t.outcome()
}

func (s *session) read(ctx context.Context, op *workload.Op) workload.Outcome {
	st := s.statement(formRead, op.Fields, 0)
	st.cells[0].value = op.Key
	out := s.drain(ctx, st, st.run(ctx, op.Key), op.Collect)
	if out.Code == workload.OK {
		if out.Rows == 0 {
			return workload.Outcome{Code: workload.NotFound, Err: errMissing}
		}
		if op.Fields != nil {
			out.Bytes += int64(len(op.Key)) // the answer does not have it
		}
	}
	return out
}

func (s *session) scan(ctx context.Context, op *workload.Op) workload.Outcome {
	st := s.statement(formScan, op.Fields, 0)
	binary.BigEndian.PutUint32(s.number[:4], uint32(op.ScanLength))
	st.cells[0].value, st.cells[1].value = op.Key, s.number[:4]
	return s.drain(ctx, st, st.run(ctx, op.Key), nil)
}

func (s *session) multiGet(ctx context.Context, op *workload.Op) workload.Outcome {
	st := s.statement(formMultiGet, op.Fields, len(op.Keys))
	for i, key := range op.Keys {
		st.cells[i].value = key
	}
	out := s.drain(ctx, st, st.run(ctx, op.Keys[0]), nil)
	if wanted := distinct(op.Keys); out.Code == workload.OK && int(out.Rows) < wanted {
		out.Code, out.Err = workload.NotFound, fmt.Errorf("%d of %d rows do not exist", wanted-int(out.Rows), wanted)
	}
	return out
}

// distinct counts different keys: a node returns a row once, however often its key is in the list.
func distinct(keys [][]byte) int {
	n := 0
	for i, key := range keys {
		if !contains(keys[:i], key) {
			n++
		}
	}
	return n
}

func contains(keys [][]byte, key []byte) bool {
	for _, other := range keys {
		if string(other) == string(key) {
			return true
		}
	}
	return false
}

// write carries out a single update or insert.
func (s *session) write(ctx context.Context, op *workload.Op, f form) workload.Outcome {
	st := s.statement(f, op.Fields, 0)
	values, key := st.cells[:len(op.Fields)], &st.cells[len(op.Fields)]
	if f == formInsert {
		values, key = st.cells[1:], &st.cells[0]
	}
	key.value = op.Key
	t := tally{rows: 1, bytes: int64(len(op.Key))}
	for i, value := range op.Values {
		values[i].value = value
		t.bytes += int64(len(value))
	}
	return s.done(ctx, st.run(ctx, op.Key), t)
}

// done returns the outcome of a write.
func (s *session) done(ctx context.Context, iter *gocql.Iter, t tally) workload.Outcome {
	if err := iter.Close(); err != nil {
		return s.failed(ctx, err, tally{})
	}
	return t.outcome()
}

func (s *session) remove(ctx context.Context, op *workload.Op) workload.Outcome {
	st := s.statement(formDelete, nil, 0)
	st.cells[0].value = op.Key
	return s.done(ctx, st.run(ctx, op.Key), tally{rows: 1, bytes: int64(len(op.Key))})
}

func (s *session) increment(ctx context.Context, op *workload.Op) workload.Outcome {
	st := s.statement(formIncrement, op.Fields, 0)
	binary.BigEndian.PutUint64(s.number[:], uint64(op.Delta))
	st.cells[0].value, st.cells[1].value = s.number[:], op.Key
	return s.done(ctx, st.run(ctx, op.Key), tally{rows: 1, bytes: int64(len(op.Key) + len(s.number))})
}

// checkAndPut is a lightweight transaction. The first column of its answer reports whether it was applied.
func (s *session) checkAndPut(ctx context.Context, op *workload.Op) workload.Outcome {
	st := s.statement(formCheckAndPut, op.Fields, 0)
	t := tally{rows: 1, bytes: int64(len(op.Key))}
	for i, value := range op.Values {
		st.cells[i].value = value
		t.bytes += int64(len(value))
	}
	st.cells[len(op.Fields)].value = op.Key
	iter := st.run(ctx, op.Key)
	st.columns(iter)
	got := iter.Scan(st.dest...)
	applied := got && len(st.got) > 0 && len(st.got[0].value) == 1 && st.got[0].value[0] == 1
	if err := iter.Close(); err != nil {
		return s.failed(ctx, err, tally{})
	}
	if !applied {
		return workload.Outcome{Code: workload.NotFound, Err: errNotApplied}
	}
	return t.outcome()
}

var _ load.Session = (*session)(nil)
