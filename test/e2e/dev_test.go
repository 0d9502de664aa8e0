//go:build integration

package e2e

import (
	"bytes"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/test/testcluster"
)

// A user who starts benchd dev needs no flag of benchctl: a profile has address and certificate, also after a process that was killed.
func TestBenchctlConnectsToDevByItsProfile(t *testing.T) {
	t.Parallel() // it waits most of the time
	address := "127.0.0.1:" + testcluster.Port(t)
	dev := func() *testcluster.Process {
		p := testcluster.Start(t, nil, "benchd", "dev", "--listen", address, "--http", "127.0.0.1:0", "--region-servers", "0")
		p.Says("coordinator listens")
		return p
	}
	benchctl := func(code int, args ...string) string {
		t.Helper()
		var out bytes.Buffer
		p := testcluster.Start(t, &out, "benchctl", args...)
		require.Equal(t, code, p.Exit(testcluster.Patience), "benchctl %v: %s", args, p.Log())
		return out.String()
	}
	killed := dev()
	benchctl(0, "submit", "--db", "null", "--agents", "2", "--wait-agents", "30s", "-p", "recordcount=10", "-p", "operationcount=100", "--wait")
	require.Contains(t, benchctl(0, "agents"), "local-2")
	require.Contains(t, benchctl(0, "profiles"), address)
	benchctl(0, "list", "--coordinator", strings.Replace(address, "127.0.0.1", "localhost", 1))
	require.Contains(t, benchctl(0, "audit"), "admin")
	benchctl(5, "list", "--profile", "off", "--coordinator", address)
	killed.Signal(os.Kill)
	killed.Exit(testcluster.Patience)

	ended := dev()
	require.NotContains(t, benchctl(0, "list"), "null run", "the archive of the first process was temporary")
	ended.Signal(syscall.SIGTERM)
	require.Zero(t, ended.Exit(testcluster.Patience), ended.Log())
	require.JSONEq(t, "[]", benchctl(0, "profiles", "-o", "json"))
}
