package latency

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestMergedFiguresAreThoseOfAllSamplesPooled tests the whole path: many workers on several agents, windows cut at any
// instants, encoded, sent, decoded and merged in any order. The figures are those of all raw samples.
func TestMergedFiguresAreThoseOfAllSamplesPooled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		agents := rapid.SampledFrom([]int{1, 3, 8}).Draw(t, "agents")
		service := rapid.SampledFrom([]string{"lognormal", "bimodal", "stalling"}).Draw(t, "service")
		open := rapid.Bool().Draw(t, "open")
		ops := rapid.IntRange(0, 4000).Draw(t, "ops per agent")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))

		var pooled struct{ response, service [2][]int64 }
		var windows [][]Series
		for range agents {
			a := agent{rng: rng, service: serviceTime(service, rng), open: open}
			windows = append(windows, a.run(ops, rapid.IntRange(0, 12).Draw(t, "cuts"))...)
			for k := range pooled.response {
				pooled.response[k] = append(pooled.response[k], a.responses[k]...)
				pooled.service[k] = append(pooled.service[k], a.services[k]...)
			}
		}
		rng.Shuffle(len(windows), func(i, j int) { windows[i], windows[j] = windows[j], windows[i] })
		merged := mergeAsSent(t, windows, rng)

		for k, key := range testKeys[:2] {
			i := slices.IndexFunc(merged, func(s Series) bool { return s.Key == key })
			if i < 0 {
				require.Empty(t, pooled.response[k])
				continue
			}
			requireTruth(t, pooled.response[k], merged[i].Response)
			requireTruth(t, pooled.service[k], merged[i].Service)
		}
	})
}

// serviceTime draws service times of a kind of target.
func serviceTime(kind string, rng *rand.Rand) func(now int64) int64 {
	switch kind {
	case "lognormal":
		median, sigma := 100_000*math.Exp(3*rng.Float64()), 0.2+2*rng.Float64()
		return func(int64) int64 { return int64(median * math.Exp(sigma*rng.NormFloat64())) }
	case "bimodal":
		share := rng.Float64()
		return func(int64) int64 {
			if rng.Float64() < share {
				return 200_000 + rng.Int64N(20_000)
			}
			return 25_000_000 + rng.Int64N(5_000_000)
		}
	default: // stalling: nothing is answered in the last tenth of each period
		period := int64(200 * time.Millisecond)
		return func(now int64) int64 {
			v := int64(time.Millisecond) + rng.Int64N(1000)
			if into := now % period; into >= period*9/10 {
				v += period - into
			}
			return v
		}
	}
}

// agent simulates a load generator with a recorder, and keeps all its samples.
type agent struct {
	rng                 *rand.Rand
	service             func(now int64) int64
	open                bool
	responses, services [2][]int64
}

// run lets a few workers take turns for a number of operations and cuts windows at random instants.
func (a *agent) run(ops, cuts int) [][]Series {
	const workers = 5
	r := newRecorder(testKeys, workers, 1+a.rng.IntN(3))
	if a.rng.IntN(2) == 0 {
		r.SetBounds(Bounds{Every: 1 + a.rng.Int64N(int64(time.Second))})
	}
	cutAt := make(map[int]bool)
	for range cuts {
		cutAt[a.rng.IntN(ops+1)] = true
	}
	var windows [][]Series
	var free [workers]int64 // when each worker is done
	now := int64(0)
	for i := range ops {
		if cutAt[i] {
			windows = append(windows, r.Cut(now))
		}
		w := a.rng.IntN(workers)
		sent, intended := free[w], free[w]
		if a.open {
			intended = max(0, sent-a.rng.Int64N(3_000_000))
		}
		service := a.service(sent)
		done := sent + service
		free[w], now = done, max(now, done)
		k := a.rng.IntN(2)
		r.Local(w).Record(k, done, done-intended, service)
		a.responses[k] = append(a.responses[k], done-intended)
		a.services[k] = append(a.services[k], service)
	}
	return append(windows, r.Cut(math.MaxInt64))
}

// mergeAsSent encodes, decodes and merges windows, in parts, in all available ways.
func mergeAsSent(t *rapid.T, windows [][]Series, rng *rand.Rand) []Series {
	var parts [3]Merged
	for _, series := range windows {
		var received []Series
		for _, s := range series {
			received = append(received, Series{Key: s.Key, Response: resent(t, s.Response, rng), Service: resent(t, s.Service, rng)})
		}
		require.NoError(t, parts[rng.IntN(len(parts))].Add(received))
	}
	var all Merged
	for _, i := range []int{2, 0, 1} {
		require.NoError(t, all.Add(parts[i].Series()))
	}
	return all.Series()
}

func resent(t *rapid.T, h *Histogram, rng *rand.Rand) *Histogram {
	data := encoded(t, h)
	if rng.IntN(2) == 0 {
		taken, err := TakeHistogram(data)
		require.NoError(t, err)
		back := new(Histogram)
		require.NoError(t, back.Merge(taken))
		return back
	}
	back, err := DecodeHistogram(data)
	require.NoError(t, err)
	return back
}
