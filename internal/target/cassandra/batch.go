package cassandra

import (
	"context"

	gocql "github.com/apache/cassandra-gocql-driver/v2"

	"github.com/benchd/benchd/internal/workload"
)

const (
	// rowOverhead and cellOverhead are what a node adds to the size of a row and of a value when it compares a batch with its limit.
	rowOverhead  = 64
	cellOverhead = 32
)

// insertBatch inserts the rows of op in unlogged batches, one after another, each as large as a node accepts.
func (s *session) insertBatch(ctx context.Context, op *workload.Op) workload.Outcome {
	st := s.statement(formInsert, op.Fields, 0)
	s.space(len(op.Keys) * (len(op.Fields) + 1))
	if s.batch == nil {
		s.batch = s.t.cluster.Session.Batch(gocql.UnloggedBatch).SetKeyspace(s.t.settings.Keyspace).Consistency(gocql.ParseConsistency(s.t.settings.WriteLevel))
		if s.t.settings.Tracing {
			s.batch = s.batch.Trace(untraced{})
		}
	}
	var done, now tally
	size := 0
	s.batch.Entries = s.batch.Entries[:0]
	for row, key := range op.Keys {
		bytes := int64(len(key))
		values := op.Values[row*len(op.Fields) : (row+1)*len(op.Fields)]
		for _, value := range values {
			bytes += int64(len(value))
		}
		own := int(bytes) + rowOverhead + len(values)*cellOverhead
		if size > 0 && size+own > s.t.batchBytes {
			if err := s.send(ctx, &done, &now); err != nil {
				return s.failed(ctx, err, done)
			}
			size = 0
		}
		size += own
		now.rows, now.bytes = now.rows+1, now.bytes+bytes
		s.add(st, row, key, values)
	}
	if err := s.send(ctx, &done, &now); err != nil {
		return s.failed(ctx, err, done)
	}
	return done.outcome()
}

// space makes space for the parameters of a batch.
func (s *session) space(n int) {
	if s.rows != nil && len(s.rows.cells) >= n {
		return
	}
	s.rows = &statement{cells: make([]cell, n), values: make([]any, n)}
	for i := range s.rows.cells {
		s.rows.values[i] = &s.rows.cells[i]
	}
}

// add adds a row to the batch.
func (s *session) add(st *statement, row int, key []byte, values [][]byte) {
	first, width := row*(len(values)+1), len(values)+1
	cells := s.rows.cells[first : first+width]
	cells[0].value = key
	for i, value := range values {
		cells[i+1].value = value
	}
	s.batch.Entries = append(s.batch.Entries, gocql.BatchEntry{Stmt: st.text, Args: s.rows.values[first : first+width : first+width]})
}

// send sends the rows that were added.
func (s *session) send(ctx context.Context, done, now *tally) error {
	err := s.batch.ExecContext(ctx)
	s.batch.Entries = s.batch.Entries[:0]
	if err != nil {
		return err //nolint:wrapcheck // the caller finds its code
	}
	done.rows, done.bytes = done.rows+now.rows, done.bytes+now.bytes
	*now = tally{}
	return nil
}
