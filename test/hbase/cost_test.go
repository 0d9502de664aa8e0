//go:build hbase && bench

package hbase

import (
	"flag"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/test/house"
)

var (
	costPairs  = flag.Int("pairs", 10, "pairs of two runs with telemetry and two without")
	costLength = flag.Duration("length", 15*time.Second, "how long each run of a pair measures")
	costJudged = flag.Bool("judge", false, "fail when looking costs too much; the machine must have nothing else to do")
)

// TestLookingCostsLittle measures what telemetry of three region servers, a second apart, costs: how much of the
// throughput that a closed loop has without it, and how much processor time of the agent that watches, at a fixed rate.
// A pair is four runs: the first and the last with it and those between without, or the other way round in every second
// pair. What drifts evenly on servers and machine meanwhile falls on both sides alike.
func TestLookingCostsLittle(t *testing.T) {
	const records = 50_000
	const table = "cost"
	on(t, []string{three}, func(t *testing.T, s *server) {
		h := house.New(t)
		h.Agents("a")
		measure := func(length time.Duration, args ...string) result.Run {
			settings := property("recordcount", records, "readproportion", 1, "updateproportion", 0, "operationcount", 0, "telemetry.interval", "1s")
			r := submit(t, h, 1, s, table, append(append(settings, args...), "--threads", "16", "--duration", length.String())...)
			faultless(t, r)
			return r
		}
		faultless(t, submit(t, h, 1, s, table, append(property("recordcount", records, "hbase.table.create", "recreate", "hbase.splits", 11,
			"hbase.after.load", "flush,major_compact"), "--phase", "load", "--threads", "16")...))
		measure(4 * *costLength) // the servers compile what they need
		// watched returns what of gives of a pair's runs, on the mean of those with telemetry and of those without.
		watched := func(i int, of func(result.Phase) float64, args ...string) (with, without float64) {
			for k := range 4 {
				on := i%2 == 0 == (k == 0 || k == 3)
				r := measure(*costLength, append(args, property("telemetry", on)...)...)
				p := r.Phases[len(r.Phases)-1]
				require.Equal(t, on, len(observed(p, "hbase.regionserver.store_files")) == 3, "three servers are watched, or none")
				if on {
					with += of(p) / 2
				} else {
					without += of(p) / 2
				}
			}
			return with, without
		}

		var lost []float64 // logarithms
		for i := range *costPairs {
			with, without := watched(i, func(p result.Phase) float64 { return p.Throughput })
			lost = append(lost, math.Log(with/without))
			t.Logf("pair %2d: %.0f operations a second with telemetry, %.0f without", i+1, with, without)
		}
		var used []float64 // percent of a core
		for i := range *costPairs {
			with, without := watched(i, func(p result.Phase) float64 { return 100 * p.Generators[0].OwnCPU }, "--target", "1000")
			used = append(used, with-without)
			t.Logf("pair %2d: at 1000 operations a second %.2f %% of a core with telemetry, %.2f %% without", i+1, with, without)
		}
		throughput, cpu := compare.Repeats(lost), compare.Repeats(used)
		percent := func(log float64) float64 { return 100 * (1 - math.Exp(log)) }
		t.Logf("telemetry costs %.2f %% of the throughput (95 %% interval %.2f to %.2f) and %.2f %% of a core (%.2f to %.2f)",
			percent(*throughput.Mean), percent(*throughput.High), percent(*throughput.Low), *cpu.Mean, *cpu.Low, *cpu.High)
		if *costJudged {
			require.Less(t, percent(*throughput.Low), 5.0, "percent of the throughput at the most")
			require.Less(t, *cpu.High, 2.0, "percent of a core at the most")
		}
	})
}
