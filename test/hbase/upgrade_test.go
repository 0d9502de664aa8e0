//go:build hbase

package hbase

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/test/testcluster"
)

// The suite of a rolling upgrade measures a real one, from HBase 2.4 to 2.6, whose master and region servers are upgraded by hooks while
// the load goes on. Only the suite's times are shorter here. All that was acknowledged is counted by HBase's own client afterwards,
// and the comparison of before and after names both versions.
func TestARollingUpgradeIsMeasured(t *testing.T) {
	const from, to, table, rows = "2.4.18", "2.6.4", "upgraded", 3000
	s := launchHBase(t, three, 3, "--version", from)
	t.Cleanup(func() {
		s.logStatus(t)
		s.stop()
	})
	h := testcluster.New(t)
	upgrade := func(name, process string) string {
		return fmt.Sprintf("upgrade-%s=timeout 2m '%s' upgrade --process %s --version %s --dir '%s'", name, script(), process, to, s.dir)
	}
	h.Agent("a", "--hook", upgrade("master", "master"), "--hook", upgrade("1", "regionserver-1"), "--hook", upgrade("2", "regionserver-2"), "--hook", upgrade("3", "regionserver-3"))
	h.Agent("b")
	h.Connected(2)

	text, err := os.ReadFile(filepath.Join(testcluster.Root(), "configs", "suites", "rolling-upgrade.yaml"))
	require.NoError(t, err)
	short := string(text)
	for long, time := range map[string]string{"warmup: 1m": "warmup: 1s", "{at: 1m,": "{at: 3s,", "{at: 11m,": "{at: 25s,", "{at: 21m,": "{at: 40s,", "{at: 31m,": "{at: 55s,", "hbase.splits: 60": "hbase.splits: 6"} {
		require.Equal(t, 1, strings.Count(short, long), long)
		short = strings.Replace(short, long, time, 1)
	}
	file := filepath.Join(t.TempDir(), "upgrade.yaml")
	require.NoError(t, os.WriteFile(file, []byte(short), 0o600))
	stdout, stderr, code := testcluster.Run(t, 15*time.Minute, "benchctl", "submit", "-f", file, "--wait", "-o", "json", "--coordinator", h.Address,
		"--var", "quorum="+s.quorum, "--var", "table="+table, "--var", fmt.Sprint("rows=", rows), "--var", "rate=100", "--var", "length=5s", "--var", "during=90s", "--var", "repeats=2")
	require.Zero(t, code, stderr)
	var suite result.Suite
	require.NoError(t, json.Unmarshal([]byte(stdout), &suite))
	require.Equal(t, result.Complete, suite.Status)
	require.Len(t, suite.Runs, 6)
	for _, r := range suite.Runs {
		require.True(t, r.Reconcile.OK, r.ID)
		measure := r.Subject()
		if r.Case != "upgrade" {
			faultless(t, r)
			continue
		}
		var steps []string
		for _, e := range measure.Events {
			if strings.Contains(e.Text, "upgrade-") {
				steps = append(steps, e.Text)
			}
		}
		t.Logf("during the upgrade: %v", steps)
		for _, name := range []string{"upgrade-master", "upgrade-1", "upgrade-2", "upgrade-3"} {
			require.Contains(t, strings.Join(steps, "\n"), name)
		}
	}
	require.EqualValues(t, rows, s.rows(t, table))
	stdout, stderr, code = h.Ctl("compare", suite.ID+":before", suite.ID+":after")
	require.Zero(t, code, stderr)
	t.Log(stdout)
	require.Regexp(t, `(?m)^differs .*`+from+`.*`+to, stdout)
}
