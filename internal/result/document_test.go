package result_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/doctable"
	"github.com/benchd/benchd/internal/result"
)

// The documented kinds of events of a target are those of the code.
func TestKindsOfHappeningsAreDocumented(t *testing.T) {
	table := doctable.Tables(doctable.Section(doctable.Read(t, "docs/telemetry.md"), "## Events"))[0]
	require.ElementsMatch(t, result.HappeningKinds(), table.Names(0))
}
