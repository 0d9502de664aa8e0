package hbase_test

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/target/hbase"
	"github.com/benchd/benchd/internal/workload"
)

// A server accepts connections but does not answer, and hbase:meta still names it for a while. Each worker spends only one
// hbase.rpc.timeout on it: after that a probe finds out whether the server answers again.
func TestASilentServerIsProbedOnceForAllWorkers(t *testing.T) {
	const workers, probes = 16, 3
	for _, end := range []string{"the region moves", "the server answers again"} {
		t.Run(end, func(t *testing.T) {
			lost, other := newFake(t), newFake(t)
			var place atomic.Pointer[string]
			var silent atomic.Bool
			name := func(f *fake) {
				addr := f.addr()
				place.Store(&addr)
			}
			name(lost)
			silent.Store(true)
			var operations, rest atomic.Int64
			enough := make(chan struct{})
			lost.do(func(r *request) *reply {
				if !silent.Load() {
					return nil
				}
				if bytes.Contains(r.param, []byte("worker")) {
					operations.Add(1)
				} else if rest.Add(1) == probes {
					close(enough)
				}
				return &reply{nothing: true}
			})
			for w := range workers {
				for _, f := range []*fake{lost, other} {
					f.put(fmt.Sprintf("worker %d", w), map[string]string{"f": "v"})
				}
			}
			target, _ := open(t, settings(t, "hbase.rpc.timeout", "300", "hbase.client.operation.timeout", "60000"),
				table(func(context.Context) ([]hbase.Place, error) {
					return []hbase.Place{{Name: "usertable,,1.abc.", Addr: *place.Load()}}, nil
				}))
			var waiting sync.WaitGroup
			var outs []workload.Outcome
			waiting.Go(func() {
				outs = crowd(t, target, workers, func(w int) *workload.Op { return read(fmt.Sprintf("worker %d", w)) })
			})
			defer waiting.Wait()
			select {
			case <-enough:
			case <-time.After(20 * time.Second):
				require.Fail(t, "no probe", "%d operations were sent to the silent server", operations.Load())
			}
			require.LessOrEqual(t, operations.Load(), int64(workers), "operations sent to the silent server")
			if silent.Store(false); end == "the region moves" {
				silent.Store(true)
				name(other)
			}
			waiting.Wait()
			for _, out := range outs {
				require.NoError(t, out.Err)
			}
			if end == "the region moves" {
				require.LessOrEqual(t, operations.Load(), int64(workers), "operations sent to the silent server")
			}
		})
	}
}
