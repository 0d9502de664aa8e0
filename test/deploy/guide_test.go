package deploy

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The commands of docs/security.md turn an installation without certificates into a secured one: a coordinator, two agents, and a real
// Prometheus, which then reaches all of them. They run as they are written, in namespaces in which the names and addresses of the document
// are those of this machine.
func TestGuideSecuresAnInstallation(t *testing.T) {
	t.Parallel()
	found, err := filepath.Glob(filepath.Join(release(t), "benchd_*_linux_"+runtime.GOARCH+".tar.gz"))
	require.NoError(t, err)
	require.Len(t, found, 1)
	programs := t.TempDir()
	succeed(t, "", nil, "tar", "-xzf", found[0], "-C", programs, "--strip-components=2", "--wildcards", "*/bin/*")
	document, err := filepath.Abs(filepath.Join(root, "docs/security.md"))
	require.NoError(t, err)
	configuration, err := filepath.Abs(filepath.Join(root, "deploy/prometheus"))
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(succeed(t, root, nil, "scripts/prometheus")), "\n")
	t.Log(within(t, "guide.sh", nil, document, configuration, programs, lines[len(lines)-1], t.TempDir()))
}
