package spec

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/doctable"
)

// The documentation lists exactly the properties of telemetry.
func TestPropertiesOfTelemetryAreDocumented(t *testing.T) {
	table := doctable.Tables(doctable.Section(doctable.Read(t, "docs/telemetry.md"), "## Settings"))[0]
	var names []string
	for _, k := range telemetryKeys(reader().table.targets) {
		names = append(names, k.Name)
	}
	require.ElementsMatch(t, names, table.Names(0))
}
