package hbase

import (
	"context"
	"errors"
	"fmt"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/hbase/rpc"
	"github.com/benchd/benchd/internal/workload"
)

// session carries out the operations of a worker. Its buffers serve every operation again.
type session struct {
	t        *Table
	slot     int // which connection of a server it uses
	deadline opDeadline
	timeline *timeline // nil without timeline-consistent reads

	call    *rpc.Call
	several []*parcel // for operations on many rows
	parcels map[*server]*parcel

	// The parameters of the current operation.
	key       []byte
	columns   []byte // the columns field
	mutation  mutation
	condition []byte
	cells     [][2][]byte // column and value
	scan      scanned
	scanned   *region      // where the last page came from
	multi     *workload.Op // a MultiRow
	place     *region      // of its rows
	holds     func(key []byte) bool
	filter    []byte
	start     []byte
	number    [8]byte

	item    *item // the current operation, when batching is on
	batched bool  // the operation may go into a batch

	rows    []row  // of a batch, a multi-get, or the write buffer
	encoded []byte // the cells of rows
	buffer  *buffer
	stages  []stage // of a bulk load, which the runner has not taken yet
}

func newSession(t *Table, worker int) *session {
	s := &session{t: t, slot: worker % t.settings.Connections, call: rpc.NewCall(), parcels: map[*server]*parcel{}}
	s.holds = func(key []byte) bool { return s.place.holds(key) }
	s.deadline.init(t.settings.Timeout, t.settings.RPCTimeout)
	s.timeline = newTimeline(t, s.slot)
	if t.settings.BatchSize > 1 {
		s.item = newItem()
	}
	if t.bulk != nil {
		s.buffer = newBuffer(t.settings.Bulk.Buffer, &t.memory)
	}
	if t.settings.ClientBuffering {
		s.buffer = newBuffer(t.settings.WriteBuffer, &t.memory)
	}
	return s
}

var (
	errUnknown = errors.New("target hbase does not support this operation")
	errMissing = errors.New("the row does not exist")
)

// Do carries out op.
func (s *session) Do(ctx context.Context, op *workload.Op) workload.Outcome {
	out := s.do(ctx, op)
	s.release()
	return out
}

// release returns the memory of a large operation.
func (s *session) release() {
	m := &s.t.memory
	s.call.Release(m)
	for _, p := range s.several {
		p.call.Release(m)
	}
	if it := s.item; it != nil {
		it.row.cells, it.result, it.cells = m.Release(it.row.cells), m.Release(it.result), m.Release(it.cells)
	}
	s.encoded = m.Release(s.encoded)
}

func (s *session) do(ctx context.Context, op *workload.Op) workload.Outcome {
	s.deadline.begin(ctx)
	if s.buffer != nil {
		s.buffer.use = load.Unbuffered
	}
	switch op.Kind {
	case workload.Read:
		return s.read(op)
	case workload.Update, workload.Insert:
		if s.t.bulk != nil {
			return s.bulkInsert(op)
		}
		if len(op.Keys) > 0 {
			return s.insertBatch(op)
		}
		return s.put(op)
	case workload.Scan:
		return s.scanRows(op)
	case workload.Delete:
		return s.remove(op)
	case workload.Increment:
		return s.increment(op)
	case workload.Append:
		return s.add(op)
	case workload.MultiGet:
		return s.multiGet(op)
	case workload.CheckAndPut:
		return s.checkAndPut(op)
	case workload.MultiRow:
		return s.multiRow(op)
	case workload.ReadModifyWrite, workload.Verify, workload.Cleanup, workload.NumKinds:
	}
	return workload.Outcome{Code: workload.NotImplemented, Err: fmt.Errorf("%w: %s", errUnknown, op.Kind)}
}

// ended returns the outcome of an operation that failed.
func ended(err error) workload.Outcome {
	return workload.Outcome{Code: codeOf(err), Err: err}
}

// Close sends what is still buffered.
func (s *session) Close(ctx context.Context) error {
	defer s.deadline.close()
	defer s.timeline.close()
	defer s.t.closed()
	if s.buffer == nil || len(s.buffer.rows) == 0 {
		return nil
	}
	s.deadline.begin(ctx)
	return s.flush()
}
