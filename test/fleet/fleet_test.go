//go:build integration

package fleet

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite" // reads the archive as its users do

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/test/simulated"
	"github.com/benchd/benchd/test/testcluster"
)

// patience bounds waits. Machines that run other tests in parallel are slow.
const patience = 5 * time.Minute

// options are the settings of `make bench-fleet` and `make bench-tls`.
type options struct {
	sizes   string
	seconds int
	limits  bool
	profile string
	pairs   int
	agents  int
	settle  time.Duration
}

// chosen holds the options, which flags of the test's binary can only leave in a variable.
var chosen options

func TestMain(m *testing.M) {
	flag.StringVar(&chosen.sizes, "sizes", "10,100", "numbers of agents")
	flag.IntVar(&chosen.seconds, "seconds", 4, "windows of each agent")
	flag.BoolVar(&chosen.limits, "limits", false, "also check limits of lateness, CPU and memory")
	flag.IntVar(&chosen.pairs, "pairs", 1, "pairs of runs without and with TLS")
	flag.IntVar(&chosen.agents, "agents", 20, "agents of each of them")
	flag.DurationVar(&chosen.settle, "settle", 0, "time for which agents are connected before a run")
	flag.StringVar(&chosen.profile, "profile", "", "keep profiles of the coordinator in this directory")
	flag.Parse()
	os.Exit(testcluster.Main(m))
}

// TestFleet checks that a merge over many agents is exact, and prints its cost.
func TestFleet(t *testing.T) {
	l := simulated.NewLoad()
	for field := range strings.SplitSeq(chosen.sizes, ",") {
		n, err := strconv.Atoi(field)
		require.NoError(t, err)
		t.Run(field+" agents", func(t *testing.T) {
			f := fleet(t, inPlainText(), l, n, chosen.seconds)
			if chosen.limits {
				most := boundsOf(n)
				require.LessOrEqual(t, f.latest, most.latest, "time from a window's end until it was safe")
				require.LessOrEqual(t, f.work, most.cores, "cores of the coordinator")
				require.LessOrEqual(t, f.peak, most.memory, "resident memory of the coordinator")
				require.Less(t, f.skew, startSkew, "skew of the start")
				require.Less(t, f.reported, startSkew, "skew of the start in the result")
			}
		})
	}
}

// figures are measurements of a run.
type figures struct {
	cores      float64       // of the coordinator while all agents sent windows
	each       time.Duration // its CPU time for each acknowledged window, however far it is behind
	work       float64       // the cores that follow from it
	connecting time.Duration // its CPU time until all agents were connected
	latest     time.Duration // the longest time from a window's end until it was safe
	peak       int64         // its largest resident memory until the result is shown
	skew       time.Duration // of the agents' first operations, by the one clock that they share
	reported   time.Duration // the same as the result reports it
}

// fleet runs n agents for some seconds, and checks that the result is exact.
func fleet(t *testing.T, p *peers, l *simulated.Load, n, seconds int) figures {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience+chosen.settle+time.Duration(seconds)*simulated.Interval)
	defer cancel()
	c := startCoordinator(t, p)
	started := c.usage(t)
	agents := connect(ctx, t, c, l, n, seconds)
	connected := c.usage(t)
	require.NoError(t, simulated.Wait(ctx, time.Now().Add(chosen.settle))) // the coordinator measures their clocks, as before most runs
	idle := c.usage(t)

	id := c.ctl(t, "submit", "--db", "null", "-p", "recordcount=1000", "--agents", strconv.Itoa(n), "--wait-agents", "1m",
		"--duration", (time.Duration(seconds) * simulated.Interval).String(), "--interval", simulated.Interval.String(), "--target", strconv.Itoa(n*simulated.OpsOfWindow))
	id = strings.TrimSpace(id)
	profiled := func() {}
	measured := measure(ctx, t, c, agents, func() {
		profiled = c.profile(ctx, t, fmt.Sprintf("%d-agents", n), seconds-1)
	})
	profiled()
	require.NoError(t, c.keep(ctx, fmt.Sprintf("%d-agents.heap", n), "heap"))
	for _, a := range agents {
		select {
		case <-a.Over():
			require.NoError(t, a.Err())
		case <-ctx.Done():
			require.Fail(t, "the run does not end", a.Name)
		}
	}
	ended := c.usage(t)
	began := time.Now()
	run := c.show(t, id)
	showed := time.Since(began)
	shown := c.usage(t)
	require.NoError(t, c.keep(ctx, fmt.Sprintf("%d-agents.heap-after-show", n), "heap?gc=1"))

	var late []time.Duration
	for _, a := range agents {
		acknowledged, lateness := a.Acknowledged()
		for seq, times := range acknowledged {
			require.Equal(t, 1, times, "acknowledgements of window %d of %s", seq, a.Name)
		}
		late = append(late, lateness...)
	}
	slices.Sort(late)
	exact(t, c, l, run, n, seconds)

	f := figures{
		cores: (measured.to.cpu - measured.from.cpu).Seconds() / measured.took.Seconds(), each: (measured.to.cpu - measured.from.cpu) / time.Duration(measured.safe),
		connecting: connected.cpu - started.cpu, latest: late[len(late)-1], peak: shown.peak,
		skew: skew(agents), reported: time.Duration(run.Start.SkewMS * float64(time.Millisecond)),
	}
	f.work = f.each.Seconds() * float64(n) / simulated.Interval.Seconds()
	t.Logf("%d agents, %d s: coordinator %.3f cores while it merged %.0f windows/s, %s of CPU for each that became safe; simulated agents %.3f cores",
		n, seconds, f.cores, float64(n*(seconds-1))/measured.took.Seconds(), f.each, (measured.to.agents-measured.from.agents).Seconds()/measured.took.Seconds())
	t.Logf("  resident at most %d MiB while connected, %d MiB while merging, %d MiB at the run's end, %d MiB after show",
		idle.peak>>20, measured.to.peak>>20, ended.peak>>20, shown.peak>>20)
	t.Logf("  windows were safe after their end: median %s, p95 %s, at most %s; skew of the start %s, in the result %s ± %s",
		at(late, 0.5), at(late, 0.95), at(late, 1), f.skew.Round(time.Microsecond), f.reported, time.Duration(run.Start.UncertaintyMS*float64(time.Millisecond)))
	t.Logf("  CPU: connecting %s, starting the run %s, ending it %s, show %s, which took %s", rounded(f.connecting),
		rounded(measured.from.cpu-idle.cpu), rounded(ended.cpu-measured.to.cpu), rounded(shown.cpu-ended.cpu), rounded(showed))
	size := c.archiveSize(t)
	t.Logf("  archive %.1f MB: %.2f KB a window, %.2f MB a second", float64(size)/1e6, float64(size)/1e3/float64(n*seconds), float64(size)/1e6/float64(seconds))
	return f
}

// at returns the element of sorted times that a share of them does not exceed.
func at(sorted []time.Duration, share float64) time.Duration {
	return rounded(sorted[min(int(share*float64(len(sorted))), len(sorted)-1)])
}

func rounded(d time.Duration) time.Duration { return d.Round(time.Millisecond) }

// skew returns the time between the first operations of the first and the last agent.
func skew(agents []*simulated.Agent) time.Duration {
	earlier := func(a, b *simulated.Agent) int { return a.Began().Compare(b.Began()) }
	return slices.MaxFunc(agents, earlier).Began().Sub(slices.MinFunc(agents, earlier).Began())
}

// connect starts the agents and lets them answer until the test ends.
func connect(ctx context.Context, t *testing.T, c *coordinator, l *simulated.Load, n, seconds int) []*simulated.Agent {
	t.Helper()
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	t.Cleanup(func() { cancel(); wg.Wait() })
	agents := make([]*simulated.Agent, n)
	for i := range agents {
		name := fmt.Sprintf("agent-%04d", i)
		a, err := simulated.Dial(ctx, c.address, name, simulated.Host(i), c.peers.agent(t, name), l, seconds)
		require.NoError(t, err)
		t.Cleanup(func() { _ = a.Close() })
		agents[i] = a
		wg.Go(a.Serve)
	}
	return agents
}

// span is the resource usage while windows were sent.
type span struct {
	from, to usage
	took     time.Duration
	safe     int // windows that were acknowledged meanwhile
}

// measure lets all agents send their windows, and returns the usage meanwhile.
func measure(ctx context.Context, t *testing.T, c *coordinator, agents []*simulated.Agent, begun func()) span {
	t.Helper()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	sent := make(chan error, len(agents))
	for _, a := range agents {
		go func() { sent <- a.Measure(ctx) }()
	}
	var s span
	var began time.Time
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for left := len(agents); left > 0; {
		select {
		case err := <-sent:
			require.NoError(t, err)
			left--
		case <-tick.C:
			if began.IsZero() && agents[len(agents)-1].Sending() { // the last in the order of shards
				s.from, began, s.safe = c.usage(t), time.Now(), -safe(agents)
				begun()
			}
		}
		if left == len(agents)-1 && s.took == 0 { // the first has sent its last window
			s.to, s.took = c.usage(t), time.Since(began)
			s.safe += safe(agents)
		}
	}
	return s
}

// safe returns how many windows are acknowledged.
func safe(agents []*simulated.Agent) (n int) {
	for _, a := range agents {
		n += a.Safe()
	}
	return n
}

// exact compares the result and the archive with the sent windows.
func exact(t *testing.T, c *coordinator, l *simulated.Load, run result.Run, n, seconds int) {
	t.Helper()
	require.Equal(t, result.Complete, run.Status, run.Missing)
	require.True(t, run.Reconcile.OK)
	require.EqualValues(t, n*seconds*simulated.OpsOfWindow, run.Reconcile.Merged)
	phase := run.Phases[0]
	expected, err := l.Expected(n, seconds)
	require.NoError(t, err)
	require.Len(t, phase.Operations, len(expected))
	for _, s := range expected {
		i := slices.IndexFunc(phase.Operations, func(o result.Operation) bool { return o.Op == s.Key.Op })
		require.GreaterOrEqual(t, i, 0, s.Key.Op)
		same(t, s.Response, phase.Operations[i].Figures)
		same(t, s.Service, phase.Operations[i].Service)
		require.Len(t, phase.Operations[i].Agents, n)
		for _, a := range phase.Operations[i].Agents {
			require.EqualValues(t, simulated.Samples*seconds, a.Count, a.Name)
		}
	}
	require.Len(t, phase.Series, seconds)
	for _, p := range phase.Series {
		require.EqualValues(t, n*simulated.OpsOfWindow, p.Ops)
	}

	db, err := sql.Open("sqlite", "file:"+filepath.Join(c.data, "benchd.db")+"?mode=ro")
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	var windows, shards, ops int
	require.NoError(t, db.QueryRowContext(t.Context(), `SELECT count(*), count(DISTINCT shard) FROM window`).Scan(&windows, &shards))
	require.NoError(t, db.QueryRowContext(t.Context(), `SELECT sum(count) FROM measurement`).Scan(&ops))
	require.Equal(t, []int{n * seconds, n, n * seconds * simulated.OpsOfWindow}, []int{windows, shards, ops}, "windows, shards and operations in the archive")
}

func same(t *testing.T, want *latency.Histogram, got result.Figures) {
	t.Helper()
	us := func(ns int64) float64 { return float64(ns) / 1000 }
	require.Equal(t, want.Count(), got.Count)
	require.InDelta(t, us(want.Min()), got.Min, 0)
	require.InDelta(t, us(want.Max()), got.Max, 0)
	for q, p := range map[float64]*float64{0.5: got.P50, 0.99: got.P99, 0.999: got.P999} {
		if want.Supports(q) {
			require.NotNil(t, p)
			require.InDelta(t, us(want.Quantile(q)), *p, 0, "quantile %v", q)
		}
	}
}

// parse reads a result.
func parse(t *testing.T, text []byte) (run result.Run) {
	t.Helper()
	require.NoError(t, json.NewDecoder(bytes.NewReader(text)).Decode(&run))
	return run
}
