package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/remote"
)

func TestAUnixSocketNeedsNoCertificates(t *testing.T) {
	address := "unix:" + filepath.Join(t.TempDir(), "s")
	coordinator := start(t, "coordinator", "--listen", address, "--http", "127.0.0.1:0", "--data", t.TempDir())
	coordinator.logs(`coordinator listens.* grpc=` + address)
	start(t, "agent", "--coordinator", address, "--name", "client-1", "--spool", t.TempDir()).logs(`msg=connected`)
	client, err := remote.Dial(address, cli.CoordinatorCredentials(nil, address))
	require.NoError(t, err)
	defer client.Close()
	agents, err := client.Agents(t.Context())
	require.NoError(t, err)
	require.Equal(t, "client-1", agents[0].Name)
	about, err := client.About(t.Context())
	require.NoError(t, err)
	require.Equal(t, "gRPC "+address+": unix socket, for its user and root", about.Listeners[0])
}
