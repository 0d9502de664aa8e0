package hbase

import (
	"context"
	"errors"
	"net"

	"github.com/benchd/benchd/internal/outbound"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
	"github.com/benchd/benchd/internal/target/hbase/rpc"
	"github.com/benchd/benchd/internal/workload"
)

// Failure is the error of an operation or of a connection to HBase.
type Failure struct {
	Code workload.Code
	Text string
	Err  error // the cause, or nil
}

// Error returns the text with the cause.
func (f *Failure) Error() string {
	if f.Err == nil {
		return f.Text
	}
	return f.Text + ": " + f.Err.Error()
}

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// errNoTable means that hbase:meta has no region of the table.
var errNoTable = errors.New("the table has no regions; does it exist?")

// remedy is how to react to an error.
type remedy uint8

const (
	giveUp   remedy = iota // a retry would fail, too
	relocate               // the region has moved: look it up
	redial                 // the connection has failed, and the region may have moved
	wait                   // the server is busy
)

// remedyOf chooses the remedy of an error. An exception without a rule is retried if it may pass, unless the server reports that
// a retry is of no use.
func remedyOf(err error) remedy {
	if e, ok := errors.AsType[*protocol.Exception](err); ok {
		switch e.Condition() {
		case protocol.RegionMoved, protocol.RegionGone:
			return relocate
		case protocol.RegionBusy, protocol.ServerBusy, protocol.CallDropped,
			protocol.ScannerLost: // the page can be requested again
			return wait
		case protocol.ServerStopping:
			return redial
		case protocol.OtherCondition, protocol.MasterStopping:
		}
		if !e.DoNotRetry && protocol.MayPass(e.Class) {
			return wait // if the region has moved as well, the next answer reports it
		}
		return giveUp
	}
	if errors.Is(err, protocol.ErrMalformed) || errors.Is(err, protocol.ErrCell) || errors.Is(err, errNoTable) || errors.Is(err, rpc.ErrTooLong) {
		return giveUp
	}
	if n, ok := errors.AsType[*notWritten](err); ok && n.passes() {
		return wait
	}
	if f, ok := errors.AsType[*Failure](err); ok && f.Code != workload.ServiceUnavailable {
		return giveUp
	}
	if errors.Is(err, errLate) {
		return wait
	}
	if _, refused := errors.AsType[*outbound.RefusedError](err); refused || rpc.IsFinal(err) {
		return giveUp
	}
	return redial
}

// movedTo returns host:port of the server that an error names as the region's new one, or "".
func movedTo(err error) string {
	if e, ok := errors.AsType[*protocol.Exception](err); ok {
		return e.MovedTo()
	}
	return ""
}

// codeOf returns the outcome code of an error that ends an operation.
func codeOf(err error) workload.Code {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f.Code
	}
	e, ok := errors.AsType[*protocol.Exception](err)
	if !ok {
		if errors.Is(err, context.DeadlineExceeded) {
			return workload.Timeout
		}
		if errors.Is(err, errNoTable) || errors.Is(err, rpc.ErrTooLong) {
			return workload.BadRequest
		}
		return workload.Error
	}
	switch e.Short() {
	case "NoSuchColumnFamilyException", "TableNotFoundException", "FailedSanityCheckException", "InvalidFamilyOperationException",
		"IllegalArgumentException":
		return workload.BadRequest
	case "AccessDeniedException", "AccessControlException":
		return workload.Forbidden
	case "TableNotEnabledException", "QuotaExceededException", "SpaceLimitingException", "ServerNotRunningYetException",
		"RegionServerStoppedException", "RegionServerAbortedException", "NoInsertsViolationPolicyEnforcement":
		return workload.ServiceUnavailable
	}
	return workload.Error
}

// plain removes the net.OpError around an error.
func plain(err error) error {
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Err != nil {
		return op.Err
	}
	return err
}
