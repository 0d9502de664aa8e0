//go:build hbase && bench

package hbase

import (
	"context"
	"flag"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/keyspace"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/stats"
	"github.com/benchd/benchd/internal/target/hbase"
	"github.com/benchd/benchd/internal/workload"
	"github.com/benchd/benchd/test/testcluster"
)

var (
	costPairs    = flag.Int("pairs", 10, "pairs of times with and without telemetry, in a closed loop")
	costRounds   = flag.Int("rounds", 3, "rounds of a pair: two parts with telemetry and two without, one after another")
	costPart     = flag.Duration("part", 5*time.Second, "how long a part of a round lasts")
	costDose     = flag.Int("watchers", 5, "watchers in a part with telemetry, independent of each other; the test reports the cost of one")
	costGroups   = flag.Int("groups", 5, "groups of two runs with telemetry and two without, at a fixed rate")
	costLength   = flag.Duration("length", 8*time.Second, "how long each run of a group measures")
	costEnforced = flag.Bool("enforce", false, "fail if telemetry costs too much; the machine must be idle otherwise")
)

// TestTelemetryCostsLittle measures the cost of telemetry of three region servers at an interval of one second: the share
// of a closed loop's throughput, and, at a fixed rate, the processor time of the watching agent.
//
// The closed loop is sixteen workers in this process, which never pause. Beside them coordinators, each with its agent,
// conduct runs of one read a second: half of them with telemetry, the others without. One half is always stopped
// (SIGSTOP), so only telemetry changes from part to part: no connection, no compiled code, no location of a region. A
// round is four parts: the first and the last with telemetry or, in every second round, without; a pair is several
// rounds. An even drift affects both sides alike. But the machine's speed varies by several percent from one part to
// the next. Therefore several watch at a time, each of which requests everything that a run requests from the servers,
// and the logarithm of the remaining throughput is divided by their number.
//
// At the fixed rate a group is four runs in the same order, on one coordinator and one agent: there all of telemetry
// counts, including its first look.
func TestTelemetryCostsLittle(t *testing.T) {
	const table = "cost"
	on(t, []string{three}, func(t *testing.T, s *server) {
		h := testcluster.New(t)
		h.Agents("a")
		faultless(t, submit(t, h, 1, s, table, append(property("recordcount", costRecords, "hbase.table.create", "recreate", "hbase.splits", 11,
			"hbase.after.load", "flush,major_compact"), "--phase", "load", "--threads", "16")...))
		faultless(t, costRun(t, h, s, table, false, "--threads", "16", "--duration", "60s")) // the servers compile their hot code
		t.Run("throughput", func(t *testing.T) {
			lost := costThroughput(t, s, table)
			t.Logf("telemetry costs %s", lost)
			if *costEnforced {
				require.Less(t, lost.most(), 5.0, "percent of the throughput at most")
			}
		})
		t.Run("processor", func(t *testing.T) {
			core := costProcessor(t, h, s, table)
			t.Logf("telemetry costs %.2f %% of a core of the agent (95 %% interval %.2f to %.2f)", *core.Mean, *core.Low, *core.High)
			if *costEnforced {
				require.Less(t, *core.High, 2.0, "percent of a core at most")
			}
		})
	})
}

// costRecords is the number of rows to read.
const costRecords = 50_000

// loss is a loss of throughput, as the logarithms of the remaining share, one per pair.
type loss struct{ stats.Spread }

func (l loss) most() float64 { return percentLost(l.Low) }

func (l loss) String() string {
	return fmt.Sprintf("%.2f %% of the throughput (95 %% interval %.2f to %.2f)", percentLost(l.Mean), percentLost(l.High), l.most())
}

func percentLost(log *float64) float64 { return 100 * (1 - math.Exp(*log)) }

// costThroughput measures the share of a closed loop's throughput that telemetry takes.
func costThroughput(t *testing.T, s *server, table string) loss {
	t.Helper()
	length := time.Duration(*costPairs*(*costRounds)*4) * *costPart
	const warm = 30 * time.Second // watchers learn when servers renew their metrics
	watchers := map[bool][]*watcher{}
	for _, telemetry := range []bool{true, false} {
		for range *costDose {
			watchers[telemetry] = append(watchers[telemetry], watch(t, s, table, telemetry, 2*length+10*warm))
		}
	}
	work := func(telemetry bool) {
		for _, w := range watchers[!telemetry] {
			w.signal(syscall.SIGSTOP)
		}
		for _, w := range watchers[telemetry] {
			w.signal(syscall.SIGCONT)
		}
	}
	done := readers(t, s, table, 16)
	work(true)
	<-time.After(warm / 2)
	work(false)
	<-time.After(warm / 2)

	now := false // whether the watchers run
	// part returns the operations of a part, and the machine's seconds of processor time in it, without the time that its
	// hypervisor gave to others.
	part := func(telemetry bool) (ops, given float64) {
		if telemetry != now {
			work(telemetry)
			now = telemetry
		}
		before, had := done(), processor(t)
		<-time.After(*costPart)
		return float64(done() - before), processor(t) - had
	}
	var raw, lost []float64 // logarithms
	for i := range *costPairs {
		var ops, given [2]float64 // without and with
		for k := range *costRounds * 4 {
			telemetry, side := abba(i**costRounds+k/4, k%4)
			o, g := part(telemetry)
			ops[side], given[side] = ops[side]+o, given[side]+g
		}
		dose := float64(*costDose)
		raw, lost = append(raw, math.Log(ops[1]/ops[0])/dose), append(lost, math.Log(ops[1]/given[1]*given[0]/ops[0])/dose)
		each := costPart.Seconds() * float64(2**costRounds)
		t.Logf("pair %2d: %.0f operations a second with %d watchers, %.0f without; %.0f and %.0f per second of processor",
			i+1, ops[1]/each, *costDose, ops[0]/each, ops[1]/given[1], ops[0]/given[0])
	}
	for _, w := range watchers[!now] {
		w.signal(syscall.SIGCONT)
	}
	for _, w := range watchers[false] {
		require.Empty(t, observed(last(w.Show(w.suite)), "hbase.regionserver.store_files"), "nothing is watched without telemetry")
	}
	for _, w := range watchers[true] {
		files := observed(last(w.Show(w.suite)), "hbase.regionserver.store_files")
		require.Len(t, files, 3, "three servers are watched")
		for name, points := range files {
			require.Greater(t, len(points), int(length.Seconds()/2/result.LooksOfAPoint/2), "looks at %s", name)
		}
	}
	t.Logf("of the uncorrected operations: %s", loss{stats.Repeats(raw)})
	return loss{stats.Repeats(lost)}
}

// abba reports whether the part of a round has telemetry, and its side of the comparison.
func abba(round, part int) (telemetry bool, side int) {
	if round%2 == 0 == (part == 0 || part == 3) {
		return true, 1
	}
	return false, 0
}

// costRun reads rows.
func costRun(t *testing.T, h *testcluster.Cluster, s *server, table string, telemetry bool, args ...string) result.Run {
	t.Helper()
	return submit(t, h, 1, s, table, append(readOnly(telemetry), args...)...)
}

func readOnly(telemetry bool) []string {
	return property("recordcount", costRecords, "readproportion", 1, "updateproportion", 0, "operationcount", 0,
		"telemetry", telemetry, "telemetry.interval", "1s")
}

// watcher is a coordinator and its agent, with a run that does almost nothing.
type watcher struct {
	*testcluster.Cluster
	agent *testcluster.Process
	suite string
}

func watch(t *testing.T, s *server, table string, telemetry bool, length time.Duration) *watcher {
	t.Helper()
	w := &watcher{Cluster: testcluster.New(t)}
	w.agent = w.Agent("watcher")
	w.Connected(1)
	w.suite = w.Submit(slices.Concat(s.flags(table), readOnly(telemetry), []string{"--target", "1", "--duration", length.String()})...)
	w.Until(w.suite, "running")
	return w
}

// signal stops or continues both processes.
func (w *watcher) signal(s syscall.Signal) {
	w.Coordinator.Signal(s)
	w.agent.Signal(s)
}

// readers read rows until the test ends. done returns how many they have read.
func readers(t *testing.T, s *server, table string, workers int) (done func() int64) {
	t.Helper()
	properties := map[string]string{"table": table, "columnfamily": family, "hbase.zookeeper.quorum": s.quorum, "recordcount": strconv.Itoa(costRecords)}
	target, err := hbase.Open(t.Context(), load.Settings{Properties: properties})
	require.NoError(t, err)
	names := keyspace.NewNames("user", 1, false)
	keys := make([][]byte, costRecords)
	for i := range keys {
		keys[i] = names.Append(nil, int64(i))
	}
	var n atomic.Int64
	var all sync.WaitGroup
	ctx, end := context.WithCancel(t.Context())
	for i := range workers {
		session, err := target.Open(ctx, i)
		require.NoError(t, err)
		all.Go(func() {
			defer func() { _ = session.Close(context.WithoutCancel(ctx)) }()
			random := keyspace.NewRand(1, uint64(i))
			op := workload.Op{Kind: workload.Read}
			for ctx.Err() == nil {
				op.Key = keys[random.Below(costRecords)]
				if out := session.Do(ctx, &op); out.Code != workload.OK && ctx.Err() == nil {
					t.Errorf("read %s: %s: %v", op.Key, out.Code, out.Err)
					return
				}
				n.Add(1)
			}
		})
	}
	t.Cleanup(func() {
		end()
		all.Wait()
		require.NoError(t, target.Close())
	})
	return n.Load
}

// costProcessor measures at a fixed rate the percentage of a core that the agent needs for telemetry.
func costProcessor(t *testing.T, h *testcluster.Cluster, s *server, table string) stats.Spread {
	t.Helper()
	var used []float64
	for i := range *costGroups {
		var own [2]float64 // without and with
		for k := range 4 {
			telemetry, side := abba(i, k)
			r := costRun(t, h, s, table, telemetry, "--threads", "16", "--target", "1000", "--duration", costLength.String())
			faultless(t, r)
			require.Equal(t, telemetry, len(observed(last(r), "hbase.regionserver.store_files")) == 3, "three servers are watched, or none")
			own[side] += 100 * last(r).Generators[0].OwnCPU / 2
		}
		used = append(used, own[1]-own[0])
		t.Logf("group %2d: at 1000 operations a second %.2f %% of a core with telemetry, %.2f %% without", i+1, own[1], own[0])
	}
	return stats.Repeats(used)
}

// last is the last phase of a run.
func last(r result.Run) result.Phase { return r.Phases[len(r.Phases)-1] }

// processor returns the seconds of processor time of all the machine's processors, without the time that the hypervisor
// took.
func processor(t *testing.T) float64 {
	t.Helper()
	sum, err := cpu.Times(false)
	require.NoError(t, err)
	c := sum[0]
	return c.User + c.System + c.Nice + c.Irq + c.Softirq + c.Idle + c.Iowait
}
