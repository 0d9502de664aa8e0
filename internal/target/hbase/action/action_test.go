package action

import (
	"slices"
	"strings"
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
	args, err := a.check(load.Action{Name: "flush"}, actions()["flush"])
	require.NoError(t, err)
	require.Equal(t, "n:t", args["table"], "the table of the settings is meant where none is named")
	require.True(t, slices.IsSorted(Names()))
}

// What a description offers can be done.
func TestEveryActionThatIsDescribedExists(t *testing.T) {
	described := hbasespec.Target()
	names := append([]string{described.Probe}, described.Between...)
	for _, a := range described.Actions {
		names = append(names, a.Name)
	}
	for _, v := range described.Admin.Verbs {
		names = append(names, strings.ReplaceAll(v.Name, "-", "_"))
	}
	require.Subset(t, Names(), names)
	require.Subset(t, names, Names(), "what can be done can be asked for")
	for _, v := range described.Admin.Verbs {
		d := actions()[strings.ReplaceAll(v.Name, "-", "_")]
		known := slices.Concat(d.needs, d.takes, []string{"table"})
		for _, flag := range v.Flags {
			require.Contains(t, known, flag.Argument, v.Name)
		}
		if v.Argument != "" {
			require.Contains(t, known, v.Argument, v.Name)
		}
	}
}

func TestKeysArePrintedAsHBaseDoes(t *testing.T) {
	require.Equal(t, `user1\x00\x5C`, printable([]byte("user1\x00\\")))
}
