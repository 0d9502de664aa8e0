package scripts

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// benchRecovery runs the script in a folder with the files of a test; it never starts an HBase.
func benchRecovery(t *testing.T, dir string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	script, err := filepath.Abs(filepath.Join("..", "..", "scripts", "bench-recovery"))
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), script, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "JAVA_HOME="+filepath.Join(dir, "java"))
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err = cmd.Run()
	return out.String(), errOut.String(), err
}

// recoveryFiles returns fakes of Java, benchctl, scripts/hbase and YCSB's jars.
func recoveryFiles(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"java/bin/java":                 "#!/bin/sh\n",
		"benchctl":                      "#!/bin/sh\necho benchctl test\n",
		"hbase":                         "#!/bin/sh\necho 'hbase: there is no mvn' >&2\nexit 1\n",
		"core/lib/core-1.jar":           "",
		"ycsb/lib/core-1.jar":           "",
		"ycsb/lib/hbase2-binding.jar":   "",
		"ycsb/lib/hbase2-binding-1.jar": "",
		"ycsb/workloads/workloada":      "readproportion=0.5\nupdateproportion=0.5\n",
	} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o700))
	}
	return dir
}

func TestBenchRecoveryRejectsInvalidOptions(t *testing.T) {
	dir := recoveryFiles(t)
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"no YCSB":                         {nil, "--ycsb DIR is needed: see --help"},
		"no build of YCSB":                {[]string{"--ycsb", "none"}, "none holds no build of YCSB: there is no lib/core-*.jar in it"},
		"no binding":                      {[]string{"--ycsb", "core"}, "core has no hbase2 binding: there is no lib/hbase2-binding-*.jar in it"},
		"no benchctl":                     {[]string{"--ycsb", "ycsb", "--benchctl", "none"}, "there is no none: run make build"},
		"no value":                        {[]string{"--ycsb"}, "unknown option --ycsb, or its value is missing: see --help"},
		"unknown option":                  {[]string{"--rounds", "3"}, "unknown option --rounds: see --help"},
		"unknown kind":                    {[]string{"--ycsb", "ycsb", "--kinds", "kill,pause"}, "unknown kind pause: want kill, stop or both with a comma"},
		"no number":                       {[]string{"--ycsb", "ycsb", "--pairs", "many"}, "'many' is not a whole number above 0"},
		"too short":                       {[]string{"--ycsb", "ycsb", "--before", "5"}, "--before must be at least 9: throughput before the fault is the mean of 8 s"},
		"too few regions":                 {[]string{"--ycsb", "ycsb", "--regions", "2"}, "--regions must be at least 3, one for each region server"},
		"no workload":                     {[]string{"--ycsb", "ycsb", "--workload", "workloadx"}, "there is no workload workloadx"},
		"an HBase that cannot be started": {[]string{"--ycsb", "ycsb"}, "HBase does not start: see above"},
	} {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"--benchctl", "./benchctl", "--hbase", "./hbase", "--out", filepath.Join(t.TempDir(), "out")}, test.args...)
			_, stderr, err := benchRecovery(t, dir, args...)
			require.Error(t, err)
			lines := strings.Split(strings.TrimSpace(stderr), "\n")
			require.Equal(t, "bench-recovery: "+test.want, lines[len(lines)-1], stderr)
			if name != "an HBase that cannot be started" {
				require.Len(t, lines, 1, stderr)
			}
		})
	}
}

// The bound of ten paired differences is the ninth in order, of eight the seventh, and of four there is none.
func TestBenchRecoverySummarizesPairs(t *testing.T) {
	for pairs, want := range map[int][2]string{
		10: {"median -4.5 s, upper 95 % bound -1.0 s (number 9 of 10 in order, sign test)", "median -5.5 s, upper 95 % bound -2.0 s (number 9 of 10 in order, sign test)"},
		8:  {"median -3.5 s, upper 95 % bound -1.0 s (number 7 of 8 in order, sign test)", "median -4.5 s, upper 95 % bound -2.0 s (number 7 of 8 in order, sign test)"},
		6:  {"median -2.5 s, upper 95 % bound 0.0 s (number 6 of 6 in order, sign test)", "median -3.5 s, upper 95 % bound -1.0 s (number 6 of 6 in order, sign test)"},
		4:  {"median -1.5 s, no upper 95 % bound: it takes five pairs or more", "median -2.5 s, no upper 95 % bound: it takes five pairs or more"},
	} {
		t.Run(strconv.Itoa(pairs), func(t *testing.T) {
			dir := recoveryFiles(t)
			args := []string{
				"--benchctl", "./benchctl", "--hbase", "./hbase", "--out", "out", "--ycsb", "ycsb", "--kinds", "kill", "--pairs", strconv.Itoa(pairs),
			}
			_, _, err := benchRecovery(t, dir, args...) // it leaves the settings
			require.Error(t, err)
			var trials strings.Builder
			trials.WriteString("kind,pair,client,before_ops_s,regions_lost,last_open_s,dip_s,back,within,failed,after_ops_s,longest_op_s\n")
			for i := range pairs {
				fmt.Fprintf(&trials, "kill,%d,benchd,1000,3,14.0,15.0,yes,yes,0,1000,6.0\n", i+1)
				fmt.Fprintf(&trials, "kill,%d,java,1000,3,13.0,%d.0,%s,2,1000,9.0\n", i+1, 15+i, map[bool]string{true: "no,unknown", false: "yes,no"}[i == 0])
			}
			require.NoError(t, os.WriteFile(filepath.Join(dir, "out", "trials.csv"), []byte(trials.String()), 0o600))
			stdout, stderr, err := benchRecovery(t, dir, append(args, "--resume")...)
			require.NoError(t, err, stderr)
			require.Contains(t, stdout, fmt.Sprintf("| benchd | %d of %d | 0 | 15.0 s | 15.0 s | 1.0 s |\n", pairs, pairs))
			require.Contains(t, stdout, fmt.Sprintf("| java | 0 of %d | %d |", pairs, 2*pairs))
			require.Contains(t, stdout, "1 trials ended before the bound without 90 %: --after was too short for them.\n")
			require.Contains(t, stdout, "the dips (benchd - Java), kill: "+want[0]+"\n")
			require.Contains(t, stdout, "from the last region to 90 % (benchd - Java), kill: "+want[1]+"\n")

			_, stderr, err = benchRecovery(t, dir, append(args, "--resume", "--threads", "8")...)
			require.Error(t, err)
			require.Contains(t, stderr, "has other settings")
		})
	}
}

func TestHBaseRefusesAPropertyWithoutAValue(t *testing.T) {
	script, err := filepath.Abs(filepath.Join("..", "..", "scripts", "hbase"))
	require.NoError(t, err)
	for _, property := range []string{"hbase.rpc.timeout", "a=<b>", "=5000"} {
		out, err := exec.CommandContext(t.Context(), script, "up", "--set", property).CombinedOutput()
		require.Error(t, err)
		require.Equal(t, "hbase: --set takes NAME=VALUE, not '"+property+"'\n", string(out))
	}
}
