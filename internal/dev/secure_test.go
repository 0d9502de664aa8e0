package dev_test

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/benchd/benchd/internal/certs"
	"github.com/benchd/benchd/internal/dev"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/pki"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/tolerance"
	"github.com/benchd/benchd/internal/wire"
)

func TestASecuredClusterAcceptsItsCertificatesOnly(t *testing.T) {
	t.Parallel() // it waits most of the time
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c, err := dev.Start(t.Context(), dev.Config{Agents: 2, Listener: l, Secured: true, User: "anna", Version: "test"})
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()

	ask := func(creds credentials.TransportCredentials) (remote.About, error) {
		client, err := remote.Dial(l.Addr().String(), creds)
		require.NoError(t, err)
		defer func() { require.NoError(t, client.Close()) }()
		return client.About(t.Context())
	}
	authority, admin := c.Authority(), c.Admin()
	store, err := certs.Parse(certs.PEM{Cert: admin.Cert, Key: admin.Key, CA: authority.Root()}, certs.Files{Cert: "c", Key: "k", CA: "a"}, certs.Options{})
	require.NoError(t, err)
	about, err := ask(credentials.NewTLS(store.ClientConfig(identity.Coordinator, "127.0.0.1")))
	require.NoError(t, err)
	require.Equal(t, remote.Peer{Name: "anna", Role: "admin"}, about.Peer)
	require.False(t, about.Expires.IsZero())
	_, err = ask(insecure.NewCredentials())
	require.ErrorIs(t, err, wire.ErrUnreachable)
	other, err := pki.Init(filepath.Join(t.TempDir(), "pki"), pki.InitOptions{})
	require.NoError(t, err)
	stranger, err := other.Issue(identity.Identity{Role: identity.Admin, Name: "anna"}, pki.IssueOptions{})
	require.NoError(t, err)
	wrong, err := certs.Parse(certs.PEM{Cert: stranger.Cert, Key: stranger.Key, CA: other.Root()}, certs.Files{Cert: "c", Key: "k", CA: "a"}, certs.Options{})
	require.NoError(t, err)
	_, err = ask(credentials.NewTLS(wrong.ClientConfig(identity.Coordinator, "127.0.0.1")))
	require.ErrorIs(t, err, wire.ErrUnreachable)

	// Its agents have certificates, too.
	client := remote.New(c.Conn(), nil, "this process")
	require.Eventually(t, func() bool {
		agents, err := client.Agents(t.Context())
		return err == nil && len(agents) == 2
	}, tolerance.Patience, 20*time.Millisecond)
	issued, err := authority.List()
	require.NoError(t, err)
	var names []string
	for _, r := range issued {
		names = append(names, string(r.Role)+"/"+r.Name)
	}
	require.ElementsMatch(t, []string{"coordinator/dev", "admin/anna", "agent/local-1", "agent/local-2"}, names)
}

func TestASecuredClusterRuns(t *testing.T) {
	t.Parallel() // it waits most of the time
	r := executeOn(t, dev.Config{Agents: 2, Secured: true}, map[string]string{
		"db": "null", "recordcount": "1000", "threadcount": "2", "null.service": "constant 200us", "duration": "1s", "interval": "100ms",
	})
	require.Equal(t, result.Complete, r.Status, r.Reason)
	require.True(t, r.Reconcile.OK, "%+v", r.Reconcile)
}

func TestASecuredClusterKeepsItsAuthority(t *testing.T) {
	dir := t.TempDir()
	start := func() ([]byte, error) {
		c, err := dev.Start(t.Context(), dev.Config{Agents: 1, DataDir: dir, Secured: true, Version: "test"})
		if err != nil {
			return nil, err
		}
		defer func() { require.NoError(t, c.Close()) }()
		return c.Authority().Root(), nil
	}
	first, err := start()
	require.NoError(t, err)
	second, err := start()
	require.NoError(t, err)
	require.Equal(t, first, second)
	require.NoError(t, os.Remove(filepath.Join(dir, "pki", pki.RootFile)))
	_, err = start()
	require.ErrorIs(t, err, pki.ErrNoAuthority)
	require.ErrorContains(t, err, "delete the directory and start again")
}
