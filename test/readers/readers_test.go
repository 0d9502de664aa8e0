//go:build integration

package readers

import (
	"flag"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/stats"
	"github.com/benchd/benchd/test/testcluster"
)

// The limits of `make bench-readers`.
const (
	shareOffered = 0.995 // of the offered rate that a run achieves
	shareP50     = 0.05  // the interval of the change of p50 is within it, both ways
	costOfReader = 0.005 // cores of the coordinator
	moreLate     = 0.001 // of the operations; a difference within it is none
)

// options are the settings of `make bench-readers`.
type options struct {
	readers, pairs int
	length         time.Duration
	limits         bool
}

// chosen holds the options, which flags of the test's binary can only leave in a variable.
var chosen options

func TestMain(m *testing.M) {
	flag.IntVar(&chosen.readers, "readers", 50, "clients that read events")
	flag.IntVar(&chosen.pairs, "pairs", 1, "pairs of runs without and with readers")
	flag.DurationVar(&chosen.length, "length", 4*time.Second, "length of a run")
	flag.BoolVar(&chosen.limits, "limits", false, "also check the limits of rate, late sends, p50 and CPU")
	flag.Parse()
	os.Exit(testcluster.Main(m))
}

// target is one whose operations take a constant time, so that the threads bound the capacity.
func target(args ...string) []string {
	return append([]string{"-p", "null.service=constant 1ms", "-p", "recordcount=1000", "--threads", "8", "--duration", chosen.length.String()}, args...)
}

// figures are the measurements of a run.
type figures struct {
	offered, achieved float64 // operations per second
	late              float64 // share of operations that the agent has sent late
	p50               float64 // microseconds
	cores             float64 // of the coordinator, from the submission to the end
	events            int     // of each reader
}

func TestReadersDoNotDisturbARun(t *testing.T) {
	h := testcluster.New(t)
	h.Agents("a")
	id := h.Submit(target()...)
	wait(t, h, id)
	capacity := measured(h.Show(id)).Throughput
	rate := strconv.Itoa(int(capacity / 2))
	fmt.Printf("the capacity is %.0f ops/s; %d pairs of %s at %s ops/s, half of them beside %d readers\n", capacity, chosen.pairs, chosen.length, rate, chosen.readers)

	var late, p50, cores, all []float64
	for pair := range chosen.pairs {
		var both [2]figures // without and with readers
		for turn := range both {
			with := (pair + turn) % 2
			both[with] = run(t, h, rate, with*chosen.readers)
			f := both[with]
			fmt.Printf("pair %d, %2d readers: %.1f of %.1f ops/s, %.3f %% late, p50 %.0f µs, coordinator %.4f cores, %d events\n",
				pair+1, with*chosen.readers, f.achieved, f.offered, 100*f.late, f.p50, f.cores, f.events)
			if chosen.limits {
				require.GreaterOrEqual(t, f.achieved, shareOffered*f.offered, "the offered rate should be kept")
			}
		}
		late = append(late, both[1].late-both[0].late)
		p50 = append(p50, math.Log(both[1].p50/both[0].p50))
		cores = append(cores, (both[1].cores-both[0].cores)/float64(chosen.readers))
		all = append(all, both[1].cores/float64(chosen.readers))
	}
	if len(p50) < 2 {
		return
	}
	more, change, cost := stats.Repeats(late), stats.Repeats(p50), stats.Repeats(cores)
	fmt.Printf("with readers, with 95 %% intervals by Student's t of the pairs: %+.4f %% more late sends (%+.4f to %+.4f %%); p50 %+.2f %% (%+.2f to %+.2f %%)\n",
		100**more.Mean, 100**more.Low, 100**more.High, 100*math.Expm1(*change.Mean), 100*math.Expm1(*change.Low), 100*math.Expm1(*change.High))
	fmt.Printf("a reader takes %.4f %% of a core of the coordinator (%.4f to %.4f %%); all of the coordinator's CPU is %.4f %% for each reader\n",
		100**cost.Mean, 100**cost.Low, 100**cost.High, 100**stats.Repeats(all).Mean)
	if !chosen.limits {
		return
	}
	require.GreaterOrEqual(t, len(p50), 6, "pairs")
	require.True(t, *more.Low <= 0 || *more.Mean < moreLate, "more late sends with readers")
	require.True(t, math.Expm1(*change.Low) > -shareP50 && math.Expm1(*change.High) < shareP50, "the interval of p50 should be within ±5 %%")
	require.Less(t, *cost.High, costOfReader, "upper bound of the cores that a reader takes")
	require.Less(t, *stats.Repeats(all).Mean, costOfReader, "the coordinator's cores for each reader")
}

// run makes a run at a rate, beside some readers.
func run(t *testing.T, h *testcluster.Cluster, rate string, readers int) (f figures) {
	t.Helper()
	began, before := time.Now(), cpuTime(t, h.Coordinator.ID())
	id := h.Submit(target("-p", "arrival=fixed", "-p", "rate="+rate)...)
	ended := read(t, "http://"+h.HTTP+"/api/v1/suites/"+id+"/events", readers)
	wait(t, h, id)
	f.events = ended()
	f.cores = (cpuTime(t, h.Coordinator.ID()) - before).Seconds() / time.Since(began).Seconds()
	r := h.Show(id)
	testcluster.RequireConsistent(t, r, 1)
	p := measured(r)
	f.offered, f.achieved = *p.Offered, p.Throughput
	for _, g := range p.Generators {
		f.late += float64(g.LateSends) / float64(p.Ops)
	}
	for _, o := range p.Operations {
		if o.Op == "READ" && o.Outcome == "OK" {
			f.p50 = *o.P50
		}
	}
	require.Positive(t, f.p50)
	return f
}

// wait waits until a run is complete, as a user of benchctl does.
func wait(t *testing.T, h *testcluster.Cluster, id string) {
	t.Helper()
	_, stderr, code := h.Ctl("watch", id)
	require.Zero(t, code, stderr)
	require.Equal(t, string(result.Complete), h.Status(id))
}

func measured(r result.Run) result.Phase { return r.Phases[len(r.Phases)-1] }
