package action

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/cassandra/cassandraspec"
)

func TestEveryDescribedActionHasAFunction(t *testing.T) {
	require.ElementsMatch(t, cassandraspec.Target().ActionNames(), slices.Collect(maps.Keys(functions())))
}

// The actor of the test has no cluster: a mistake must be reported before the cluster is called.
func TestAnActionIsValidatedBeforeItRuns(t *testing.T) {
	a := &actor{settings: cassandraspec.Settings{Keyspace: "ycsb", Table: "t"}}
	for name, tt := range map[string]struct {
		action load.Action
		want   string
	}{
		"unknown":        {load.Action{Name: "flusch"}, `invalid action "flusch"`},
		"other argument": {load.Action{Name: "flush", Args: map[string]string{"region": "x"}}, "unknown argument region"},
		"no node":        {load.Action{Name: "drain"}, "missing argument node"},
		"bad table":      {load.Action{Name: "flush", Args: map[string]string{"table": "a b"}}, `invalid table name "a b"`},
		"bad state":      {load.Action{Name: "autocompaction", Args: map[string]string{"state": "maybe"}}, `invalid autocompaction state "maybe": want on or off`},
		"bad truth":      {load.Action{Name: "drop", Args: map[string]string{"force": "yes"}}, `invalid force "yes": want true or false`},
		"not waited for": {load.Action{Name: "compact", Args: map[string]string{"wait": "false"}}, `invalid wait "false"`},
		"no Jolokia":     {load.Action{Name: "flush"}, "flush: Cassandra has it only in JMX: load the Jolokia agent into each node and set cassandra.jolokia.port"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := a.Act(t.Context(), tt.action)
			require.ErrorIs(t, err, load.ErrAction)
			require.ErrorContains(t, err, tt.want)
		})
	}
	keyspace, table, err := a.table(nil)
	require.NoError(t, err)
	require.Equal(t, []string{"ycsb", "t"}, []string{keyspace, table})
}
