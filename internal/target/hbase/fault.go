package hbase

import (
	"context"
	"errors"
	"net"

	"github.com/benchd/benchd/internal/target/hbase/protocol"
	"github.com/benchd/benchd/internal/target/hbase/rpc"
	"github.com/benchd/benchd/internal/workload"
)

// Failure says how an operation, or a connection to HBase, has ended.
type Failure struct {
	Code workload.Code
	Text string
	Err  error // what lies beneath it, or nil
}

// Error is the text with its cause.
func (f *Failure) Error() string {
	if f.Err == nil {
		return f.Text
	}
	return f.Text + ": " + f.Err.Error()
}

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// errNoTable says that hbase:meta knows no region of a table.
var errNoTable = errors.New("the table has no regions; is it there?")

// remedy is what to do about an error.
type remedy uint8

const (
	giveUp   remedy = iota // it would end the same way again
	relocate               // the region is elsewhere
	redial                 // the connection has failed; the region may be elsewhere too
	wait                   // the server is busy
)

// remedyOf knows what servers throw. An exception that it has no rule for is tried again if it may pass, unless the server says
// that it is no use.
func remedyOf(err error) remedy {
	if e, ok := errors.AsType[*protocol.Exception](err); ok {
		switch e.Condition() {
		case protocol.RegionMoved, protocol.RegionGone:
			return relocate
		case protocol.RegionBusy, protocol.ServerBusy, protocol.CallDropped,
			protocol.ScannerLost: // a page of a scan can be asked for again
			return wait
		case protocol.ServerStopping:
			return redial
		case protocol.OtherCondition, protocol.MasterStopping:
		}
		if !e.DoNotRetry && protocol.MayPass(e.Class) {
			return wait // if the region has moved, too, the next answer says so
		}
		return giveUp
	}
	if errors.Is(err, protocol.ErrMalformed) || errors.Is(err, protocol.ErrCell) || errors.Is(err, errNoTable) || errors.Is(err, rpc.ErrTooLong) {
		return giveUp
	}
	if f, ok := errors.AsType[*Failure](err); ok && f.Code != workload.ServiceUnavailable {
		return giveUp
	}
	if errors.Is(err, errLate) {
		return wait
	}
	return redial
}

// movedTo is host:port of the server that an error names as the region's new one, or empty.
func movedTo(err error) string {
	if e, ok := errors.AsType[*protocol.Exception](err); ok {
		return e.MovedTo()
	}
	return ""
}

// codeOf gives an error that ends an operation its kind.
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

// plain leaves out of an error what only says where in Go it came from.
func plain(err error) error {
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Err != nil {
		return op.Err
	}
	return err
}
