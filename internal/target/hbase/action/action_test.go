package action

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
)

// The actor of the test has no client: a mistake must be reported before the cluster is called.
func TestAnActionIsValidatedBeforeItRuns(t *testing.T) {
	a := &actor{settings: hbasespec.Settings{Namespace: "n", Table: "t"}}
	for name, tt := range map[string]struct {
		action load.Action
		want   string
	}{
		"unknown":        {load.Action{Name: "flusch"}, `invalid action "flusch"`},
		"other argument": {load.Action{Name: "flush", Args: map[string]string{"region": "x"}}, "unknown argument region"},
		"no region":      {load.Action{Name: "move"}, "missing argument region"},
		"bad table":      {load.Action{Name: "count", Args: map[string]string{"table": "a b"}}, `invalid table name "a b"`},
		"bad state":      {load.Action{Name: "balancer", Args: map[string]string{"state": "maybe"}}, `invalid balancer state "maybe": want on or off`},
		"bad truth":      {load.Action{Name: "drop", Args: map[string]string{"force": "yes"}}, `invalid force "yes": want true or false`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := a.Act(t.Context(), tt.action)
			require.ErrorIs(t, err, load.ErrAction)
			require.ErrorContains(t, err, tt.want)
		})
	}
	args, err := a.check(load.Action{Name: "flush"})
	require.NoError(t, err)
	require.Equal(t, "n:t", args["table"], "the table defaults to that of the settings")
}

func TestEveryDescribedActionHasAFunction(t *testing.T) {
	require.ElementsMatch(t, hbasespec.Target().ActionNames(), slices.Collect(maps.Keys(functions())))
}

func TestKeysArePrintedAsHBaseDoes(t *testing.T) {
	require.Equal(t, `user1\x00\x5C`, printable([]byte("user1\x00\\")))
}
