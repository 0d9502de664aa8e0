package hbase_test

import (
	"bytes"
	"context"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/tolerance"
	"github.com/benchd/benchd/internal/workload"
)

// HBase drops calls that waited too long in its queue without an answer, while it answers others on the same connection.
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
			target, s := open(t, settings(t, "hbase.rpc.timeout", "1500"), one(f.addr()))
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
			require.EqualValues(t, 1, target.Counts()["connect"], "the connection is kept: it works")
		})
	}
}

// A stopped server reads nothing, and the network accepts only what fits into its buffers.
func TestAWorkerThatCannotWriteObeysItsDeadline(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }() // connections are made, and stay in its queue
	op := &workload.Op{Kind: workload.Update, Key: []byte("k"), Fields: b("f"), Values: [][]byte{make([]byte, 64<<20)}}
	for name, test := range map[string]struct {
		timeout string
		cancel  bool
		want    string
	}{
		"its deadline":         {"300", false, "not done within 300ms"},
		"the end of its phase": {"60000", true, "given up because the phase has ended"},
	} {
		t.Run(name, func(t *testing.T) {
			_, s := open(t, settings(t, "hbase.client.operation.timeout", test.timeout), one(l.Addr().String()))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if test.cancel {
				time.AfterFunc(300*time.Millisecond, cancel)
			}
			ended := make(chan workload.Outcome, 1)
			go func() { ended <- s.Do(ctx, op) }()
			select {
			case out := <-ended:
				require.Equal(t, workload.Timeout, out.Code)
				require.ErrorContains(t, out.Err, test.want)
			case <-time.After(tolerance.Patience):
				require.Fail(t, "the worker is stuck")
			}
		})
	}
}
