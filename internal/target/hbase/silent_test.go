package hbase_test

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/sandbox"
	"github.com/benchd/benchd/internal/target/hbase"
	"github.com/benchd/benchd/internal/workload"
)

// The server of hbase:meta and of a part of the table is lost under load: all operations succeed.
func TestNoOperationFailsWhenTheServerOfMetaIsLost(t *testing.T) {
	for name, lose := range map[string]func(context.Context, *sandbox.Sandbox, string) error{
		"kill -9": func(ctx context.Context, s *sandbox.Sandbox, at string) error { return s.KillServer(ctx, at) },
		"SIGSTOP": func(ctx context.Context, s *sandbox.Sandbox, at string) error { return s.SilenceServer(ctx, at) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			var splits []string
			for i := 1; i < 9; i++ {
				splits = append(splits, strconv.Itoa(i))
			}
			s, c := sandboxTable(t, ctx, sandbox.Options{Detection: 700 * time.Millisecond}, "t", splits...)
			target, err := hbase.Open(ctx, load.Settings{Properties: map[string]string{
				"table": "t", "columnfamily": "cf", "hbase.zookeeper.quorum": s.Quorum(), "hbase.rpc.timeout": "300",
			}})
			require.NoError(t, err)
			defer func() { require.NoError(t, target.Close()) }()

			const workers = 16
			var done [workers]atomic.Int64
			end := make(chan struct{})
			var work sync.WaitGroup
			stop := sync.OnceFunc(func() {
				close(end)
				work.Wait()
			})
			defer stop()
			for w := range workers {
				session, err := target.Open(ctx, w)
				require.NoError(t, err)
				work.Go(func() {
					op := &workload.Op{Kind: workload.Update, Fields: b("f"), Values: b("v")}
					for i := w; ; i++ {
						select {
						case <-end:
							return
						default:
						}
						op.Key = fmt.Appendf(nil, "%d", i%9)
						if out := session.Do(ctx, op); out.Code != workload.OK {
							t.Errorf("%v: %v", out.Code, out.Err)
							return
						}
						done[w].Add(1)
					}
				})
			}
			// further waits until each worker has reached all regions.
			further := func() {
				var from [workers]int64
				for w := range workers {
					from[w] = done[w].Load()
				}
				require.Eventually(t, func() bool {
					for w := range workers {
						if done[w].Load() < from[w]+20 {
							return false
						}
					}
					return true
				}, 30*time.Second, time.Millisecond)
			}
			further()
			lost := s.Servers()[0].Name // hbase:meta is given to the first
			require.NoError(t, lose(ctx, s, lost))
			further()
			regions, err := c.Regions(ctx, "t")
			require.NoError(t, err)
			for _, r := range regions {
				require.NotEqual(t, lost, r.Server)
			}
			stop()
		})
	}
}
