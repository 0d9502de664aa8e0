package mongodb

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/mongodb/bsonraw"
	"github.com/benchd/benchd/internal/target/mongodb/client"
	"github.com/benchd/benchd/internal/workload"
)

// session carries out the operations of a worker. Its buffer serves every operation again.
type session struct {
	t       *Collection
	ctx     *opContext
	command []byte // encoded, of the current operation
	last    []byte // key of a scan
	answer  bson.Raw
}

var _ load.Session = (*session)(nil)

func newSession(t *Collection) *session {
	return &session{t: t, ctx: newOpContext(t.settings.Timeout)}
}

// largeCommand is the size of a buffer that is not kept for the next operation.
const largeCommand = 1 << 20

// Do carries out op.
func (s *session) Do(ctx context.Context, op *workload.Op) workload.Outcome {
	s.ctx.begin(ctx)
	out := s.do(op)
	s.answer = nil
	if cap(s.command) > largeCommand && len(op.Keys) == 0 {
		s.command = nil
	}
	return out
}

func (s *session) do(op *workload.Op) workload.Outcome {
	switch op.Kind {
	case workload.Read:
		return s.read(op)
	case workload.Insert:
		if s.t.unanswered != nil {
			return s.insertUnanswered(op)
		}
		return s.insert(op)
	case workload.Update:
		return s.update(op)
	case workload.Scan:
		return s.scan(op)
	case workload.Delete:
		return s.remove(op)
	case workload.Increment:
		return s.increment(op)
	case workload.MultiGet:
		return s.multiGet(op)
	case workload.CheckAndPut:
		return s.checkAndPut(op)
	case workload.Append, workload.MultiRow, workload.ReadModifyWrite, workload.Verify, workload.Cleanup, workload.NumKinds:
	}
	return workload.Outcome{Code: workload.NotImplemented, Err: fmt.Errorf("target mongodb does not support %s", op.Kind)}
}

// run sends the session's command, and keeps the answer until the end of the operation.
func (s *session) run() error {
	result := s.t.database.RunCommand(s.ctx, bson.Raw(s.command), s.t.readFrom)
	answer, err := result.Raw()
	s.answer = answer
	return err //nolint:wrapcheck // failed classifies it
}

// write sends the session's command to the primary.
func (s *session) write() error {
	answer, err := s.t.database.RunCommand(s.ctx, bson.Raw(s.command)).Raw()
	s.answer = answer
	return err //nolint:wrapcheck // failed classifies it
}

// failed returns the outcome of an operation that failed.
func failed(err error) workload.Outcome {
	return workload.Outcome{Code: client.CodeOf(err), Err: client.Short(err)}
}

// Close ends the session.
func (s *session) Close(context.Context) error {
	s.ctx.close()
	return nil
}

// begin begins a command on the collection.
func (s *session) begin(name string) {
	b, _ := bsonraw.Begin(s.command[:0])
	s.command = bsonraw.String(b, name, s.t.settings.Collection)
}

// end ends the command with what such commands have in common.
func (s *session) end(common []byte) {
	s.command = bsonraw.End(append(s.command, common...), 0)
}

// encoded returns an element without a document around it.
func encoded(name string, value bson.D) []byte {
	document, err := bson.Marshal(value)
	if err != nil {
		panic("encode " + name + ": " + err.Error()) // of constants
	}
	return bsonraw.Raw(nil, name, document)
}
