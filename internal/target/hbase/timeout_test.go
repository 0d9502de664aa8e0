package hbase_test

import (
	"bytes"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/workload"
)

// HBase drops calls that waited too long in its queue and sends no answer, while it answers others on the same connection.
func TestACallThatTheServerDroppedIsSentAgain(t *testing.T) {
	for name, op := range map[string]*workload.Op{
		"one row": read("dropped"), "several rows": {Kind: workload.MultiGet, Keys: b("dropped", "dropped")},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.put("k", map[string]string{"f": "v"})
			f.put("dropped", map[string]string{"f": "v"})
			var dropped atomic.Int64
			f.do(func(r *request) *reply {
				if bytes.Contains(r.param, []byte("dropped")) && dropped.Add(1) <= 2 {
					return &reply{nothing: true}
				}
				return nil
			})
			target, s := open(t, settings(t, "hbase.rpc.timeout", "200"), one(f.addr()))
			other, err := target.Open(t.Context(), 1)
			require.NoError(t, err)
			done := make(chan struct{})
			var work sync.WaitGroup
			work.Go(func() {
				for {
					select {
					case <-done:
						return
					default:
						if out := other.Do(t.Context(), read("k")); out.Code != workload.OK {
							t.Errorf("%v: %v", out.Code, out.Err)
						}
					}
				}
			})
			out := s.Do(t.Context(), op)
			close(done)
			work.Wait()
			require.NoError(t, out.Err)
			require.Equal(t, workload.OK, out.Code)
			require.EqualValues(t, 3, dropped.Load())
			readings, err := target.Observe(t.Context())
			require.NoError(t, err)
			require.Equal(t, 1.0, readings[1].Value, "the connection is kept: it works")
		})
	}
}
