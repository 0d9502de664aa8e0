package admin

import (
	"errors"
	"fmt"

	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

// Errors that callers decide on. The first five are also what HBase's exceptions of that kind are, by errors.Is.
var (
	// ErrNoTable is of a table that does not exist.
	ErrNoTable = protocol.ErrNoTable
	// ErrTableExists is of a table that exists already.
	ErrTableExists = protocol.ErrTableExists
	// ErrNoNamespace is of a table in a namespace that does not exist.
	ErrNoNamespace = protocol.ErrNoNamespace
	// ErrDisabled is of a table that would have to be enabled.
	ErrDisabled = protocol.ErrDisabled
	// ErrEnabled is of a table that would have to be disabled.
	ErrEnabled = protocol.ErrEnabled
	// ErrUnknown is of a change whose answer was lost: it may have been carried out.
	ErrUnknown = errors.New("the outcome is unknown")
	// ErrNotReached is of a server that cannot be connected to.
	ErrNotReached = errors.New("not reached")
)

// starting reports whether an exception only asks for patience: the server has not begun the call.
func starting(e *protocol.Exception) bool { return e.Condition() == protocol.ServerBusy }

// elsewhere reports whether the region has moved, or is about to. HBase's client does not repeat a call whose scanner is lost or
// whose master stops, but makes another in its place: with a new scanner, to another master.
func elsewhere(e *protocol.Exception) bool {
	switch e.Condition() {
	case protocol.RegionMoved, protocol.RegionBusy, protocol.ServerStopping, protocol.MasterStopping, protocol.ScannerLost:
		return true
	case protocol.RegionGone, protocol.ServerBusy, protocol.CallDropped, protocol.OtherCondition:
	}
	return false
}

func notReached(what, address string, err error) error {
	return fmt.Errorf("connect to %s %s: %w: %w", what, address, ErrNotReached, err)
}
