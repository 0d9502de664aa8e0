package scripts

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// fakeClients stands for benchctl: its CPU time and operations grow with the duration. gohbase does half of the operations.
const fakeClients = `#!/usr/bin/env bash
rate=2000 seconds=0 failed=${FAKE_FAILED:-0}
for word in "$@"; do
	[[ $word != hbase.client=gohbase ]] || rate=1000
	[[ ! $word =~ ^([0-9]+)s$ ]] || seconds=${BASH_REMATCH[1]}
done
for ((i = 0; i < seconds * 8000; i++)); do :; done
cat <<END
{"phases": [{"name": "measure", "ops": $((rate * seconds)), "throughput": $rate, "operations": [
  {"op": "READ", "outcome": "OK", "count": 9, "p50_us": $((100000 / rate)), "p99_us": 700.5},
  {"op": "UPDATE", "outcome": "TIMEOUT", "count": $failed, "p50_us": null, "p99_us": null}]}]}
END
`

func benchClients(t *testing.T, benchctl string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "benchctl")
	require.NoError(t, os.WriteFile(path, []byte(benchctl), 0o700))
	script, err := filepath.Abs(filepath.Join("..", "..", "scripts", "bench-clients"))
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), script, append([]string{
		"--quorum", "127.0.0.1:2181", "--benchctl", path, "--out", filepath.Join(dir, "out"), "--workloads", "workloada", "--threads", "1",
		"--pairs", "2", "--seconds", "4",
	}, args...)...)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err = cmd.Run()
	return out.String(), errOut.String(), err
}

func TestBenchClientsPrintsMediansOfPairs(t *testing.T) {
	stdout, stderr, err := benchClients(t, fakeClients)
	require.NoError(t, err, stderr)
	for _, loop := range []string{"closed, threads: 1", "open, 1000/s, threads: 16"} {
		require.Regexp(t, `(?m)^\| workloada \| `+loop+` \| native \| 2000 \(2000–2000\) \| [0-9.]+ \([0-9.]+–[0-9.]+\) \| 50 \(50–50\) \| 700 \(700–700\) \| [0-9]+ \([0-9]+–[0-9]+\) \|
\| \| \| gohbase \| 1000 \(1000–1000\) \| [0-9.]+ \([0-9.]+–[0-9.]+\) \| 100 \(100–100\) \| 700 \(700–700\) \| \|
\| \| \| native/gohbase \| 2\.00 \(2\.00–2\.00\) \| [0-9.]+ \([0-9.]+–[0-9.]+\) \| 0\.50 \(0\.50–0\.50\) \| 1\.00 \(1\.00–1\.00\) \| \|$`, stdout)
	}
}

func TestBenchClientsEndsWithAnError(t *testing.T) {
	for name, test := range map[string]struct {
		benchctl, want string
		args           []string
	}{
		"a client fails":       {"#!/bin/sh\necho 'benchctl: no such table' >&2\nexit 1\n", "benchctl: no such table\n", nil},
		"operations fail":      {"#!/usr/bin/env bash\nFAKE_FAILED=3\n" + fakeClients, "native had 3 operations that failed", nil},
		"a server that stalls": {"#!/bin/sh\nprintf '%s' '{\"phases\":[{\"name\":\"measure\",\"ops\":5,\"throughput\":1,\"operations\":[{\"op\":\"READ\",\"outcome\":\"OK\",\"p50_us\":1,\"p99_us\":2}]}]}'\n", "try 3: native did 5 operations in 1 s and only 5 in 4 s\nbench-clients: the machine is too busy", nil},
		"no such workload":     {fakeClients, "there is no workload workloadx", []string{"--workloads", "workloadx"}},
		"too short runs":       {fakeClients, "--seconds must be above --base", []string{"--seconds", "1"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, stderr, err := benchClients(t, test.benchctl, test.args...)
			require.Error(t, err)
			require.Contains(t, stderr, test.want)
			require.NotContains(t, stderr, "unbound variable")
		})
	}
}
