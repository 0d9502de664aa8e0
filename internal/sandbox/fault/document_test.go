package fault_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/doctable"
	"github.com/benchd/benchd/internal/sandbox/fault"
)

// The documents list all kinds of faults: docs/sandbox.md those of calls in one table and those of region servers in
// another, and docs/benchctl.md both in the help of the command that adds one.
func TestKindsOfFaultsAreDocumented(t *testing.T) {
	tables := doctable.Tables(doctable.Section(doctable.Read(t, "docs/sandbox.md"), "## Fault injection"))
	require.Len(t, tables, 2)
	help := doctable.Section(doctable.Read(t, "docs/benchctl.md"), "## benchctl sandbox fault add")
	var calls, servers []string
	for _, kind := range fault.Kinds() {
		if kind.Event() {
			servers = append(servers, string(kind))
		} else {
			calls = append(calls, string(kind))
		}
		require.Contains(t, help, "\n  "+string(kind)+" ")
	}
	require.ElementsMatch(t, calls, tables[0].Names(0))
	require.ElementsMatch(t, servers, tables[1].Names(0))
}
