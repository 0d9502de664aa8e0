//go:build secure

package secure

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/test/testcluster"
)

// java reads rows of a table by HBase's own client in a mode and returns what it prints.
func (c *cluster) java(t *testing.T, m mode, table string, rows, reads int) string {
	t.Helper()
	args := slices.Concat([]string{"Reads", c.file("client"), table, "family", strconv.Itoa(rows), "4", strconv.Itoa(reads)}, m.java)
	cmd := exec.CommandContext(t.Context(), filepath.Join(testcluster.Root(), "test", "java", "run"), args...)
	options := "-XX:TieredStopAtLevel=1"
	if realm := c.realm(); realm != nil {
		options += " -Djava.security.krb5.conf=" + realm[1]
	}
	cmd.Env = append(os.Environ(), "BENCHD_JAVA_OPTIONS="+options)
	out, err := cmd.Output()
	if failed, ok := err.(*exec.ExitError); ok { //nolint:errorlint // Output returns no wrapped error
		t.Logf("%s", failed.Stderr)
	}
	require.NoError(t, err)
	return string(out)
}
