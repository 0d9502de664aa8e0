//go:build integration

package e2e

import (
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/test/house"
)

// TestALoadOutlivesItsAgentsAndItsCoordinator kills agents and the coordinator at random instants of a load, and starts
// them again: every row is written, and counted once.
func TestALoadOutlivesItsAgentsAndItsCoordinator(t *testing.T) {
	t.Parallel() // it waits most of the time
	const rows = 60_000
	h := house.New(t)
	spool := t.TempDir()
	names := []string{"a", "b", "c"}
	agents := map[string]*house.Process{}
	for _, name := range names {
		agents[name] = h.Agent(name, "--spool", spool)
	}
	h.Connected(len(names))
	stdout, stderr, code := h.Ctl("submit", "--db", "null", "--phase", "load", "-p", "recordcount=60000", "--threads", "4", "--on-agent-loss", "continue",
		"-p", "null.service=lognormal 2ms 0.5", "--interval", "200ms")
	require.Zero(t, code, stderr)
	id := strings.TrimSpace(stdout)
	require.Equal(t, id, h.Running())

	random := rand.New(rand.NewPCG(7, 7))
	for round := range 5 {
		<-time.After(time.Duration(300+random.IntN(900)) * time.Millisecond) // the instant is to be any
		if round == 2 {
			h.Coordinator.Signal(syscall.SIGKILL)
			h.Coordinator.Exit(house.Patience)
			h.Open()
			continue
		}
		name := names[random.IntN(len(names))]
		agents[name].Signal(syscall.SIGKILL)
		agents[name].Exit(house.Patience)
		agents[name] = h.Agent(name, "--spool", spool)
	}
	h.Until(id, "complete")
	r := h.Show(id)
	require.Equal(t, result.Complete, r.Status, "%v", r.Missing)
	require.EqualValues(t, rows, r.Phases[0].Rows, "each row is counted once")
	require.EqualValues(t, rows, r.Phases[0].Ops)
	require.True(t, r.Reconcile.OK, "%+v", r.Reconcile)
	require.Greater(t, len(r.Provenance.Agents), len(names), "who took what up is in the result")
}
