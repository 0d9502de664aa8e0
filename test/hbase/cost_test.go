//go:build hbase && bench

package hbase

import (
	"flag"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/test/house"
)

var (
	costGroups = flag.Int("groups", 20, "groups of two runs with telemetry and two without, in a closed loop; there are a quarter as many at a fixed rate, and 5 at least")
	costLength = flag.Duration("length", 8*time.Second, "how long each run of a group measures")
	costJudged = flag.Bool("judge", false, "fail when looking costs too much; the machine must have nothing else to do")
)

// TestLookingCostsLittle measures what telemetry of three region servers, a second apart, costs: how much of the
// throughput that a closed loop has without it, and how much processor time of the agent that watches, at a fixed rate.
// A group is four runs: the first and the last with it and those between without, or the other way round in every second
// group. What drifts evenly on servers and machine meanwhile falls on both sides alike.
//
// Servers and clients fill the machine, so a second in which its hypervisor gave half of it away has half the
// throughput, whoever looks on. Throughput is therefore taken per second of processor that the machine was given, idle
// or not: only what was stolen is left out. It is printed as it was, too. And at the fixed rate it is told by how much
// all that the machine's processors do grows, servers included: a machine that is full cannot lose more throughput.
func TestLookingCostsLittle(t *testing.T) {
	const records = 50_000
	const table = "cost"
	on(t, []string{three}, func(t *testing.T, s *server) {
		h := house.New(t)
		h.Agents("a")
		processors := sampleProcessors(t)
		measure := func(length time.Duration, args ...string) result.Run {
			settings := property("recordcount", records, "readproportion", 1, "updateproportion", 0, "operationcount", 0, "telemetry.interval", "1s")
			r := submit(t, h, 1, s, table, append(append(settings, args...), "--threads", "16", "--duration", length.String())...)
			faultless(t, r)
			return r
		}
		faultless(t, submit(t, h, 1, s, table, append(property("recordcount", records, "hbase.table.create", "recreate", "hbase.splits", 11,
			"hbase.after.load", "flush,major_compact"), "--phase", "load", "--threads", "16")...))
		measure(60 * time.Second) // the servers compile what they need
		// group returns what of gives of a group's runs, on the mean of those with telemetry and of those without.
		group := func(i int, of func(r result.Run, on bool) float64, args ...string) (with, without float64) {
			for k := range 4 {
				on := i%2 == 0 == (k == 0 || k == 3)
				r := measure(*costLength, append(args, property("telemetry", on)...)...)
				require.Equal(t, on, len(observed(last(r), "hbase.regionserver.store_files")) == 3, "three servers are watched, or none")
				if on {
					with += of(r, on) / 2
				} else {
					without += of(r, on) / 2
				}
			}
			return with, without
		}

		var lost, raw []float64 // logarithms
		for i := range *costGroups {
			seen := map[bool]float64{}
			with, without := group(i, func(r result.Run, on bool) float64 {
				p := last(r)
				given, _ := processors.within(r)
				seen[on] += p.Throughput / 2
				return float64(p.Ops) / given
			})
			lost, raw = append(lost, math.Log(with/without)), append(raw, math.Log(seen[true]/seen[false]))
			t.Logf("group %2d: %.0f operations a second with telemetry, %.0f without; %.0f and %.0f per second of processor",
				i+1, seen[true], seen[false], with, without)
		}
		var used, all []float64 // percent of a core; of all cores
		for i := range max(5, *costGroups/4) {
			busy := map[bool]float64{}
			with, without := group(i, func(r result.Run, on bool) float64 {
				given, worked := processors.within(r)
				busy[on] += 100 * worked / given / 2
				return 100 * last(r).Generators[0].OwnCPU
			}, "--target", "1000")
			used, all = append(used, with-without), append(all, busy[true]-busy[false])
			t.Logf("group %2d: at 1000 operations a second %.2f %% of a core with telemetry, %.2f %% without; the machine works %.2f and %.2f %% of its time",
				i+1, with, without, busy[true], busy[false])
		}
		percent := func(log float64) float64 { return 100 * (1 - math.Exp(log)) }
		asItWas, throughput, core, machine := compare.Repeats(raw), compare.Repeats(lost), compare.Repeats(used), compare.Repeats(all)
		t.Logf("telemetry costs %.2f %% of the throughput per second of processor (95 %% interval %.2f to %.2f), %.2f %% as it was (%.2f to %.2f); %.2f %% of the machine's time (%.2f to %.2f); %.2f %% of a core (%.2f to %.2f)",
			percent(*throughput.Mean), percent(*throughput.High), percent(*throughput.Low),
			percent(*asItWas.Mean), percent(*asItWas.High), percent(*asItWas.Low), *machine.Mean, *machine.Low, *machine.High, *core.Mean, *core.Low, *core.High)
		if *costJudged {
			require.Less(t, percent(*throughput.Low), 5.0, "percent of the throughput at the most")
			require.Less(t, *core.High, 2.0, "percent of a core at the most")
		}
	})
}

// last is the phase that a run ends with.
func last(r result.Run) result.Phase { return r.Phases[len(r.Phases)-1] }

// processors is what the machine's processors had done by instants a tenth of a second apart.
type processors struct {
	mu      sync.Mutex
	at      []time.Time
	seconds []float64 // that all of them had, but for what the hypervisor took
	work    []float64 // of these
}

// sampleProcessors looks at them until the test ends.
func sampleProcessors(t *testing.T) *processors {
	t.Helper()
	p := &processors{}
	ended := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		for tick := time.NewTicker(100 * time.Millisecond); ; {
			select {
			case <-ended:
				return
			case now := <-tick.C:
				sum, err := cpu.Times(false)
				if err != nil {
					t.Error(err)
					return
				}
				c := sum[0]
				p.mu.Lock()
				p.at = append(p.at, now)
				work := c.User + c.System + c.Nice + c.Irq + c.Softirq
				p.seconds, p.work = append(p.seconds, work+c.Idle+c.Iowait), append(p.work, work)
				p.mu.Unlock()
			}
		}
	})
	t.Cleanup(func() {
		close(ended)
		all.Wait()
	})
	return p
}

// within is how many seconds of processor the machine had while a run measured, and in how many it worked.
func (p *processors) within(r result.Run) (given, worked float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	by := func(t time.Time) int {
		i, _ := slices.BinarySearchFunc(p.at, t, time.Time.Compare)
		return min(i, len(p.at)-1)
	}
	from, to := by(r.Start.Planned), by(r.Start.Planned.Add(time.Duration(last(r).Seconds*float64(time.Second))))
	return p.seconds[to] - p.seconds[from], p.work[to] - p.work[from]
}
