//go:build integration

package e2e

import (
	"context"
	"fmt"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/tolerance"
	"github.com/benchd/benchd/test/testcluster"
)

// occupy keeps a processor busy until the returned function is called, or for a minute if the test is killed.
func occupy(t *testing.T, processor string) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	loop := exec.CommandContext(ctx, "taskset", "--cpu-list", processor, "bash", "-c", "while [ $SECONDS -lt 60 ]; do :; done")
	require.NoError(t, loop.Start())
	return func() {
		cancel()
		_ = loop.Wait() // it was killed
	}
}

// An agent that may use one processor is the limit beside a busy loop on it, and not beside one on another processor: the idle
// processors of its machine are those that it may use.
func TestAnAgentBesideABusyLoopIsTheLimit(t *testing.T) {
	h := testcluster.New(t)
	testcluster.StartUnder(t, []string{"taskset", "--cpu-list", "0"}, "benchd", "agent",
		"--coordinator", h.Address, "--name", "pinned", "--metrics-listen", "127.0.0.1:0")
	h.Connected(1)
	measure := func() (result.Run, result.Bottleneck) {
		id := h.Submit("--target", "200", "--threads", "8", "--duration", "5s", "--phase", "run", "-p", "recordcount=1000", "-p", "null.service=constant 1ms")
		h.Until(id, "complete")
		r := h.Show(id)
		require.Len(t, r.Phases, 1)
		require.NotNil(t, r.Phases[0].Bottleneck)
		t.Log(r.Phases[0].Bottleneck.Sentence)
		return r, *r.Phases[0].Bottleneck
	}
	for name, tc := range map[string]struct{ processor, want string }{
		"alone":                 {"", "none"},
		"beside its processor":  {"1", "none"},
		"on the same processor": {"0", "client_bound"},
	} {
		t.Run(name, func(t *testing.T) {
			tolerance.Retry(t, func(try *tolerance.Try) {
				if tc.processor != "" {
					defer occupy(t, tc.processor)()
				}
				r, b := measure()
				require.Equal(t, "0", r.Provenance.Agents[0].CPUs)
				if !assert.Equal(try, tc.want, b.Name, b.Sentence) || tc.want == "none" {
					return
				}
				require.Contains(t, b.Sentence, "client-bound: agent pinned, CPU: idle CPU ")
				require.Contains(t, b.Sentence, "on the processors 0, which are all that it may use")
				require.Equal(t, "agent pinned", b.Evidence[0].Source)
				require.Less(t, b.Evidence[0].Value, b.Evidence[0].Limit)
			})
		})
	}
}

// A service of eight handlers with a mean of 10 ms can do 800 operations per second. Twenty runs offer 30 % of them.
const wellBelowCapacity = `
suite: below capacity
properties:
  db: hbase
  hbase.table.create: missing
  hbase.zookeeper.quorum: %s
  recordcount: 500
  table: limits
  columnfamily: family
  readproportion: 1
  updateproportion: 0
  arrival: poisson
  rate: 240
  threadcount: 64
  duration: 2s
datasets: {rows: {}}
scenarios: [{name: read, dataset: rows, repeats: 20}]
`

func TestRunsWellBelowTheCapacityHaveNoLimit(t *testing.T) {
	quorum := standIn(t, "--region-servers", "1", "--service", "exponential 10ms", "--service-handlers", "8")
	h := testcluster.New(t)
	h.Agents("a")
	tolerance.Retry(t, func(try *tolerance.Try) { // a machine that stalls for half of a run limits it
		id := submitted(t, h, "-f", suiteFile(t, fmt.Sprintf(wellBelowCapacity, quorum)))
		testcluster.Eventually(t, 4*testcluster.Patience, func() bool { return showSuite(t, h, id).Status == result.Complete }, "the suite should end")
		s := showSuite(t, h, id)
		verdicts := make(map[string]int)
		for _, r := range s.Runs {
			if p := r.Subject(); p.Name == "measure" {
				require.NotNil(t, p.Bottleneck)
				verdicts[p.Bottleneck.Name]++
				if p.Bottleneck.Name != "none" {
					t.Log(r.ID, p.Bottleneck.Sentence)
				}
			}
		}
		if assert.Equal(try, map[string]int{"none": 20}, verdicts) {
			c := s.Cases[len(s.Cases)-1]
			t.Log(c.Bottleneck)
			require.Regexp(t, `^none: the offered rate was kept: offered 240 ops/s, .*\(all 20 runs; figures of the first\)$`, c.Bottleneck)
		}
	})
}
