package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/certs/certstest"
	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/tolerance"
)

// A revoked authority ends the sessions of all certificates that it has issued, and the calls on open connections, and no other ones.
func TestARevokedAuthorityEndsTheSessionsOfItsCertificates(t *testing.T) {
	ca := certstest.NewCA(t)
	lost := ca.Intermediate(t)
	dir := t.TempDir()
	deny := filepath.Join(dir, "revoked.txt")
	require.NoError(t, os.WriteFile(deny, nil, 0o600))
	coordinator := start(t, append([]string{"coordinator", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--data", t.TempDir(), "--tls-revoked", deny},
		tlsFlags(ca.Identify(t, identity.Coordinator, "c").Write(t, dir, ca))...)...)
	rpc := coordinator.logs(`coordinator listens.* grpc=(\S+)`)[0]
	for name, issuer := range map[string]*certstest.CA{"client-1": lost, "client-2": ca} {
		start(t, append([]string{"agent", "--coordinator", rpc, "--name", name, "--spool", t.TempDir()},
			tlsFlags(issuer.Identify(t, identity.Agent, name).Write(t, t.TempDir(), ca))...)...).logs(`msg=connected`)
	}
	clients := make(map[string]*remote.Client)
	for name, issuer := range map[string]*certstest.CA{"anna": lost, "ben": ca} {
		client, err := remote.Dial(rpc, cli.CoordinatorCredentials(issuer.Identify(t, identity.Operator, name).Store(t, ca), rpc))
		require.NoError(t, err)
		t.Cleanup(func() { _ = client.Close() })
		_, err = client.Agents(t.Context())
		require.NoError(t, err)
		clients[name] = client
	}

	require.NoError(t, os.WriteFile(deny, []byte(identity.Serial(lost.Cert)+" an authority whose key was lost\n"), 0o600))
	require.Eventually(t, func() bool {
		agents, err := clients["ben"].Agents(t.Context())
		require.NoError(t, err)
		connected := make(map[string]bool)
		for _, a := range agents {
			connected[a.Name] = a.Connected
		}
		require.True(t, connected["client-2"])
		return !connected["client-1"]
	}, tolerance.Patience, 50*time.Millisecond)
	_, err := clients["anna"].Agents(t.Context())
	require.ErrorContains(t, err, "revoked")
}
