package search_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/search"
)

// sustains is a system that keeps the objective up to a rate.
func sustains(most float64) func(float64) search.Probe {
	return func(rate float64) search.Probe {
		if rate <= most {
			return search.Probe{Outcome: search.Kept, Because: "p99 is 4 ms", Throughput: rate}
		}
		return search.Probe{Outcome: search.Missed, Because: "p99 is 40 ms", Throughput: most}
	}
}

func TestSearchesOfARate(t *testing.T) {
	space := search.Space{Vary: search.Rate, From: 100, To: 6400}
	unusable := func(from float64, outcome search.Outcome, because string) func(float64) search.Probe {
		return func(rate float64) search.Probe {
			if rate >= from {
				return search.Probe{Outcome: outcome, Because: because}
			}
			return sustains(1e9)(rate)
		}
	}
	tests := []struct {
		name    string
		system  func(float64) search.Probe
		status  search.Status
		low     float64 // bounds of the answer's value; 0: it has none
		high    float64
		because string
		notes   []string // a part of each
		most    int      // probes
	}{
		{"a limit", sustains(1500), search.Found, 1430, 1500, "kept at", nil, 18},
		{"from misses", sustains(50), search.None, 0, 0, "no value keeps the objective; 100 misses it: p99 is 40 ms", nil, 2},
		{"to keeps", sustains(1e6), search.AtLeast, 6400, 6400, "6,400 is the end of the search, and was kept", nil, 10},
		{
			"the generator is the limit", unusable(2000, search.ClientBound, "client-bound: idle CPU 3 %"), search.AtLeast, 1900, 1999,
			"could not be measured: client-bound: idle CPU 3 %",
			[]string{"probe 6 at 3,200 is not counted: client-bound"},
			20,
		},
		{
			"runs fail from a rate on", unusable(3000, search.Failed, "agent a is lost"), search.AtLeast, 1600, 2999,
			"could not be measured: agent a is lost",
			[]string{"probe 6 at 3,200 is not counted: agent a is lost"},
			20,
		},
		{
			"runs fail in a row from a rate on", unusable(1700, search.Failed, "agent a is lost"), search.AtLeast, 1600, 1699,
			"could not be measured: agent a is lost",
			[]string{"probe 9 at 2,260 is not counted: agent a is lost"},
			12,
		},
		{"all runs fail", unusable(0, search.Failed, "no agent"), search.Unfinished, 0, 0, "no probe could be used: no agent", []string{"probe 1", "probe 2"}, 2},
		{
			"a value is missed and higher ones are kept",
			func(rate float64) search.Probe {
				if rate == 400 {
					return search.Probe{Outcome: search.Missed, Because: "p99 is 40 ms", Throughput: rate}
				}
				return sustains(2500)(rate)
			},
			search.Found, 2400, 2500, "kept at",
			[]string{"400 missed the objective in 2 of 2 runs although"},
			23,
		},
		{
			"the throughput has a lower limit",
			func(rate float64) search.Probe {
				if rate < 1000 {
					return search.Probe{Outcome: search.TooLow, Because: "throughput is below 1000", Throughput: rate}
				}
				return sustains(2500)(rate)
			},
			search.Found, 2400, 2500, "kept at", nil, 20,
		},
		{
			"low rates have too few samples",
			func(rate float64) search.Probe {
				if rate < 700 {
					return search.Probe{Outcome: search.TooFew, Because: "p99 needs 662 samples", Throughput: rate}
				}
				return sustains(900)(rate)
			},
			search.Found, 850, 900, "kept at",
			[]string{"probe 1 at 100", "probe 2 at 200", "probe 3 at 400", "p99 needs 662 samples"},
			20,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			probes, step := play(t, space, test.system)
			a := step.Answer
			require.Equal(t, test.status, a.Status, a.Because)
			require.Contains(t, a.Because, test.because)
			require.LessOrEqual(t, len(probes), test.most)
			for _, note := range test.notes {
				require.Contains(t, strings.Join(a.Notes, "\n"), note)
			}
			if test.notes == nil {
				require.Empty(t, a.Notes)
			}
			if test.low == 0 {
				require.Nil(t, a.Value)
				return
			}
			require.GreaterOrEqual(t, *a.Value, test.low)
			require.LessOrEqual(t, *a.Value, test.high)
			require.Equal(t, 3, a.Confirmed)
			require.Len(t, a.Confirmations, 3)
			for _, i := range a.Confirmations {
				require.Equal(t, search.Confirm, step.Purposes[i])
				require.InDelta(t, *a.Value, probes[i].Value, 0)
			}
			if test.status == search.Found {
				require.LessOrEqual(t, *a.MissedAt, *a.Value*1.05)
			}
		})
	}
}

// A system that dies during a search ends it soon, and what was kept is not confirmed.
func TestASystemThatDies(t *testing.T) {
	n := 0
	probes, step := play(t, search.Space{Vary: search.Rate, From: 100, To: 6400}, func(rate float64) search.Probe {
		if n++; n > 4 {
			return search.Probe{Outcome: search.Failed, Because: "the target does not answer"}
		}
		return sustains(1e9)(rate)
	})
	require.Len(t, probes, 9)
	require.Equal(t, search.Unfinished, step.Answer.Status)
	require.Equal(t, "5 runs in a row failed: the target does not answer", step.Answer.Because)
	require.InDelta(t, 800, *step.Answer.Value, 0)
	require.Zero(t, step.Answer.Confirmed)
}

// A rate that only one run keeps is not the answer: its confirmation runs miss the objective.
func TestTheAnswerIsConfirmed(t *testing.T) {
	seen := map[float64]int{}
	probes, step := play(t, search.Space{Vary: search.Rate, From: 100, To: 6400}, func(rate float64) search.Probe {
		seen[rate]++
		if rate > 1300 && rate < 1500 && seen[rate] == 1 {
			return search.Probe{Outcome: search.Kept, Throughput: rate}
		}
		return sustains(1300)(rate)
	})
	require.Equal(t, search.Found, step.Answer.Status)
	require.LessOrEqual(t, *step.Answer.Value, 1300.0)
	require.GreaterOrEqual(t, *step.Answer.Value, 1235.0)
	require.Equal(t, 3, step.Answer.Confirmed)
	refuted := 0
	for i, p := range probes {
		if step.Purposes[i] == search.Confirm && p.Outcome == search.Missed {
			refuted++
		}
	}
	require.GreaterOrEqual(t, refuted, 2)
	require.NotEmpty(t, step.Answer.Notes)
}

func TestASearchStopsAtItsLargestNumberOfRuns(t *testing.T) {
	space := search.Space{Vary: search.Rate, From: 100, To: 6400, Most: 8}
	probes, step := play(t, space, sustains(1500))
	require.Len(t, probes, 8)
	require.Equal(t, search.Unfinished, step.Answer.Status)
	require.Equal(t, "8 runs were made, and more are not allowed (most)", step.Answer.Because)
	require.NotNil(t, step.Answer.Value, "what is known is in the answer")
}

// A run that the search did not ask for counts, too.
func TestExtraProbes(t *testing.T) {
	space := search.Space{Vary: search.Rate, From: 100, To: 6400}
	extra := sustains(1500)(1000)
	extra.Value = 1000
	step := space.Decide([]search.Probe{extra})
	require.Equal(t, []search.Purpose{search.Extra}, step.Purposes)
	require.InDelta(t, 100, step.Next, 0)
	require.InDelta(t, 1000, *step.Answer.Value, 0)
}

func TestSearchesOfThreads(t *testing.T) {
	scalable := func(sigma, kappa, most float64) func(float64) search.Probe {
		return func(n float64) search.Probe {
			p := search.Probe{Outcome: search.Kept, Throughput: 1000 * n / (1 + sigma*(n-1) + kappa*n*(n-1))}
			if n > most {
				p.Outcome = search.Missed
			}
			return p
		}
	}
	tests := []struct {
		name               string
		sigma, kappa, most float64
		to                 float64
		status             search.Status
	}{
		{"a peak", 0.02, 0.0007, 1e9, 1024, search.Found},
		{"a sharp peak", 0, 0.02, 1e9, 256, search.Found},
		{"a plateau", 0.1, 0, 1e9, 1024, search.Found},
		{"the objective is the limit", 0.01, 0, 20, 512, search.Found},
		{"linear up to the end", 0, 0, 1e9, 100, search.AtLeast},
		{"one thread is the best", 0.9, 0.5, 1e9, 64, search.Found},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			system := scalable(test.sigma, test.kappa, test.most)
			best := 0.0
			for n := 1.0; n <= test.to; n++ {
				if p := system(n); p.Outcome == search.Kept {
					best = max(best, p.Throughput)
				}
			}
			probes, step := play(t, search.Space{Vary: search.Threads, From: 1, To: test.to}, system)
			require.LessOrEqual(t, len(probes), 25)
			require.Equal(t, test.status, step.Answer.Status, step.Answer.Because)
			got := system(*step.Answer.Value).Throughput
			t.Logf("%s: %v threads, %.1f %% of the best, %d probes: %s", step.Answer.Status, *step.Answer.Value, 100*got/best, len(probes), step.Answer.Because)
			require.GreaterOrEqual(t, got, 0.95*best)
			require.Equal(t, 3, step.Answer.Confirmed)
			for _, p := range probes {
				require.InDelta(t, math.Round(p.Value), p.Value, 0, "whole threads")
			}
		})
	}
}

// Equal probes lead to equal steps, in whatever way the caller comes to have them.
func TestDecisionsAreDeterministic(t *testing.T) {
	space := search.Space{Vary: search.Threads, From: 1, To: 64}
	probes, last := play(t, space, func(n float64) search.Probe {
		return search.Probe{Outcome: search.Kept, Throughput: math.Min(n, 11) * 100, Because: fmt.Sprint(n)}
	})
	for range 20 {
		require.Equal(t, last, space.Decide(slices.Clone(probes)))
	}
}
