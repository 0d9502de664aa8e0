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
	costPairs  = flag.Int("pairs", 10, "pairs of times with and without telemetry, in a closed loop")
	costRounds = flag.Int("rounds", 3, "rounds of a pair: two parts with telemetry and two without, one after another")
	costPart   = flag.Duration("part", 5*time.Second, "how long a part of a round lasts")
	costDose   = flag.Int("watchers", 5, "how many watch in a part with telemetry, each by itself; what is told is the cost of one")
	costGroups = flag.Int("groups", 5, "groups of two runs with telemetry and two without, at a fixed rate")
	costLength = flag.Duration("length", 8*time.Second, "how long each run of a group measures")
	costJudged = flag.Bool("judge", false, "fail when looking costs too much; the machine must have nothing else to do")
)

// TestLookingCostsLittle measures what telemetry of three region servers, a second apart, costs: how much of the
// throughput that a closed loop has without it, and how much processor time of the agent that watches, at a fixed rate.
//
// The closed loop is sixteen workers in this process, which never pause. Beside them coordinators, each with its agent,
// conduct runs of one read a second: half of them with telemetry, the others without. One half is always stopped (SIGSTOP),
// so nothing but telemetry changes from part to part: no connection, no compiled code, no place of a region. A round is
// four parts, the first and the last with telemetry or, in every second round, without; a pair is several rounds. What
// drifts evenly falls on both sides alike. The machine's speed does not drift evenly, though: by several percent from one
// part to the next. Therefore several watch at a time, each of which asks the servers for all that a run asks them for, and
// the logarithm of what they leave is divided among them.
//
// At the fixed rate a group is four runs in the same order, on one coordinator and one agent: there all of telemetry
// counts, its first look, too.
func TestLookingCostsLittle(t *testing.T) {
	const table = "cost"
	on(t, []string{three}, func(t *testing.T, s *server) {
		h := testcluster.New(t)
		h.Agents("a")
		faultless(t, submit(t, h, 1, s, table, append(property("recordcount", costRecords, "hbase.table.create", "recreate", "hbase.splits", 11,
			"hbase.after.load", "flush,major_compact"), "--phase", "load", "--threads", "16")...))
		faultless(t, costRun(t, h, s, table, false, "--threads", "16", "--duration", "60s")) // the servers compile what they need
		t.Run("throughput", func(t *testing.T) {
			lost := costThroughput(t, s, table)
			t.Logf("telemetry costs %s", lost)
			if *costJudged {
				require.Less(t, lost.most(), 5.0, "percent of the throughput at the most")
			}
		})
		t.Run("processor", func(t *testing.T) {
			core := costProcessor(t, h, s, table)
			t.Logf("telemetry costs %.2f %% of a core of the agent (95 %% interval %.2f to %.2f)", *core.Mean, *core.Low, *core.High)
			if *costJudged {
				require.Less(t, *core.High, 2.0, "percent of a core at the most")
			}
		})
	})
}

// costRecords is how many rows are read.
const costRecords = 50_000

// loss is a share of throughput by the logarithms of what is left of it, of one pair each.
type loss struct{ stats.Spread }

func (l loss) most() float64 { return percentLost(l.Low) }

func (l loss) String() string {
	return fmt.Sprintf("%.2f %% of the throughput (95 %% interval %.2f to %.2f)", percentLost(l.Mean), percentLost(l.High), l.most())
}

func percentLost(log *float64) float64 { return 100 * (1 - math.Exp(*log)) }

// costThroughput measures how much of a closed loop's throughput telemetry takes.
func costThroughput(t *testing.T, s *server, table string) loss {
	t.Helper()
	length := time.Duration(*costPairs*(*costRounds)*4) * *costPart
	const warm = 30 * time.Second // who watches learns when servers renew their figures
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

	now := false // which of them works
	// part returns how many operations were done in a part, and how many seconds of processor the machine had for it:
	// what its hypervisor gave to others is left out.
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
	t.Logf("of the operations as they were: %s", loss{stats.Repeats(raw)})
	return loss{stats.Repeats(lost)}
}

// abba says whether the part of a round has telemetry, and which side of the comparison that is.
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

// watcher is a coordinator and its agent, with a run that hardly does anything.
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

// signal stops both processes, or has them go on.
func (w *watcher) signal(s syscall.Signal) {
	w.Coordinator.Signal(s)
	w.agent.Signal(s)
}

// readers read rows until the test ends. Done tells how many they have read.
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

// costProcessor measures at a fixed rate how many percent of a core the agent needs for telemetry.
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

// last is the phase that a run ends with.
func last(r result.Run) result.Phase { return r.Phases[len(r.Phases)-1] }

// processor is how many seconds all of the machine's processors together have had, but for what the hypervisor took.
func processor(t *testing.T) float64 {
	t.Helper()
	sum, err := cpu.Times(false)
	require.NoError(t, err)
	c := sum[0]
	return c.User + c.System + c.Nice + c.Irq + c.Softirq + c.Idle + c.Iowait
}
