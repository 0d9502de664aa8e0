package admin_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/sandbox"
	"github.com/benchd/benchd/internal/sandbox/control"
	"github.com/benchd/benchd/internal/sandbox/fault"
	"github.com/benchd/benchd/internal/target/hbase/admin"
)

// A client without permission fails at once: an action would wait for an hour.
func TestAPermanentErrorEndsAWaitAtOnce(t *testing.T) {
	for op, wants := range map[fault.Op]string{fault.Master: "AccessDeniedException", fault.Admin: "AccessDeniedException"} {
		t.Run(string(op), func(t *testing.T) {
			s, err := sandbox.Start(t.Context(), sandbox.Options{})
			require.NoError(t, err)
			defer func() { require.NoError(t, s.Close()) }()
			c, err := admin.Connect(t.Context(), admin.Config{Quorum: s.Quorum()})
			require.NoError(t, err)
			defer c.Close()
			require.NoError(t, c.Create(t.Context(), admin.Table{Name: "t", Families: []admin.Family{{Name: "cf"}}}, nil))
			steering := control.NewClient(s.Info(), nil)
			defer steering.Close()
			_, err = steering.AddFaults(t.Context(), []fault.Fault{{
				Kind: fault.IOException, Exception: "org.apache.hadoop.hbase.security.AccessDeniedException", Share: 1, Where: fault.Where{Ops: []fault.Op{op}},
			}})
			require.NoError(t, err)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			_, err = c.Quiet(ctx, nil)
			require.ErrorContains(t, err, wants)
			require.NoError(t, ctx.Err(), "it did not wait for the context")
			require.ErrorContains(t, c.Compacted(ctx, "t"), wants)
			require.NoError(t, ctx.Err(), "it did not wait for the context")
		})
	}
}
