//go:build integration

package e2e

import (
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/tolerance"
	"github.com/benchd/benchd/test/testcluster"
)

// offer runs an open loop on the null target and returns its only phase.
func offer(t *testing.T, args ...string) (result.Run, result.Phase) {
	t.Helper()
	args = append([]string{"run", "--db", "null", "-p", "recordcount=1000", "-o", "json"}, args...)
	stdout, stderr, code := testcluster.Run(t, 2*time.Minute, "benchctl", args...)
	require.Zero(t, code, stderr)
	r := testcluster.Parse(t, stdout)
	require.Len(t, r.Phases, 1)
	p := r.Phases[0]
	testcluster.RequireConsistent(t, r, len(r.Provenance.Agents))
	require.Equal(t, "open", p.Loop)
	require.NotNil(t, p.Lateness)
	require.Equal(t, p.Ops, p.Lateness.Count, "the lateness of each operation is known")
	require.NotNil(t, p.Lateness.P50)
	require.NotNil(t, p.Lateness.P99)
	require.LessOrEqual(t, *p.Lateness.P50, *p.Lateness.P99)
	require.LessOrEqual(t, *p.Lateness.P99, p.Lateness.Max*1.001)
	var sum uint64
	for _, g := range p.Generators {
		require.NotNil(t, g.Lateness)
		sum += g.Lateness.Count
	}
	require.Equal(t, p.Ops, sum)
	return r, p
}

func overloaded(t *testing.T, r result.Run) result.Verdict {
	t.Helper()
	i := slices.IndexFunc(r.Verdicts, func(v result.Verdict) bool { return v.Name == "overloaded" })
	require.GreaterOrEqual(t, i, 0)
	return r.Verdicts[i]
}

func TestAnOfferedRateIsKept(t *testing.T) {
	tolerance.Retry(t, func(try *tolerance.Try) { // operations that a stall delays beyond the end are not sent
		r, p := offer(t, "--agents", "2", "--threads", "64", "--target", "20000", "--duration", "15s", "-p", "null.service=1ms")
		t.Logf("%d ops, %.1f ops/s, sent late by %.3f ms (p50), %.3f ms (p99), %.3f ms (max)",
			p.Ops, p.Throughput, *p.Lateness.P50, *p.Lateness.P99, p.Lateness.Max)
		require.InDelta(t, 20_000, *p.Offered, 1e-6)
		require.LessOrEqual(t, p.Ops, uint64(300_000), "nothing is sent that was not intended")
		assert.InEpsilon(try, 300_000, p.Ops, 0.001)
		assert.InEpsilon(try, 20_000, p.Throughput, 0.001)
		assert.False(try, overloaded(t, r).Value)
	})
}

func TestATargetThatTakesHalfOfWhatIsOfferedIsOverloaded(t *testing.T) {
	tolerance.Retry(t, func(try *tolerance.Try) {
		r, p := offer(t, "--agents", "1", "--threads", "8", "--target", "200000", "--duration", "5s", "-p", "null.capacity=100000")
		v := overloaded(t, r)
		t.Log(v.Because)
		require.True(t, v.Value)
		require.InEpsilon(t, 200_000, *p.Offered, 1e-6)
		require.Less(t, p.Throughput, 101_000.0)
		assert.Greater(try, p.Throughput, 20_000.0, "less only as far as the machine is too busy to take its turns")
		// What was intended within 5 s was sent or is in the backlog; the last that was sent was intended when as many were. It was
		// sent before the end, unless the machine stalled then.
		assert.InEpsilon(try, 1_000_000, p.Ops+p.Generators[0].BacklogMax, 0.01)
		assert.InEpsilon(try, 1000*(5-float64(p.Ops)/200_000), p.Lateness.Max, 0.05)
	})
}

// The arrivals of three agents together are one Poisson process: the gaps between them are exponential, by Kolmogorov
// and Smirnov. The log has the times of sending, which are those of the schedule only on a machine that is not busy; a busy one
// gets another try.
func TestPoissonArrivalsOfThreeAgentsHaveExponentialGaps(t *testing.T) {
	const rate, seconds, attempts = 60, 14, tolerance.Tries
	const critical = 1.95 // of 0.1 %
	for attempt := 1; ; attempt++ {
		log := filepath.Join(t.TempDir(), "ops.log")
		_, p := offer(t, "--agents", "3", "--threads", "4", "--arrival", "poisson", "--target", strconv.Itoa(rate),
			"--duration", strconv.Itoa(seconds)+"s", "--seed", strconv.Itoa(attempt), "--write-below", filepath.Dir(log), "-p", "null.log="+log)
		require.InDelta(t, rate*seconds, p.Ops, 4*math.Sqrt(rate*seconds))
		var sent []int64
		shards := make(map[int]int)
		for _, o := range operations(t, log) {
			sent = append(sent, o.begin)
			shards[o.shard]++
		}
		require.Len(t, shards, 3)
		distance, late := exponential(sent, rate), *p.Lateness.P99
		t.Logf("%d arrivals, D·√n = %.3f; sent late by %.3f ms (p99)", len(sent), distance, late)
		if late > 5 && attempt < attempts && distance >= critical {
			continue
		}
		require.Less(t, distance, critical)
		return
	}
}

// exponential is Kolmogorov's distance of the gaps between instants from the exponential distribution of a rate, times
// the root of their number.
func exponential(instants []int64, rate float64) float64 {
	slices.Sort(instants)
	gaps := make([]float64, len(instants)-1)
	for i := range gaps {
		gaps[i] = float64(instants[i+1]-instants[i]) * rate / 1e9
	}
	slices.Sort(gaps)
	n := float64(len(gaps))
	var distance float64
	for i, x := range gaps {
		q := 1 - math.Exp(-x)
		distance = max(distance, math.Abs(q-float64(i)/n), math.Abs(float64(i+1)/n-q))
	}
	return distance * math.Sqrt(n)
}

func TestARampOffersItsArea(t *testing.T) {
	t.Parallel() // it waits most of the time
	_, p := offer(t, "--agents", "3", "--threads", "8", "--arrival", "fixed", "-p", "rate=1000 -> 9000 over 3s, 9000 -> 100 over 3s",
		"--duration", "6s")
	const area = (1000+9000)/2*3 + (9000+100)/2*3
	t.Logf("%d of %d operations", p.Ops, area)
	require.InEpsilon(t, area, p.Ops, 0.01, "the ramp ends with 100 a second: a stall at the end leaves out few")
	require.InEpsilon(t, area/6.0, *p.Offered, 1e-6)
	// Even on a busy machine, nothing is sent before its time on the curve.
	curve := []float64{2333, 7333, 15_000, 22_517, 27_067, 28_650} // operations until the end of each second
	var done uint64
	for i, point := range p.Series[:6] {
		done += point.Ops
		require.LessOrEqual(t, float64(done), curve[i]+3, "until second %d", i+1)
	}
}
