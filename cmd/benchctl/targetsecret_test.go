package main

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/dev"
	"github.com/benchd/benchd/internal/secret"
	"github.com/benchd/benchd/internal/target"
	"github.com/benchd/benchd/test/mapdb"
)

// A target's password reaches its driver, telemetry and actions, and no output.
func TestASecretOfATargetIsReadWhereverItIsUsed(t *testing.T) {
	targets := target.List{mapdb.Target()}
	folder := t.TempDir()
	for name, content := range map[string]string{"password": mapdb.Password, "wrong": mapdb.Password + "!"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(content+"\n"), 0o600))
	}
	benchctl := func(args ...string) (out, errOut string, err error) {
		t.Helper()
		var o, e bytes.Buffer
		err = program(targets).Run(t.Context(), append(args, "--log-level", "debug"), cli.Streams{In: strings.NewReader(""), Out: &o, Err: &e})
		printed := o.String() + e.String()
		if err != nil {
			printed += err.Error()
		}
		require.NotContains(t, printed, mapdb.Password, "%q", args)
		return o.String(), e.String(), err
	}
	good := func(args ...string) string {
		t.Helper()
		out, errOut, err := benchctl(args...)
		require.NoError(t, err, errOut)
		return out
	}

	count := []string{"admin", "map", "count", "-p", "map.password=file:password"}
	require.Contains(t, good(append(count, "--local", "--secrets", folder)...), "0")
	_, _, err := benchctl(append(count, "--local")...)
	require.ErrorContains(t, err, "map.password: resolve file:password: the agent releases no files")
	_, _, err = benchctl("admin", "map", "count", "-p", "map.password=file:wrong", "--local", "--secrets", folder)
	require.ErrorContains(t, err, "the map does not accept the password (map.password)")
	_, _, err = benchctl(append(count, "--coordinator", "127.0.0.1:1", "--secrets", folder)...)
	require.ErrorContains(t, err, "--secrets is valid only with --local")
	_, _, err = benchctl(append(count, "--coordinator", "127.0.0.1:1", "--target-tls-ca", "ca.pem")...)
	require.ErrorContains(t, err, "--target-tls-… are valid only with --local")
	_, _, err = benchctl("admin", "map", "count", "--local", "-p", "map.password="+mapdb.Password)
	require.ErrorContains(t, err, "-p: map.password: a secret is given by reference")

	run := []string{
		"run", "--db", "map", "--phase", "load,run", "-q", "-o", "json", "--target", "500", "--duration", "1500ms", "-p", "recordcount=100",
		"-p", "readproportion=1", "-p", "updateproportion=0", "-p", "after.load=count", "-p", "telemetry.interval=200ms", "--secrets", folder,
	}
	out := good(append(run, "-p", "map.password=file:password")...)
	require.Contains(t, out, `"name": "map.rows"`, "it is watched")
	require.Contains(t, out, `"map.password": "file:password"`)
	_, errOut, err := benchctl(append(run, "-p", "map.password=file:wrong")...)
	require.Error(t, err)
	require.Contains(t, errOut, "the map does not accept the password")

	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	cluster, err := dev.Start(t.Context(), dev.Config{
		Agents: 1, Listener: l, Version: "test", Targets: targets, Secrets: secret.Resolver{Folders: []string{folder}},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, cluster.Close()) }()
	require.Contains(t, good(append(count, "--coordinator", l.Addr().String())...), "0")
	out, _, _ = benchctl("doctor", "--coordinator", l.Addr().String(), "--db", "map", "-p", "map.password=file:password", "-o", "json") // this machine may be busy
	require.Contains(t, out, "reports 1 servers")
	out, _, _ = benchctl("doctor", "--coordinator", l.Addr().String(), "--db", "map", "-p", "map.password=file:wrong", "-o", "json")
	require.Contains(t, out, "the map does not accept the password")
}
