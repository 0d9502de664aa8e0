package hbase

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/benchd/benchd/internal/target/hbase/admin"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

const (
	// stateEvery is the shortest time between two reads of the table's state, and how long a result is valid.
	stateEvery = 500 * time.Millisecond
	// stateWithin is the time limit of a read.
	stateWithin = 5 * time.Second
)

// tableState finds out whether the table is disabled. The regions of a disabled table are not open anywhere, which otherwise
// looks like a recovery. No worker waits for the result.
type tableState struct {
	ask      func(ctx context.Context) (disabled bool, err error) // nil if there is no master
	asking   atomic.Bool
	next     atomic.Int64 // Unix time in ns of the next read
	disabled atomic.Int64 // Unix time in ns until which the table is known to be disabled; 0 when it is not
}

// disabledBy reads the state of a table from a cluster's master.
func disabledBy(cluster *admin.Client, table string) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		state, err := cluster.State(ctx, table)
		return state == admin.Disabled, err //nolint:wrapcheck // it names the table
	}
}

// checkState returns the error of a disabled table if the table is known to be disabled. Otherwise it begins to read the state
// for a later try.
func (t *Table) checkState() error {
	s := &t.state
	now := time.Now()
	if now.UnixNano() < s.disabled.Load() {
		return &protocol.Exception{Class: "org.apache.hadoop.hbase.TableNotEnabledException", Message: t.settings.FullTable(), DoNotRetry: true}
	}
	if s.ask == nil || now.UnixNano() < s.next.Load() || !s.asking.CompareAndSwap(false, true) {
		return nil
	}
	t.work.Go(func() {
		defer s.asking.Store(false)
		ctx, cancel := context.WithTimeout(t.ctx, stateWithin)
		defer cancel()
		disabled, err := s.ask(ctx)
		until := time.Now().Add(stateEvery).UnixNano()
		s.next.Store(until)
		if !disabled || err != nil {
			until = 0
		}
		s.disabled.Store(until)
	})
	return nil
}
