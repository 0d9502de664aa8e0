package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/target"
	"github.com/benchd/benchd/test/mapdb"
)

// A target's password is read from what --secrets releases, as by an agent, and is not printed.
func TestTheDoctorReadsSecretsOfATarget(t *testing.T) {
	folder := t.TempDir()
	for name, content := range map[string]string{"password": mapdb.Password, "wrong": mapdb.Password + "!"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(content+"\n"), 0o600))
	}
	p := cli.Program{Name: "benchd", LogLevel: "debug", Commands: func() []cli.Command {
		return []cli.Command{doctorCommand(target.List{mapdb.Target()})}
	}}
	doctor := func(args ...string) string {
		t.Helper()
		var out, errOut bytes.Buffer
		err := p.Run(t.Context(), append([]string{
			"doctor", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--data", t.TempDir(), "--db", "map",
		}, args...), cli.Streams{Out: &out, Err: &errOut})
		printed := out.String() + errOut.String()
		if err != nil { // this machine may be busy
			printed += err.Error()
		}
		require.NotContains(t, printed, mapdb.Password)
		return printed
	}
	require.Contains(t, doctor("--secrets", folder, "-p", "map.password=file:password"), "a map of 0 rows")
	require.Contains(t, doctor("--secrets", folder, "-p", "map.password=file:wrong"), "the map does not accept the password")
	require.Contains(t, doctor("-p", "map.password=file:password"), "map.password: resolve file:password: the agent releases no files")
}
