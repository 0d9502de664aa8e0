//go:build browser

package browser

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/performance"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/benchd/benchd/test/longrun"
	"github.com/benchd/benchd/test/simulated"
	"github.com/benchd/benchd/test/testcluster"
)

// A thousand agents, and the seconds of their run: the test ends it earlier, when the page has shown it.
const (
	many    = 1000
	seconds = 600
)

// limitMemory is that of a page, in MB: what its process has for itself, with the browser's own code and tables.
const limitMemory = 200

// The pages of a thousand agents and of their run are quick and small.
func TestConsoleOfAThousandAgents(t *testing.T) {
	cluster := testcluster.New(t)
	c := &console{address: cluster.HTTP}
	agents := connect(t, cluster.Address)
	cluster.Connected(many)

	p := empty(t, wide())
	c.visit(p, "agents")
	p.sees("1,000 of 1,000")
	p.small(t, "agents")
	p.fill("Name, label, host, version or run", "agent-0042")
	p.sees("1 of 1,000", "agent-0042")
	p.fits(narrow())
	p.fits(wide())
	p.requireNoErrors()

	id := cluster.Submit("--agents", strconv.Itoa(many), "-p", "recordcount=1000", "-p", fmt.Sprintf("operationcount=%d", many*simulated.OpsOfWindow*seconds), "--interval", "1s", "--target", strconv.Itoa(many*simulated.OpsOfWindow))
	for _, a := range agents {
		go func() { _ = a.Measure(t.Context()) }()
	}
	cluster.Until(id, "running")
	testcluster.Eventually(t, patience, func() bool { return len(c.seconds(t, id)) >= 2 }, "the run should have its first seconds")
	p = soon(t, "live run of 1000 agents", func(p *tab) { c.visit(p, "runs/"+id+".1") })
	p.sees("1000 / 1000")
	for _, a := range agents {
		a.End()
	}
	cluster.Until(id, "complete")
	p.sees("complete")
	p.quick(t, "run of 1000 agents", ".plot")
	p.small(t, "run of 1000 agents")
	p.requireNoErrors()
}

// The page of a run of 100 hours is quick and small.
func TestConsoleOfAHundredHours(t *testing.T) {
	long := longrun.Hundred()
	dir := t.TempDir()
	longrun.MakeSize(t, dir, long)
	c := &console{address: "127.0.0.1:" + testcluster.Port(t)}
	testcluster.Start(t, nil, "benchd", "coordinator", "--listen", "127.0.0.1:"+testcluster.Port(t), "--http", c.address, "--data", dir).Says("coordinator listens")
	c.request(t, http.MethodGet, "/runs/"+long.ID+".1/series?points=360", nil) // what it keeps of the run is computed
	p := soon(t, "run of 100 hours", func(p *tab) { c.visit(p, "runs/"+long.ID+".1") })
	p.drawAll()
	p.quick(t, "run of 100 hours", ".plot")
	p.small(t, "run of 100 hours")
	p.requireNoErrors()
}

// connect connects simulated agents, which answer until the test ends.
func connect(t *testing.T, address string) []*simulated.Agent {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	t.Cleanup(func() { cancel(); wg.Wait() })
	load := simulated.NewLoad()
	agents := make([]*simulated.Agent, many)
	for i := range agents {
		a, err := simulated.Dial(ctx, address, fmt.Sprintf("agent-%04d", i+1), simulated.Host(i), insecure.NewCredentials(), load, seconds)
		require.NoError(t, err)
		t.Cleanup(func() { _ = a.Close() })
		agents[i] = a
		wg.Go(a.Serve)
	}
	return agents
}

// small checks the memory of the process that renders the page, after it has removed what is unused.
func (p *tab) small(t *testing.T, what string) {
	t.Helper()
	process := p.renderer()
	call(p, performance.Enable, performance.EnableParams{})
	call(p, heapprofiler.CollectGarbage, cdp.Empty{})
	heap := 0.0
	for _, m := range call(p, performance.GetMetrics, cdp.Empty{}).Metrics {
		if m.Name == "JSHeapUsedSize" {
			heap = m.Value
		}
	}
	private := memory(t, int(process), "RssAnon")
	t.Logf("%s: memory of the page %d MB, of which its script has %.1f MB; with the code and files that browsers share %d MB", what, private, heap/1e6, memory(t, int(process), "VmRSS"))
	require.Less(t, private, limitMemory, what)
}
