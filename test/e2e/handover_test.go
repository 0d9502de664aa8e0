//go:build integration

package e2e

import (
	"encoding/csv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/test/testcluster"
)

// TestALoadOutlivesItsAgentsAndItsCoordinator kills agents and the coordinator at random instants of a load, and starts
// them again: every row is written, and counted once.
func TestALoadOutlivesItsAgentsAndItsCoordinator(t *testing.T) {
	t.Parallel() // it waits most of the time
	h := testcluster.New(t)
	r := loadThroughKills(t, h, true)
	require.Greater(t, len(r.Provenance.Agents), 3, "the result lists the successors")
}

// TestRawPointsOfAgentsThatWereKilledAreThoseThatCount kills agents at random instants of a load that keeps raw points: the
// file has one point for each operation of the result.
func TestRawPointsOfAgentsThatWereKilledAreThoseThatCount(t *testing.T) {
	t.Parallel() // it waits most of the time
	h := testcluster.New(t)
	r := loadThroughKills(t, h, false, "-p", "measurementtype=raw")
	require.NotEmpty(t, r.Phases[0].Handovers)
	h.Connected(3)
	dir := t.TempDir()
	_, stderr, code := h.Ctl("report", r.ID, "--format", "raw", "--out", dir)
	require.Zero(t, code, stderr)
	require.NotContains(t, stderr, "missing")
	file, err := os.Open(filepath.Join(dir, r.ID+"-raw.csv"))
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	rows, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	points := make(map[string][]float64)
	for _, row := range rows[1:] {
		ns, err := strconv.ParseFloat(row[6], 64)
		require.NoError(t, err)
		key := row[2] + " " + row[3]
		points[key] = append(points[key], ns/1000)
	}
	for _, o := range r.Phases[0].Operations {
		key := o.Op + " " + o.Outcome
		ranked(t, key, o.Figures, points[key])
		delete(points, key)
	}
	require.Empty(t, points)
}

// loadThroughKills runs a load of 60 000 rows by three agents, kills them, or the coordinator, at random instants, and starts them again.
func loadThroughKills(t *testing.T, h *testcluster.Cluster, coordinator bool, args ...string) result.Run {
	const rows = 60_000
	spool := t.TempDir()
	names := []string{"a", "b", "c"}
	agents := map[string]*testcluster.Process{}
	for _, name := range names {
		agents[name] = h.Agent(name, "--spool", spool)
	}
	h.Connected(len(names))
	stdout, stderr, code := h.Ctl(append([]string{
		"submit", "--db", "null", "--phase", "load", "-p", "recordcount=60000", "--threads", "4", "--on-agent-loss", "continue",
		"-p", "null.service=lognormal 2ms 0.5", "--interval", "200ms",
	}, args...)...)
	require.Zero(t, code, stderr)
	id := strings.TrimSpace(stdout)
	require.Equal(t, id, h.Running())

	random := rand.New(rand.NewPCG(7, 7))
	for round := range 5 {
		<-time.After(time.Duration(300+random.IntN(900)) * time.Millisecond) // any instant
		if round == 2 && coordinator {
			h.Coordinator.Signal(syscall.SIGKILL)
			h.Coordinator.Exit(testcluster.Patience)
			h.Open()
			continue
		}
		name := names[random.IntN(len(names))]
		agents[name].Signal(syscall.SIGKILL)
		agents[name].Exit(testcluster.Patience)
		agents[name] = h.Agent(name, "--spool", spool)
	}
	h.Until(id, "complete")
	r := h.Show(id)
	require.Equal(t, result.Complete, r.Status, "%v", r.Missing)
	require.EqualValues(t, rows, r.Phases[0].Rows, "each row is counted once")
	require.EqualValues(t, rows, r.Phases[0].Ops)
	require.True(t, r.Reconcile.OK, "%+v", r.Reconcile)
	return r
}
