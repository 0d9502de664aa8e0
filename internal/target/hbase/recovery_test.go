package hbase_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/sandbox"
	"github.com/benchd/benchd/internal/target/hbase"
	"github.com/benchd/benchd/internal/target/hbase/action"
	"github.com/benchd/benchd/internal/target/hbase/admin"
	"github.com/benchd/benchd/internal/workload"
)

// sandboxTable starts a sandbox with a split table of one family, and connects to it.
func sandboxTable(t *testing.T, ctx context.Context, o sandbox.Options, name string, splits ...string) (*sandbox.Sandbox, *admin.Client) {
	t.Helper()
	box, err := sandbox.Start(ctx, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, box.Close()) })
	c, err := admin.Connect(ctx, admin.Config{Quorum: box.Quorum()})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	require.NoError(t, c.Create(ctx, admin.Table{Name: name, Families: []admin.Family{{Name: "cf"}}}, b(splits...)))
	return box, c
}

// A target that is opened just after the region server of hbase:meta was killed waits for the recovery.
func TestATargetOpenedDuringARecoveryWorks(t *testing.T) {
	for name, begin := range map[string]func(t *testing.T, ctx context.Context, s load.Settings){
		"a run": func(t *testing.T, ctx context.Context, s load.Settings) {
			target, err := hbase.Open(ctx, s)
			require.NoError(t, err)
			defer func() { require.NoError(t, target.Close()) }()
			require.NoError(t, target.(load.Admin).Prepare(ctx))
			session, err := target.Open(ctx, 0)
			require.NoError(t, err)
			require.NoError(t, session.Do(ctx, &workload.Op{Kind: workload.Insert, Key: []byte("k"), Fields: b("f"), Values: b("v")}).Err)
			require.NoError(t, session.Close(ctx))
		},
		"an action": func(t *testing.T, ctx context.Context, s load.Settings) {
			actor, err := action.Open(ctx, s)
			require.NoError(t, err)
			defer func() { require.NoError(t, actor.Close()) }()
			_, err = actor.Act(ctx, load.Action{Name: "flush"})
			require.NoError(t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			box, _ := sandboxTable(t, ctx, sandbox.Options{Detection: 4 * time.Second}, "usertable", "f", "m", "t")
			require.NoError(t, box.KillServer(ctx, "1"))

			var log bytes.Buffer
			begin(t, ctx, load.Settings{
				Run: "S.1", Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})),
				Properties: map[string]string{"columnfamily": "cf", "hbase.zookeeper.quorum": box.Quorum(), "recordcount": "10"},
			})
			require.Equal(t, 1, strings.Count(log.String(), "HBase is not ready"), "one line of progress: %s", &log)
		})
	}
}
