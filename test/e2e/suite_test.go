//go:build integration

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/test/testcluster"
)

const tenRuns = `
suite: ten
properties: {db: "null", recordcount: 1000, readproportion: 0.5, updateproportion: 0, insertproportion: 0.5, duration: 2500ms, interval: 100ms, null.service: constant 1ms}
datasets: {plain: {load: false}}
scenarios: [{name: r, dataset: plain, repeats: 10}]
`

func suiteFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "suite.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

func submitted(t *testing.T, h *testcluster.Cluster, args ...string) string {
	t.Helper()
	out, stderr, code := h.Ctl(append([]string{"submit"}, args...)...)
	require.Zero(t, code, stderr)
	return strings.TrimSpace(out)
}

func kill(p *testcluster.Process) {
	p.Signal(syscall.SIGKILL)
	p.Exit(testcluster.Patience)
}

func showSuite(t *testing.T, h *testcluster.Cluster, id string) result.Suite {
	t.Helper()
	out, stderr, code := h.Ctl("show", id, "-o", "json")
	require.Zero(t, code, stderr)
	var s result.Suite
	require.NoError(t, json.Unmarshal([]byte(out), &s))
	return s
}

// A coordinator is killed in the fifth of ten runs: the earlier runs are not repeated, and the suite ends complete.
func TestASuiteIsResumedAfterItsCoordinatorWasKilled(t *testing.T) {
	t.Parallel() // it waits most of the time
	h := testcluster.New(t)
	h.Agents("a")
	id := submitted(t, h, "-f", suiteFile(t, tenRuns))
	h.Until(id+".5", "running")
	kill(h.Coordinator)
	h.Open()
	h.Connected(1)
	resumed := submitted(t, h, "--resume", id)
	require.Equal(t, id, resumed)
	h.Until(id, "complete")
	s := showSuite(t, h, id)
	require.Len(t, s.Runs, 10, "no run was repeated: the fifth continued")
	require.Equal(t, result.Complete, s.Status)
	for i, r := range s.Runs {
		require.Equal(t, result.Complete, r.Status, "%s: %s", r.ID, r.Reason)
		require.True(t, r.Reconcile.OK)
		require.Equal(t, s.Ran[i].Run, r.ID)
	}
}

// The agent is killed, too: then the fifth run has failed, and those after it did not start.
func TestASuiteWhoseAgentWasKilledIsResumed(t *testing.T) {
	t.Parallel() // it waits most of the time
	h := testcluster.New(t)
	a := h.Agents("a")[0]
	id := submitted(t, h, "-f", suiteFile(t, tenRuns))
	h.Until(id+".5", "running")
	kill(h.Coordinator)
	kill(a)
	h.Open()
	h.Agent("a")
	h.Until(id, "failed")
	before := showSuite(t, h, id)
	require.Len(t, before.Runs, 10)
	require.Equal(t, id, submitted(t, h, "--resume", id, "--wait-agents", "1m"))
	h.Until(id, "complete")
	s := showSuite(t, h, id)
	var statuses []string
	bases := make(map[string]bool)
	for _, r := range s.Runs {
		statuses = append(statuses, fmt.Sprintf("%s %d %s", strings.TrimPrefix(r.ID, id), r.Repeat, r.Status))
		if r.Status == result.Complete {
			require.False(t, bases[r.Resolved["insertbase"]], "no two runs insert the same rows")
			bases[r.Resolved["insertbase"]] = true
		}
	}
	require.Len(t, s.Runs, 16, "%s", statuses)
	for i, r := range s.Runs {
		switch {
		case i < 4, i >= 10:
			require.Equal(t, result.Complete, r.Status, "%s", statuses)
		default:
			require.NotEqual(t, result.Complete, r.Status, "%s", statuses)
			require.Equal(t, s.Runs[i+6].ID, r.ReplacedBy)
		}
	}
	require.Equal(t, before.Runs[3].Phases, s.Runs[3].Phases, "ended runs are unchanged")
}
