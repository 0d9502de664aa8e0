//go:build integration

package e2e

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
)

// slow is a run that would go on for long.
var slow = []string{"-p", "recordcount=1000", "-p", "null.service=constant 1ms", "--duration", "10m"}

func TestCancelEndsARunWithinFiveSeconds(t *testing.T) {
	h := newHouse(t)
	h.agents("a", "b")
	waiting := start(t, nil, "benchctl", append([]string{"submit", "--db", "null", "--wait", "--coordinator", h.address}, slow...)...)
	id := h.running()
	begin := time.Now()
	_, stderr, code := h.ctl("cancel", id)
	require.Zero(t, code, stderr)
	require.Equal(t, 4, waiting.exit(5*time.Second))
	require.Less(t, time.Since(begin), 5*time.Second)
	r := h.show(id)
	require.Equal(t, result.Cancelled, r.Status)
	require.True(t, r.Reconcile.OK)
	require.NotZero(t, r.Reconcile.Merged, "what was measured is kept")
}

func TestInterruptCancelsWhenToldTo(t *testing.T) {
	h := newHouse(t)
	h.agents("a")
	waiting := start(t, nil, "benchctl",
		append([]string{"submit", "--db", "null", "--wait", "--cancel-on-interrupt", "--coordinator", h.address}, slow...)...)
	id := h.running()
	waiting.signal(os.Interrupt)
	require.Equal(t, 4, waiting.exit(5*time.Second))
	require.Equal(t, "cancelled", h.status(id))
}

func TestInterruptWithoutATerminalDetaches(t *testing.T) {
	h := newHouse(t)
	h.agents("a")
	waiting := start(t, nil, "benchctl", append([]string{"submit", "--db", "null", "--wait", "--coordinator", h.address}, slow...)...)
	id := h.running()
	waiting.signal(os.Interrupt)
	waiting.exit(5 * time.Second)
	waiting.says("benchctl cancel " + id)
	require.Equal(t, "running", h.status(id))
}

func TestATerminatedAgentFailsTheRun(t *testing.T) {
	h := newHouse(t)
	agents := h.agents("a", "b")
	waiting := start(t, nil, "benchctl", append([]string{"submit", "--db", "null", "--wait", "--coordinator", h.address}, slow...)...)
	id := h.running()
	agents[1].signal(terminate)
	require.Zero(t, agents[1].exit(5*time.Second))
	require.Equal(t, 1, waiting.exit(5*time.Second))
	r := h.show(id)
	require.Equal(t, result.Failed, r.Status)
	require.Contains(t, r.Reason, "agent b")
	require.Len(t, r.Missing, 1)
	require.Contains(t, r.Missing[0], "agent b")
	require.True(t, r.Reconcile.OK, "what it did it has told")
}

func TestATerminatedAgentLeavesThePartOfTheOthers(t *testing.T) {
	h := newHouse(t)
	agents := h.agents("a", "b")
	waiting := start(t, nil, "benchctl", "submit", "--db", "null", "--wait", "--coordinator", h.address, "--on-agent-loss", "continue",
		"-p", "recordcount=1000", "-p", "null.service=constant 1ms", "--duration", "6s")
	id := h.running()
	agents[1].signal(terminate)
	require.Equal(t, 4, waiting.exit(patience))
	r := h.show(id)
	require.Equal(t, result.Partial, r.Status)
	require.Len(t, r.Missing, 1)
	require.Contains(t, r.Missing[0], "agent b")
	require.InDelta(t, 6, r.Phases[0].Seconds, 0.01)
}

func TestAStoppedCoordinatorDetachesAndTheRunEndsComplete(t *testing.T) {
	h := newHouse(t)
	h.agents("a", "b")
	waiting := start(t, nil, "benchctl", "submit", "--db", "null", "--wait", "--coordinator", h.address,
		"-p", "recordcount=1000", "-p", "null.service=constant 1ms", "--duration", "12s", "--interval", "500ms")
	id := h.running()
	h.coordinator.signal(terminate)
	require.Zero(t, h.coordinator.exit(5*time.Second))
	h.open()
	require.Zero(t, waiting.exit(patience), "who waits outlives the restart")
	r := h.show(id)
	honest(t, r, 2)
	require.InDelta(t, 12, r.Phases[0].Seconds, 0.001)
}

// running waits until a run is being executed and windows have come, and gives its suite's id.
func (h *house) running() string {
	h.t.Helper()
	var id string
	eventually(h.t, patience, func() bool {
		stdout, _, _ := h.ctl("list", "-o", "json")
		id = newest(stdout)
		return id != "" && h.status(id) == "running" && len(h.show(id).Phases) > 0
	}, "a run should be running")
	return id
}

// newest gives the id of the newest suite in the output of list -o json.
func newest(text string) string {
	var suites []struct {
		ID string `json:"id"`
	}
	if json.Unmarshal([]byte(text), &suites) != nil || len(suites) == 0 {
		return ""
	}
	return suites[0].ID
}
