package deploy

import (
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// units are the services, below the root.
func units(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(root, "deploy/systemd/*.service"))
	require.NoError(t, err)
	require.Len(t, found, 2)
	return found
}

// The exposure of a service stays below 3.0 on systemd's scale of 0 to 10.
func TestUnitsAreHardened(t *testing.T) {
	t.Parallel()
	level := regexp.MustCompile(`Overall exposure level for .*: ([0-9.]+) `)
	for _, unit := range units(t) {
		out := succeed(t, "", nil, "systemd-analyze", "security", "--offline=true", "--no-pager", unit)
		match := level.FindStringSubmatch(out)
		require.NotNil(t, match, out)
		exposure, err := strconv.ParseFloat(match[1], 64)
		require.NoError(t, err)
		require.Less(t, exposure, 3.0, "%s:\n%s", unit, out)
		t.Logf("%s: exposure %.1f", filepath.Base(unit), exposure)
	}
}
