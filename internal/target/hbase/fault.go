package hbase

import (
	"context"
	"errors"
	"net"
	"regexp"

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

// remedyOf knows what servers throw. What it has no rule for is tried again if it may pass, unless the server says that it
// is no use.
func remedyOf(err error) remedy {
	if e, ok := errors.AsType[*rpc.Exception](err); ok {
		switch e.Short() {
		case "NotServingRegionException", "RegionMovedException", "RegionOfflineException", "RegionOpeningException",
			"WrongRegionException", "UnknownRegionException":
			return relocate
		case "CallQueueTooBigException", "RegionTooBusyException", "RpcThrottlingException", "CallDroppedException",
			// A page of a scan can be asked for again, whatever has become of its scanner.
			"ScannerResetException", "UnknownScannerException", "OutOfOrderScannerNextException", "LeaseException",
			"CallTimedOutException", "RetryImmediatelyException", "ServerNotRunningYetException", "MultiActionResultTooLarge":
			return wait
		case "RegionServerStoppedException", "RegionServerAbortedException":
			return redial
		}
		if !e.DoNotRetry && rpc.MayPass(e.Class) {
			return wait // if the region has moved, too, the next answer says so
		}
		return giveUp
	}
	if errors.Is(err, errAnswer) || errors.Is(err, errCell) || errors.Is(err, errNoTable) || errors.Is(err, rpc.ErrTooLong) {
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

// movedPlace finds the server in a RegionMovedException.
var movedPlace = regexp.MustCompile(`hostname=(\S+) port=(\d+) startCode=`)

// movedTo is host:port of the server that an exception names as the region's new one, or empty.
func movedTo(err error) string {
	e, ok := errors.AsType[*rpc.Exception](err)
	if !ok || e.Short() != "RegionMovedException" {
		return ""
	}
	m := movedPlace.FindStringSubmatch(e.Message)
	if m == nil {
		return ""
	}
	return net.JoinHostPort(m[1], m[2])
}

// codeOf gives an error that ends an operation its kind.
func codeOf(err error) workload.Code {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f.Code
	}
	e, ok := errors.AsType[*rpc.Exception](err)
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
