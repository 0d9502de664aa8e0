package hbase

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/benchd/benchd/internal/target/hbase/admin"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

const (
	// stateEvery is the least time between two questions for the table's state, and how long an answer holds.
	stateEvery = 500 * time.Millisecond
	// stateWithin bounds a question.
	stateWithin = 5 * time.Second
)

// tableState finds out whether the table is disabled. Its regions are then open nowhere, which by itself looks like a
// recovery. No worker waits for the answer.
type tableState struct {
	ask      func(ctx context.Context) (disabled bool, err error) // nil where there is no master to ask
	asking   atomic.Bool
	next     atomic.Int64 // Unix time in ns before which it is not asked again
	disabled atomic.Int64 // Unix time in ns until which the table is known to be disabled; 0 when it is not
}

// disabledBy asks a cluster's master.
func disabledBy(cluster *admin.Client, table string) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		state, err := cluster.State(ctx, table)
		return state == admin.Disabled, err //nolint:wrapcheck // it says what was wanted
	}
}

// checkState returns the error of a disabled table, if the table is known to be disabled. Otherwise the state is asked
// for, so that a later try knows.
func (t *Target) checkState() error {
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
