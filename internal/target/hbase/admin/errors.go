package admin

import (
	"errors"
	"fmt"

	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

// Errors that callers decide on. HBase's exceptions match the first five by errors.Is.
var (
	// ErrNoTable means that the table does not exist.
	ErrNoTable = protocol.ErrNoTable
	// ErrTableExists means that the table already exists.
	ErrTableExists = protocol.ErrTableExists
	// ErrNoNamespace means that the table's namespace does not exist.
	ErrNoNamespace = protocol.ErrNoNamespace
	// ErrDisabled means that the table must be enabled first.
	ErrDisabled = protocol.ErrDisabled
	// ErrEnabled means that the table must be disabled first.
	ErrEnabled = protocol.ErrEnabled
	// ErrUnknown means that the answer to a change was lost: it may have been carried out.
	ErrUnknown = errors.New("the outcome is unknown")
	// ErrNotReached means that a server does not accept a connection.
	ErrNotReached = errors.New("not reached")
)

// starting reports whether the server has not begun the call, so that it can be sent again after a pause.
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
