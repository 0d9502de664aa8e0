//go:build integration

package e2e

import (
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/tolerance"
	"github.com/benchd/benchd/test/testcluster"
)

// slow is a run that takes longer than the tests.
var slow = []string{"-p", "recordcount=1000", "-p", "null.service=constant 1ms", "--duration", "10m"}

func TestCancelEndsARunWithinFiveSeconds(t *testing.T) {
	t.Parallel() // it waits most of the time
	h := testcluster.New(t)
	h.Agents("a", "b")
	waiting := testcluster.Start(t, nil, "benchctl", append([]string{"submit", "--db", "null", "--wait", "--coordinator", h.Address}, slow...)...)
	id := h.Running()
	begin := time.Now()
	_, stderr, code := h.Ctl("cancel", id)
	require.Zero(t, code, stderr)
	require.Equal(t, 4, waiting.Exit(testcluster.Patience))
	tolerance.Within(t, begin, 5*time.Second)
	r := h.Show(id)
	require.Equal(t, result.Cancelled, r.Status)
	require.True(t, r.Reconcile.OK)
	require.NotZero(t, r.Reconcile.Merged, "what was measured is kept")
}

func TestInterruptCancelsWithTheFlag(t *testing.T) {
	t.Parallel() // it waits most of the time
	h := testcluster.New(t)
	h.Agents("a")
	waiting := testcluster.Start(t, nil, "benchctl",
		append([]string{"submit", "--db", "null", "--wait", "--cancel-on-interrupt", "--coordinator", h.Address}, slow...)...)
	id := h.Running()
	waiting.Signal(os.Interrupt)
	require.Equal(t, 4, waiting.Exit(testcluster.Patience))
	require.Equal(t, "cancelled", h.Status(id))
}

func TestInterruptWithoutATerminalDetaches(t *testing.T) {
	t.Parallel() // it waits most of the time
	h := testcluster.New(t)
	h.Agents("a")
	waiting := testcluster.Start(t, nil, "benchctl", append([]string{"submit", "--db", "null", "--wait", "--coordinator", h.Address}, slow...)...)
	id := h.Running()
	waiting.Signal(os.Interrupt)
	waiting.Exit(testcluster.Patience)
	waiting.Says("benchctl cancel " + id)
	require.Equal(t, "running", h.Status(id))
}

func TestATerminatedAgentFailsTheRun(t *testing.T) {
	t.Parallel() // it waits most of the time
	h := testcluster.New(t)
	agents := h.Agents("a", "b")
	waiting := testcluster.Start(t, nil, "benchctl", append([]string{"submit", "--db", "null", "--wait", "--coordinator", h.Address}, slow...)...)
	id := h.Running()
	agents[1].Signal(syscall.SIGTERM)
	require.Zero(t, agents[1].Exit(testcluster.Patience))
	require.Equal(t, 1, waiting.Exit(testcluster.Patience))
	r := h.Show(id)
	require.Equal(t, result.Failed, r.Status)
	require.Contains(t, r.Reason, "agent b")
	require.Len(t, r.Missing, 1)
	require.Contains(t, r.Missing[0], "agent b")
	require.True(t, r.Reconcile.OK, "its operations are reported")
}

func TestATerminatedAgentLeavesThePartOfTheOthers(t *testing.T) {
	t.Parallel() // it waits most of the time
	h := testcluster.New(t)
	agents := h.Agents("a", "b")
	waiting := testcluster.Start(t, nil, "benchctl", "submit", "--db", "null", "--wait", "--coordinator", h.Address, "--on-agent-loss", "continue",
		"-p", "recordcount=1000", "-p", "null.service=constant 1ms", "--duration", "15s")
	id := h.Running()
	agents[1].Signal(syscall.SIGTERM)
	require.Equal(t, 4, waiting.Exit(testcluster.Patience))
	r := h.Show(id)
	require.Equal(t, result.Partial, r.Status)
	require.Len(t, r.Missing, 1)
	require.Contains(t, r.Missing[0], "agent b")
	require.InDelta(t, 15, r.Phases[0].Seconds, 0.01)
}

func TestAStoppedCoordinatorDetachesAndTheRunEndsComplete(t *testing.T) {
	t.Parallel() // it waits most of the time
	h := testcluster.New(t)
	h.Agents("a", "b")
	waiting := testcluster.Start(t, nil, "benchctl", "submit", "--db", "null", "--wait", "--coordinator", h.Address,
		"-p", "recordcount=1000", "-p", "null.service=constant 1ms", "--duration", "20s", "--interval", "500ms")
	id := h.Running()
	h.Coordinator.Signal(syscall.SIGTERM)
	require.Zero(t, h.Coordinator.Exit(testcluster.Patience))
	h.Open()
	require.Zero(t, waiting.Exit(testcluster.Patience), "the waiting command survives the restart")
	r := h.Show(id)
	testcluster.RequireConsistent(t, r, 2)
	require.InDelta(t, 20, r.Phases[0].Seconds, 0.001)
}
