package action

import (
	"context"
	"maps"
	"net"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/sequoiadb/sequoiadbspec"
	"github.com/benchd/benchd/internal/target/sequoiadb/sequoiadbtest/scripted"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, more ...string) load.Actor {
	t.Helper()
	server, err := scripted.New(scripted.Options{})
	require.NoError(t, err)
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() { _ = server.Serve(ctx, l) })
	t.Cleanup(func() {
		cancel()
		work.Wait()
		require.Zero(t, server.Violations())
	})
	properties := map[string]string{"sequoiadb.url": l.Addr().String()}
	for i := 0; i < len(more); i += 2 {
		properties[more[i]] = more[i+1]
	}
	actor, err := Open(t.Context(), load.Settings{Properties: properties})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, actor.Close()) })
	return actor
}

func TestActions(t *testing.T) {
	actor := open(t, "table", "t")
	do := func(name string, args ...string) (load.Answer, error) {
		given := make(map[string]string)
		for i := 0; i < len(args); i += 2 {
			given[args[i]] = args[i+1]
		}
		return actor.Act(t.Context(), load.Action{Name: name, Args: given})
	}
	answer, err := do("create")
	require.NoError(t, err)
	require.Equal(t, []string{"created collection ycsb.t"}, answer.Text)
	_, err = do("create")
	require.ErrorContains(t, err, "collection ycsb.t: create collection: SequoiaDB error -22, Collection already exists")
	_, err = do("create", "table", "other.u")
	require.NoError(t, err)
	answer, err = do("tables")
	require.NoError(t, err)
	require.Equal(t, [][]any{{"other.u"}, {"ycsb.t"}}, answer.Rows)
	answer, err = do("count")
	require.NoError(t, err)
	require.Equal(t, [][]any{{"ycsb.t", int64(0)}}, answer.Rows)
	answer, err = do("describe")
	require.NoError(t, err)
	require.Contains(t, answer.Text[0], `"ShardingKey": {"_id": 1}, "ShardingType": "hash", "AutoSplit": true, "CataInfo": [{"ID": 0, "GroupID": 1000, "GroupName": "group1"}`)
	answer, err = do("servers")
	require.NoError(t, err)
	require.Len(t, answer.Rows, 3, "a coordinator and two nodes")
	require.Equal(t, []any{"sdb1:11820", "data", "group1", true, "", "Normal"}, answer.Rows[1])
	_, err = do("sync")
	require.NoError(t, err)
	_, err = do("truncate")
	require.NoError(t, err)
	_, err = do("drop")
	require.NoError(t, err)
	for _, name := range []string{"drop", "truncate", "count"} {
		_, err = do(name)
		require.ErrorContains(t, err, "collection ycsb.t: ")
		require.ErrorContains(t, err, "SequoiaDB error -23, Collection does not exist")
	}
	_, err = do("describe")
	require.EqualError(t, err, "collection ycsb.t does not exist")
	_, err = do("count", "table", "nowhere.t")
	require.ErrorContains(t, err, "SequoiaDB error -34, Collection space does not exist")
}

// Each described action has a function, and mistakes are refused before anything is done.
func TestActionsAreDescribed(t *testing.T) {
	require.ElementsMatch(t, sequoiadbspec.Target().ActionNames(), slices.Collect(maps.Keys(functions())))
	actor := open(t)
	for _, test := range []struct {
		action load.Action
		want   string
	}{
		{load.Action{Name: "flush"}, `invalid action "flush" for target sequoiadb: want one of count, create,`},
		{load.Action{Name: "count", Args: map[string]string{"region": "x"}}, "count: unknown argument region: want table"},
		{load.Action{Name: "drop", Args: map[string]string{"table": "$x"}}, "names that begin with $ or SYS"},
	} {
		_, err := actor.Act(t.Context(), test.action)
		require.ErrorIs(t, err, load.ErrAction)
		require.ErrorContains(t, err, test.want)
	}
	_, err := Open(t.Context(), load.Settings{Properties: map[string]string{"sequoiadb.url": "127.0.0.1:1"}})
	require.ErrorIs(t, err, load.ErrNotReached)
}
