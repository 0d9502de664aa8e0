package admin

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tsuna/gohbase/region"
)

// What went wrong, for those who decide on it.
var (
	// ErrNoTable is of a table that does not exist.
	ErrNoTable = errors.New("no such table")
	// ErrTableExists is of a table that exists already.
	ErrTableExists = errors.New("the table exists")
	// ErrNoNamespace is of a table in a namespace that does not exist.
	ErrNoNamespace = errors.New("no such namespace")
	// ErrDisabled is of a table that would have to be enabled.
	ErrDisabled = errors.New("the table is disabled")
	// ErrEnabled is of a table that would have to be disabled.
	ErrEnabled = errors.New("the table is enabled")
	// ErrUnknown is of a change whose answer was lost: it may have been carried out.
	ErrUnknown = errors.New("the outcome is unknown")
	// ErrNotReached is of a server that cannot be connected to.
	ErrNotReached = errors.New("not reached")
)

const javaPackage = "org.apache.hadoop.hbase."

// Exception is what a server answered instead of a result.
type Exception struct {
	Class string // with its package
	Text  string // one line
}

func (e *Exception) Error() string {
	short := e.Class[strings.LastIndexByte(e.Class, '.')+1:]
	if e.Text == "" {
		return short
	}
	return short + ": " + e.Text
}

// Is compares the exception with the errors of this package.
func (e *Exception) Is(target error) bool {
	switch strings.TrimPrefix(e.Class, javaPackage) {
	case "TableNotFoundException":
		return target == ErrNoTable
	case "TableExistsException":
		return target == ErrTableExists
	case "NamespaceNotFoundException":
		return target == ErrNoNamespace
	case "TableNotEnabledException":
		return target == ErrDisabled
	case "TableNotDisabledException":
		return target == ErrEnabled
	}
	return false
}

// starting reports whether the server only asks for patience.
func (e *Exception) starting() bool {
	switch strings.TrimPrefix(e.Class, javaPackage) {
	case "PleaseHoldException", "ipc.ServerNotRunningYetException", "CallQueueTooBigException", "ipc.CallQueueTooBigException":
		return true
	}
	return false
}

// elsewhere reports whether the region has moved, or is about to.
func (e *Exception) elsewhere() bool {
	switch strings.TrimPrefix(e.Class, javaPackage) {
	case "NotServingRegionException", "exceptions.RegionMovedException", "exceptions.RegionOpeningException",
		"regionserver.RegionServerStoppedException", "regionserver.RegionServerAbortedException",
		"regionserver.WrongRegionException", "RegionTooBusyException",
		// HBase's client does not repeat these calls, but makes others in their place: a new scanner, another master.
		"UnknownScannerException", "exceptions.ScannerResetException", "exceptions.OutOfOrderScannerNextException",
		"regionserver.LeaseException", "exceptions.MasterStoppedException":
		return true
	}
	return false
}

// exception takes the library's error apart, whose text is a Java stack trace.
func exception(err error) error {
	const mark = "HBase Java exception "
	_, text, ok := strings.Cut(err.Error(), mark)
	if !ok {
		return err
	}
	class, stack, _ := strings.Cut(text, ":\n")
	return newException(class, stack)
}

// newException makes an Exception of a class and a stack trace, whose first line tells the class once more.
func newException(class, stack string) *Exception {
	line, _, _ := strings.Cut(strings.TrimSpace(stack), "\n")
	line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), class))
	return &Exception{Class: class, Text: strings.TrimSpace(strings.TrimPrefix(line, ":"))}
}

// broken reports whether an error is of the connection, and not an answer.
func broken(err error) bool {
	var server region.ServerError
	return errors.As(err, &server) && !strings.Contains(err.Error(), "HBase Java exception ")
}

func notReached(what, address string, err error) error {
	return fmt.Errorf("connect to %s %s: %w: %w", what, address, ErrNotReached, err)
}
