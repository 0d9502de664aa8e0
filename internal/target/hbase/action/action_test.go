package action

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
)

// A mistake must be told before the cluster is touched.
func TestAnActionIsJudgedBeforeItIsDone(t *testing.T) {
	a := &actor{settings: hbasespec.Settings{Namespace: "n", Table: "t"}}
	for name, tt := range map[string]struct {
		action load.Action
		want   string
	}{
		"unknown":        {load.Action{Name: "flusch"}, `cannot "flusch"`},
		"other argument": {load.Action{Name: "flush", Args: map[string]string{"region": "x"}}, "it takes no region"},
		"no region":      {load.Action{Name: "move"}, "it needs a region"},
		"bad table":      {load.Action{Name: "count", Args: map[string]string{"table": "a b"}}, "no name of a table"},
		"bad state":      {load.Action{Name: "balancer", Args: map[string]string{"state": "maybe"}}, "on or off"},
		"bad truth":      {load.Action{Name: "drop", Args: map[string]string{"force": "yes"}}, "true or false"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := a.Act(t.Context(), tt.action)
			require.ErrorIs(t, err, load.ErrAction)
			require.ErrorContains(t, err, tt.want)
		})
	}
	flush, ok := find("flush")
	require.True(t, ok)
	args, err := a.check(load.Action{Name: "flush"}, flush)
	require.NoError(t, err)
	require.Equal(t, "n:t", args["table"], "the table of the settings is meant where none is named")
}

func TestEveryActionThatIsDescribedHasAFunction(t *testing.T) {
	require.ElementsMatch(t, names(), slices.Collect(maps.Keys(functions())))
}

func TestKeysArePrintedAsHBaseDoes(t *testing.T) {
	require.Equal(t, `user1\x00\x5C`, printable([]byte("user1\x00\\")))
}
