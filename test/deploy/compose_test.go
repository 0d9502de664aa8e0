package deploy

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"
)

// project returns the compose file, validated with Compose's schema and loaded by Compose's own loader.
func project(t *testing.T) *types.Project {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{filepath.Join(root, "deploy/compose.yaml")})
	require.NoError(t, err)
	p, err := options.LoadProject(t.Context())
	require.NoError(t, err)
	return p
}

// Services are reachable only from this machine, write only to their volumes, and need no certificate: coordinator and agents meet at a
// unix socket, and serve HTTP to the containers of their network only.
func TestComposeKeepsToThisMachine(t *testing.T) {
	p := project(t)
	require.ElementsMatch(t, []string{"coordinator", "agent-1", "agent-2", "prometheus"}, p.ServiceNames())
	for name, s := range p.Services {
		require.True(t, s.ReadOnly, name)
		require.Equal(t, []string{"ALL"}, []string(s.CapDrop), name)
		require.Contains(t, s.SecurityOpt, "no-new-privileges:true", name)
		for _, port := range s.Ports {
			require.Equal(t, "127.0.0.1", port.HostIP, "%s: port %s", name, port.Published)
			require.EqualValues(t, 9090, port.Target, "only Prometheus is published")
		}
		if name != "prometheus" {
			require.Equal(t, "65532:65532", s.User, name)
			require.NotContains(t, strings.Join(s.Command, " "), "--insecure", name)
			socket := slices.IndexFunc(s.Volumes, func(v types.ServiceVolumeConfig) bool { return v.Target == "/run/benchd" })
			require.GreaterOrEqual(t, socket, 0, name)
			require.Equal(t, "socket", s.Volumes[socket].Source, name)
		}
		if strings.HasPrefix(name, "agent-") {
			require.Equal(t, "service:coordinator", s.NetworkMode, "its metrics are at 127.0.0.1")
			require.Equal(t, name, *s.Environment["BENCHD_NAME"], "containers of one network have one host's name")
		}
	}
}

// Prometheus gets the configuration of deploy/prometheus, and finds the coordinator at its address.
func TestComposeWatchesWithTheSameConfiguration(t *testing.T) {
	s := project(t).Services["prometheus"]
	require.Equal(t, "service:coordinator", s.NetworkMode, "in its network the coordinator is 127.0.0.1:7071")
	want, err := filepath.Abs(filepath.Join(root, "deploy/prometheus"))
	require.NoError(t, err)
	require.Equal(t, want, s.Volumes[0].Source)
	require.FileExists(t, filepath.Join(want, filepath.Base(s.Command[0][len("--config.file="):])))
}
