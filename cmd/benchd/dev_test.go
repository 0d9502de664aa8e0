package main

import (
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/benchd/benchd/internal/certs"
	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/pki"
	"github.com/benchd/benchd/internal/profile"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/wire"
)

// aDev is benchd dev in this process, with one agent and without a sandbox.
type aDev struct {
	address, data string
	stop          func()
}

// startDev starts benchd dev.
func startDev(t *testing.T, args ...string) aDev {
	t.Helper()
	d := aDev{data: t.TempDir()}
	ctx, cancel := context.WithCancel(context.Background())
	c := &command{t: t}
	ended := make(chan error, 1)
	args = append([]string{"dev", "--agents", "1", "--region-servers", "0", "--http", "127.0.0.1:0", "--data", d.data}, args...)
	go func() { ended <- program().Run(ctx, args, cli.Streams{Out: io.Discard, Err: c}) }()
	stopped := false
	d.stop = func() {
		if !stopped {
			stopped = true
			cancel()
			require.NoError(t, <-ended, c.log())
		}
	}
	t.Cleanup(d.stop)
	d.address = c.logs(`coordinator listens.* grpc=(\S+)`)[0]
	return d
}

// ask asks a coordinator who the client is.
func ask(t *testing.T, address string, creds credentials.TransportCredentials) (remote.About, error) {
	t.Helper()
	client, err := remote.Dial(address, creds)
	require.NoError(t, err)
	defer client.Close()
	return client.About(t.Context())
}

// by returns the credentials of a profile.
func by(t *testing.T, p profile.Profile) credentials.TransportCredentials {
	t.Helper()
	store, err := p.Certificates(certs.Options{})
	require.NoError(t, err)
	return cli.CoordinatorCredentials(store, p.Address)
}

// profilesOf returns the folder of profiles of a new user.
func profilesOf(t *testing.T) profile.Folder {
	t.Helper()
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	return cli.Profiles()
}

func TestDevHasCertificatesAndAProfile(t *testing.T) {
	folder := profilesOf(t)
	d := startDev(t, "--listen", "127.0.0.1:0")
	p, err := folder.For(d.address)
	require.NoError(t, err)
	_, port, err := net.SplitHostPort(d.address)
	require.NoError(t, err)
	require.Equal(t, "dev-"+port, p.Name)
	current, err := folder.Current()
	require.NoError(t, err)
	require.Equal(t, p.Name, current)

	about, err := ask(t, d.address, by(t, p))
	require.NoError(t, err)
	require.Equal(t, remote.Peer{Name: devUser(), Role: "admin"}, about.Peer)
	require.Contains(t, about.Listeners, "gRPC "+d.address+": TLS")
	_, err = ask(t, d.address, insecure.NewCredentials())
	require.ErrorIs(t, err, wire.ErrUnreachable)

	// A further agent joins by the authority in the data folder.
	token, err := pki.NewToken(filepath.Join(d.data, "pki"), "client-1", time.Hour)
	require.NoError(t, err)
	t.Setenv("TOKEN_OF_THE_TEST", token)
	t.Run("agent", func(t *testing.T) {
		start(t, "agent", "--coordinator", d.address, "--join", "env:TOKEN_OF_THE_TEST", "--identity", t.TempDir(), "--spool", t.TempDir()).logs(`msg=connected agent=client-1`)
	})

	d.stop()
	list, err := folder.List()
	require.NoError(t, err)
	require.Empty(t, list, "the profile ends with its coordinator")
	current, err = folder.Current()
	require.NoError(t, err)
	require.Empty(t, current)
}

func TestDevKeepsTheProfilesOfOthers(t *testing.T) {
	folder := profilesOf(t)
	prod := profile.Profile{Name: "prod", Address: "bench.example.org:7070"}
	require.NoError(t, folder.Write(prod))
	require.NoError(t, folder.Use("prod"))
	first := startDev(t, "--listen", "127.0.0.1:0")
	second := startDev(t, "--listen", "127.0.0.1:0")
	for _, d := range []aDev{first, second} {
		p, err := folder.For(d.address)
		require.NoError(t, err)
		_, err = ask(t, d.address, by(t, p))
		require.NoError(t, err)
	}
	current, err := folder.Current()
	require.NoError(t, err)
	require.Equal(t, "prod", current)
	first.stop()
	p, err := folder.For(second.address)
	require.NoError(t, err)
	_, err = ask(t, second.address, by(t, p))
	require.NoError(t, err)
	second.stop()
	list, err := folder.List()
	require.NoError(t, err)
	require.Len(t, list, 1)
}

func TestDevSupersedesTheProfileOfAKilledProcess(t *testing.T) {
	folder := profilesOf(t)
	d := startDev(t, "--listen", "127.0.0.1:0")
	left, err := folder.For(d.address)
	require.NoError(t, err)
	d.stop()
	require.NoError(t, folder.Write(left)) // as after kill -9

	again := startDev(t, "--listen", d.address)
	p, err := folder.For(d.address)
	require.NoError(t, err)
	require.Equal(t, left.Name, p.Name)
	require.NotEqual(t, left.Certificate, p.Certificate)
	_, err = ask(t, d.address, by(t, p))
	require.NoError(t, err)

	// A process leaves a profile that is not its own.
	require.NoError(t, folder.Write(left))
	again.stop()
	_, err = folder.Read(left.Name)
	require.NoError(t, err)

	plain := startDev(t, "--listen", d.address, "--insecure")
	_, err = folder.For(plain.address)
	require.ErrorIs(t, err, profile.ErrNone)
	about, err := ask(t, plain.address, insecure.NewCredentials())
	require.NoError(t, err)
	require.Equal(t, remote.Peer{}, about.Peer)
	_, err = os.Stat(filepath.Join(plain.data, "pki"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestDevRunsWithoutAPlaceForItsProfile(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(t.TempDir(), "file"))
	require.NoError(t, os.WriteFile(os.Getenv("XDG_CONFIG_HOME"), nil, 0o600))
	c := start(t, "dev", "--agents", "1", "--region-servers", "0", "--http", "127.0.0.1:0", "--listen", "127.0.0.1:0")
	c.logs(`level=WARN msg="no profile for benchctl was written: set XDG_CONFIG_HOME to a folder of this user, or start with --insecure"`)
	c.logs(`coordinator listens.* tls=true`)
}
