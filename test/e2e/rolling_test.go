//go:build integration

package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/test/testcluster"
)

// The suite of a rolling restart restarts each server of a cluster once, by hooks of the agent, while clients work, and no operation
// fails.
func TestARollingRestartByHooksLosesNoOperation(t *testing.T) {
	t.Parallel() // it waits most of the time
	quorum, info := "127.0.0.1:"+testcluster.Port(t), "127.0.0.1:"+testcluster.Port(t)
	sandbox := testcluster.Start(t, nil, "benchd", "sandbox", "--zookeeper", quorum, "--info", info, "--region-servers", "3")
	sandbox.Says("sandbox is up")
	h := testcluster.New(t)
	var hooks []string
	for server := range 3 {
		hooks = append(hooks, "--hook", fmt.Sprintf("restart-%d='%s' sandbox restart %d --sandbox %s", server+1, testcluster.Program("benchctl"), server+1, info))
	}
	h.Agent("a", hooks...)
	h.Connected(1)

	stdout, stderr, code := h.Ctl("submit", "-f", filepath.Join(testcluster.Root(), "configs", "suites", "rolling-restart.yaml"), "--db", "hbase",
		"--var", "quorum="+quorum, "--var", "rows=2000", "--var", "rate=200", "--var", "first=2s", "--var", "second=5s", "--var", "third=8s", "--var", "length=12s",
		"-p", "threads.total=4", "-p", "warmup=1s", "-p", "hbase.splits=6", "--wait", "-o", "json")
	require.Zero(t, code, stderr)
	var s result.Suite
	require.NoError(t, json.Unmarshal([]byte(stdout), &s))
	require.Equal(t, result.Complete, s.Status)
	var events []string
	for _, run := range s.Runs {
		testcluster.RequireConsistent(t, run, 1)
		for _, p := range run.Phases {
			for _, o := range p.Operations {
				require.Equal(t, "OK", o.Outcome, "%s in %s", o.Op, run.Case)
			}
			for _, e := range p.Events {
				events = append(events, run.Case+": "+e.Text)
			}
		}
	}
	text := strings.Join(events, "\n")
	for server := range 3 {
		require.Equal(t, 1, strings.Count(text, fmt.Sprintf("rolling restart: hook restart-%d begins", server+1)), text)
	}
	require.NotContains(t, text, "undisturbed: hook")
	require.Contains(t, text, "was restarted")
}
