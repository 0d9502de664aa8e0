package sequoiadb

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/benchd/benchd/internal/outbound"
	"github.com/benchd/benchd/internal/target/sequoiadb/wire"
	"github.com/benchd/benchd/internal/workload"
)

// redialPause is the time between two attempts of a session to connect: a server that is down refuses at once, and its worker
// would do nothing else.
const redialPause = 100 * time.Millisecond

// session carries out the operations of a worker over a connection of its own.
type session struct {
	t      *cluster
	number int // of its coordinator
	conn   *wire.Conn
	failed time.Time // when the last attempt to connect failed

	ctx    context.Context //nolint:containedctx // of the operations; it changes once in a phase
	forget func() bool     // stops the AfterFunc of ctx
	live   atomic.Pointer[wire.Conn]

	keys [][]byte // of a multi-get, sorted
}

func newSession(t *cluster, number int) *session { return &session{t: t, number: number} }

var (
	errUnknown = errors.New("target sequoiadb does not support this operation")
	errMissing = errors.New("the document does not exist")
)

// Do carries out op.
func (s *session) Do(ctx context.Context, op *workload.Op) workload.Outcome {
	if ctx != s.ctx {
		s.attend(ctx)
	}
	if s.conn == nil || s.conn.Err() != nil {
		if err := s.reconnect(ctx); err != nil {
			return ended(err)
		}
	}
	s.conn.Within(time.Now(), s.t.settings.Timeout)
	return s.do(op)
}

func (s *session) do(op *workload.Op) workload.Outcome {
	switch op.Kind {
	case workload.Read:
		return s.read(op)
	case workload.Update:
		return s.update(op)
	case workload.Insert:
		if len(op.Keys) > 0 {
			return s.insertBatch(op)
		}
		return s.insert(op)
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
	return workload.Outcome{Code: workload.NotImplemented, Err: fmt.Errorf("%w: %s", errUnknown, op.Kind)}
}

// attend has the end of ctx interrupt the operation under way.
func (s *session) attend(ctx context.Context) {
	if s.forget != nil {
		s.forget()
	}
	s.ctx = ctx
	s.forget = context.AfterFunc(ctx, func() {
		if conn := s.live.Load(); conn != nil {
			conn.Interrupt()
		}
	})
}

// reconnect replaces a broken connection.
func (s *session) reconnect(ctx context.Context) error {
	if s.conn != nil {
		s.t.broken.Add(1)
		s.live.Store(nil)
		_ = s.conn.Close() // it is broken
		s.conn = nil
	}
	if wait := redialPause - time.Since(s.failed); wait > 0 && !s.failed.IsZero() {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return ctx.Err() //nolint:wrapcheck // the runner's
		}
	}
	ctx, cancel := context.WithTimeout(ctx, s.t.settings.Timeout)
	defer cancel()
	return s.connect(ctx)
}

// connect connects to the session's coordinator, or to the next one that answers.
func (s *session) connect(ctx context.Context) error {
	conn, err := s.t.access.Connect(ctx, s.number)
	if err != nil {
		s.failed = time.Now()
		return err //nolint:wrapcheck // it names the address
	}
	s.t.dials.Add(1)
	s.conn, s.failed = conn, time.Time{}
	s.live.Store(conn)
	if ctx.Err() != nil {
		conn.Interrupt() // the end of the context may have found no connection
	}
	return nil
}

// Close ends the session.
func (s *session) Close(context.Context) error {
	if s.forget != nil {
		s.forget()
	}
	s.live.Store(nil)
	if s.conn == nil {
		return nil
	}
	if s.conn.Err() != nil {
		_ = s.conn.Close()
		return nil //nolint:nilerr // an operation has reported why it is broken
	}
	return s.conn.Close() //nolint:wrapcheck // it names the address
}

// ended returns the outcome of an operation that failed.
func ended(err error) workload.Outcome {
	return workload.Outcome{Code: codeOf(err), Err: err}
}

// codeOf returns the outcome of an error.
func codeOf(err error) workload.Code {
	if e, is := errors.AsType[*wire.Error](err); is {
		return codeOfServer(e.Code)
	}
	if _, is := errors.AsType[*outbound.RefusedError](err); is {
		return workload.Forbidden
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return workload.Timeout
	case errors.Is(err, wire.ErrTooLong):
		return workload.BadRequest
	case errors.Is(err, wire.ErrMalformed), errors.Is(err, wire.ErrNotSequoiaDB):
		return workload.UnexpectedState
	}
	return workload.ServiceUnavailable
}

// codeOfServer returns the outcome of an error that the server reports.
func codeOfServer(code int32) workload.Code {
	switch code {
	case wire.CodeTimeout:
		return workload.Timeout
	case wire.CodeNetwork, wire.CodeNetworkClose, wire.CodeDatabaseDown, wire.CodeNoPrimary, wire.CodeCannotConnect, wire.CodeNotPrimary,
		wire.CodeFewNodes, wire.CodeFullSync, wire.CodeRemoteClosed, wire.CodeNodeFault, wire.CodeWaitSync:
		return workload.ServiceUnavailable
	case wire.CodeForbidden:
		return workload.Forbidden
	case wire.CodeInvalidArg, wire.CodeRecordTooBig, wire.CodeNotSupported:
		return workload.BadRequest
	default:
		return workload.Error
	}
}
