//go:build integration

package e2e

import (
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
)

// offer runs an open loop on the null target and gives its only phase.
func offer(t *testing.T, args ...string) (result.Run, result.Phase) {
	t.Helper()
	args = append([]string{"run", "--db", "null", "-p", "recordcount=1000", "-o", "json"}, args...)
	stdout, stderr, code := run(t, 2*time.Minute, "benchctl", args...)
	require.Zero(t, code, stderr)
	r := parse(t, stdout)
	require.Len(t, r.Phases, 1)
	p := r.Phases[0]
	honest(t, r, len(r.Provenance.Agents))
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
	r, p := offer(t, "--agents", "2", "--threads", "64", "--target", "20000", "--duration", "30s", "-p", "null.service=1ms")
	t.Logf("%d ops, %.1f ops/s, sent late by %.3f ms (p50), %.3f ms (p99), %.3f ms (max)",
		p.Ops, p.Throughput, *p.Lateness.P50, *p.Lateness.P99, p.Lateness.Max)
	require.InDelta(t, 20_000, *p.Offered, 1e-6)
	require.InEpsilon(t, 600_000, p.Ops, 0.001)
	require.LessOrEqual(t, p.Ops, uint64(600_000), "nothing is sent that was not intended")
	require.InEpsilon(t, 20_000, p.Throughput, 0.001)
	require.False(t, overloaded(t, r).Value)
}

func TestATargetThatTakesHalfOfWhatIsOfferedIsOverloaded(t *testing.T) {
	r, p := offer(t, "--agents", "1", "--threads", "8", "--target", "200000", "--duration", "5s", "-p", "null.capacity=100000")
	v := overloaded(t, r)
	t.Log(v.Because)
	require.True(t, v.Value)
	require.InEpsilon(t, 200_000, *p.Offered, 1e-6)
	require.InEpsilon(t, 100_000, p.Throughput, 0.01)
	require.InEpsilon(t, 500_000, p.Generators[0].BacklogMax, 0.02, "what was intended within 5 s and not sent")
	require.InEpsilon(t, 2500, p.Lateness.Max, 0.02, "the last one sent was intended after half of the time")
}

// The arrivals of three agents together are one Poisson process: the gaps between them are exponential, by Kolmogorov
// and Smirnov.
func TestPoissonArrivalsOfThreeAgentsHaveExponentialGaps(t *testing.T) {
	const rate, seconds = 250, 8
	log := filepath.Join(t.TempDir(), "ops.log")
	_, p := offer(t, "--agents", "3", "--threads", "4", "--arrival", "poisson", "--target", "250", "--duration", "8s", "--seed", "3",
		"-p", "null.log="+log)
	require.InDelta(t, rate*seconds, p.Ops, 4*math.Sqrt(rate*seconds))

	var sent []int64
	shards := make(map[int]int)
	for _, o := range operations(t, log) {
		sent = append(sent, o.begin)
		shards[o.shard]++
	}
	require.Len(t, shards, 3)
	slices.Sort(sent)
	gaps := make([]float64, len(sent)-1)
	for i := range gaps {
		gaps[i] = float64(sent[i+1]-sent[i]) * rate / 1e9
	}
	slices.Sort(gaps)
	n := float64(len(gaps))
	var distance float64
	for i, x := range gaps {
		q := 1 - math.Exp(-x)
		distance = max(distance, math.Abs(q-float64(i)/n), math.Abs(float64(i+1)/n-q))
	}
	t.Logf("%d gaps, D·√n = %.3f", len(gaps), distance*math.Sqrt(n))
	const critical = 1.95 // of 0.1 %
	require.Less(t, distance*math.Sqrt(n), critical)
}

func TestARampOffersItsArea(t *testing.T) {
	_, p := offer(t, "--agents", "3", "--threads", "8", "--arrival", "fixed", "-p", "rate=1000 -> 9000 over 3s, 9000 -> 100 over 3s",
		"--duration", "6s")
	const area = (1000+9000)/2*3 + (9000+100)/2*3
	t.Logf("%d of %d operations", p.Ops, area)
	require.InEpsilon(t, area, p.Ops, 0.001)
	require.InEpsilon(t, area/6.0, *p.Offered, 1e-6)
	// The rate follows its curve, second by second.
	want := []float64{2333, 5000, 7667, 7517, 4550, 1583}
	for i, point := range p.Series[:6] {
		require.InEpsilon(t, want[i], point.Ops, 0.02, "second %d", i)
	}
}
