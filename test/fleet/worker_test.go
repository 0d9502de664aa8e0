//go:build integration

package fleet

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/certs/certstest"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/test/testcluster"
)

// TestTLSIsNotOnThePathOfWorkers profiles a real agent whose workers run at full speed, and compares its allocations and CPU for an operation
// with those of an agent in plain text.
func TestTLSIsNotOnThePathOfWorkers(t *testing.T) {
	const most = 0.01 // allocations for an operation; those are for windows and their transport
	for i, p := range []*peers{inPlainText(), byTLS(t)} {
		w := work(t, p)
		t.Logf("%s: %.3g operations/s, each with %.4f µs of CPU and %.6f allocations; of %d stacks of workers in the profile %d are in crypto",
			[...]string{"plain text", "TLS"}[i], w.throughput, w.cpu, w.allocations, w.inWorkers, w.inCrypto)
		require.Less(t, w.allocations, most)
		require.Positive(t, w.inWorkers)
		require.Zero(t, w.inCrypto)
	}
}

// worked is what an agent did in a run.
type worked struct {
	throughput, cpu, allocations float64 // CPU in µs and allocations for an operation
	inWorkers, inCrypto          int     // stacks in workers, and those of them that are in packages of crypto
}

// work lets an agent perform as many operations as it can for some seconds.
func work(t *testing.T, p *peers) (w worked) {
	t.Helper()
	c := startCoordinator(t, p)
	agent := &coordinator{http: freeAddress(t), peers: p.of(t, identity.Agent)} // has the same HTTP paths
	testcluster.Start(t, nil, "benchd", append([]string{
		"agent", "--coordinator", c.address, "--name", "client-1", "--metrics-listen", agent.http, "--pprof", "--spool", t.TempDir(),
	}, p.flags(t, identity.Agent, "client-1")...)...)
	agent.answers(t)
	before := agent.allocations(t)
	id := strings.TrimSpace(c.ctl(t, "submit", "--db", "null", "-p", "recordcount=1000", "--threads", "1", "--wait-agents", "1m", "--duration", "5s"))
	testcluster.Eventually(t, patience, func() bool {
		run := parse(t, []byte(c.ctl(t, "show", id, "-o", "json")))
		return len(run.Phases) > 0 && run.Phases[0].Ops > 0
	}, "the run should start")
	profile, err := agent.get(t.Context(), "/debug/pprof/profile?seconds=2")
	require.NoError(t, err)
	run := c.show(t, id)
	w.allocations = (agent.allocations(t) - before) / float64(run.Reconcile.Merged)
	w.throughput, w.cpu = run.Phases[0].Throughput, run.Phases[0].Generators[0].CPUPerOp
	w.inWorkers, w.inCrypto = stacks(t, profile)
	return w
}

// of returns the same peers for HTTP of a server with another role than the coordinator's.
func (p *peers) of(t *testing.T, role identity.Role) *peers {
	t.Helper()
	if p.ca == nil {
		return p
	}
	other := *p
	other.transport = p.transport.Clone()
	other.transport.TLSClientConfig = certstest.Client(t, p.ca, p.ca.Identify(t, identity.Admin, "root").TLS, role)
	return &other
}

// allocations returns how many objects the process has allocated.
func (c *coordinator) allocations(t *testing.T) float64 {
	t.Helper()
	text, err := c.get(t.Context(), "/metrics")
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "go_memstats_mallocs_total "); ok {
			n, err := strconv.ParseFloat(value, 64)
			require.NoError(t, err)
			return n
		}
	}
	require.Fail(t, "no metric of allocations")
	return 0
}

// stacks returns how many of the stacks in a CPU profile are in workers of package load, and how many of those are in packages of crypto.
func stacks(t *testing.T, profile []byte) (inWorkers, inCrypto int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cpu.pprof")
	require.NoError(t, os.WriteFile(path, profile, 0o600))
	program, err := exec.LookPath("go")
	require.NoError(t, err)
	text, stderr, code := testcluster.Command(t, patience, program, "tool", "pprof", "-traces", "-symbolize=none", path)
	require.Zero(t, code, stderr)
	for stack := range strings.SplitSeq(text, "-----------+-") {
		if !strings.Contains(stack, "internal/load.(*worker).") {
			continue
		}
		inWorkers++
		if strings.Contains(stack, "crypto/") {
			inCrypto++
		}
	}
	return inWorkers, inCrypto
}
