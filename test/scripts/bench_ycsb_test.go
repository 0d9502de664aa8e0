package scripts

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The fake clients take longer for more operations, as bench-ycsb requires.
const (
	fakeBenchctl = `#!/usr/bin/env bash
if [[ $1 == --version ]]; then echo "benchctl test"; exit; fi
for word in "$@"; do [[ $word != operationcount=* ]] || n=${word#*=}; done
for ((i = 0; i < n; i++)); do :; done
echo '"outcome": "OK",'
echo "\"merged\": $n,"
`
	goodYCSB = `#!/usr/bin/env bash
for word in "$@"; do [[ $word != operationcount=* ]] || n=${word#*=}; done
for ((i = 0; i < n; i++)); do :; done
echo "[OVERALL], Throughput(ops/sec), 1.0"
echo "[READ], Return=OK, $n"
`
)

// benchYCSB runs the script with fakes of Java with YCSB, and of benchctl.
func benchYCSB(t *testing.T, java, benchctl string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o700))
		return path
	}
	write("java/bin/java", java)
	write("ycsb/lib/core-1.jar", "")
	write("ycsb/lib/hbase2-binding-1.jar", "")
	write("ycsb/workloads/workloadc", "readproportion=1\n")
	script, err := filepath.Abs(filepath.Join("..", "..", "scripts", "bench-ycsb"))
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), script, append([]string{
		"--ycsb", filepath.Join(dir, "ycsb"), "--quorum", "127.0.0.1:2181", "--benchctl", write("benchctl", benchctl),
		"--out", filepath.Join(dir, "out"), "--workloads", "workloadc", "--threads", "1", "--ops", "400000", "--base", "1", "--pairs", "2",
	}, args...)...)
	cmd.Env = append(os.Environ(), "JAVA_HOME="+filepath.Join(dir, "java"))
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err = cmd.Run()
	return out.String(), errOut.String(), err
}

func TestBenchYCSBShowsWhyYCSBFailed(t *testing.T) {
	for name, test := range map[string]struct {
		java, benchctl string
		args           []string
		want           []string
	}{
		"an exception, and exit code 0 as YCSB has it": {
			"#!/bin/sh\necho 'site.ycsb.DBException: Table usertable not found' >&2\n", fakeBenchctl, nil,
			[]string{"site.ycsb.DBException: Table usertable not found\n", "bench-ycsb: YCSB gave no result"},
		},
		"no start": {
			"#!/bin/sh\necho 'Error: Could not find or load main class site.ycsb.Client' >&2\nexit 1\n", fakeBenchctl, nil,
			[]string{"Could not find or load main class", "bench-ycsb: it ended with an error: "},
		},
		"failed operations": {
			"#!/bin/sh\necho '[OVERALL], Throughput(ops/sec), 1.0'\necho '[READ], Return=OK, 1'\necho '[READ], Return=NOT_FOUND, 7'\necho 'no such row' >&2\n", fakeBenchctl, nil,
			[]string{"[READ], Return=NOT_FOUND, 7\n", "no such row\n", "bench-ycsb: YCSB had operations that failed"},
		},
		"benchd": {
			goodYCSB, "#!/bin/sh\ntest \"$1\" != --version || exit 0\necho 'benchctl: no such table' >&2\nexit 1\n", nil,
			[]string{"benchctl: no such table\n", "bench-ycsb: it ended with an error: "},
		},
		"no such workload": {
			goodYCSB, fakeBenchctl,
			[]string{"--workloads", "workloadx"},
			[]string{"bench-ycsb: there is no workload workloadx"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, stderr, err := benchYCSB(t, test.java, test.benchctl, test.args...)
			require.Error(t, err)
			for _, want := range test.want {
				require.Contains(t, stderr, want)
			}
			require.NotContains(t, stderr, "unbound variable")
		})
	}
}

func TestBenchYCSBComparesPairs(t *testing.T) {
	stdout, stderr, err := benchYCSB(t, goodYCSB, fakeBenchctl)
	require.NoError(t, err, stderr)
	require.Regexp(t, `(?m)^\| workloadc \| 1 \| [0-9.]+ \([0-9.]+ to [0-9.]+\) \| [0-9.]+ \([0-9.]+ to [0-9.]+\) \|$`, stdout)
}
