package embed_test

import (
	"log/slog"
	"net"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/hbase/embed"
)

func TestPropertiesConfigureTheSandbox(t *testing.T) {
	for name, test := range map[string]struct {
		settings load.EmbedSettings
		servers  int
	}{
		"the properties":             {load.EmbedSettings{}, 2},
		"the settings override them": {load.EmbedSettings{Servers: 1, Listen: map[string]string{"zookeeper": "127.0.0.1:0", "info": "127.0.0.1:0"}}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			test.settings.Logger = slog.New(slog.DiscardHandler)
			start, err := embed.Open(map[string]string{"sandbox.region-servers": "2"}, test.settings)
			require.NoError(t, err)
			s, err := start(t.Context())
			require.NoError(t, err)
			defer func() { require.NoError(t, s.Close()) }()
			require.Len(t, s.(*embed.System).Servers(), test.servers)
			where := s.Supplied()["sandbox"]
			quorum := net.JoinHostPort(where["hbase.zookeeper.quorum"], where["hbase.zookeeper.property.clientPort"])
			require.Equal(t, s.(*embed.System).Quorum(), quorum)
			require.Equal(t, slog.String("quorum", quorum), s.Attrs()[0])
		})
	}
}

func TestMistakesAreReportedBeforeTheSandboxStarts(t *testing.T) {
	_, err := embed.Open(map[string]string{"sandbox.region-servers": "soon"}, load.EmbedSettings{})
	require.ErrorContains(t, err, "sandbox.region-servers")
	missing := filepath.Join(t.TempDir(), "faults.yaml")
	_, err = embed.Open(map[string]string{"sandbox.faults": missing}, load.EmbedSettings{})
	require.ErrorContains(t, err, missing)
}
