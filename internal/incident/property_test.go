//go:build !race

package incident_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/incident"
	"github.com/benchd/benchd/internal/result"
)

const trials = 1000

// shown is the share of trials in which an action or an event at a second shows a dip.
func shown(next func() []float64, at int, kind string) float64 {
	n := 0
	for range trials {
		p := measured(next()...)
		if kind == result.ByAction {
			p.Actions = []result.Action{acted(float64(at), 3, "nothing")}
		} else {
			p.Events = []result.Event{event(float64(at), kind, "nothing")}
		}
		for _, i := range incident.Of(p) {
			if i.Dip != nil && *i.Dip {
				n++
			}
		}
	}
	return float64(n) / trials
}

// Noise alone is called a dip in at most 1 % of the trials with independent intervals, and in at most 6 % with intervals
// that depend on each other strongly.
func TestNoiseIsRarelyTakenForADip(t *testing.T) {
	for _, tc := range []struct {
		name                    string
		before                  int
		noise, inherited, drift float64
		kind                    string
		most                    float64
	}{
		{"independent", 30, 0.05, 0, 0, result.ByAction, 0.01},
		{"independent, much noise", 30, 0.2, 0, 0, result.ByAction, 0.01},
		{"independent, few intervals", 5, 0.05, 0, 0, result.ByAction, 0.01},
		{"dependent", 60, 0.05, 0.5, 0, result.ByAction, 0.03},
		{"strongly dependent", 60, 0.05, 0.8, 0, result.ByAction, 0.06},
		{"drift of 10 %", 120, 0.05, 0.3, -0.1, result.ByAction, 0.03},
		{"noticed late", 60, 0.05, 0.5, 0, result.HappenedServer, 0.03},
		{"splits", 60, 0.05, 0.5, 0, result.HappenedSplit, 0.03},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			share := shown(func() []float64 { return noisy(r, 1+tc.before+60, tc.noise, tc.inherited, tc.drift) }, 1+tc.before, tc.kind)
			t.Logf("%.1f %% of %d", 100*share, trials)
			require.LessOrEqual(t, share, tc.most)
		})
	}
}

// A dip of 30 % for five seconds, at most two seconds after its cause, is found in at least 95 % of the trials with 5 %
// noise and 15 intervals before.
func TestADipIsFound(t *testing.T) {
	for _, tc := range []struct {
		name             string
		before           int
		inherited, depth float64
		kind             string
	}{
		{"15 intervals before", 15, 0, 0.3, result.ByAction},
		{"60 intervals before", 60, 0, 0.3, result.ByAction},
		{"dependent intervals", 60, 0.5, 0.3, result.ByAction},
		{"strongly dependent intervals", 60, 0.8, 0.3, result.ByAction},
		{"noticed", 60, 0.5, 0.3, result.HappenedServer},
		{"five intervals before, half of the throughput", 5, 0, 0.5, result.ByAction},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, 4))
			share := shown(func() []float64 {
				x := noisy(r, 1+tc.before+60, 0.05, tc.inherited, 0)
				begin := 1 + tc.before + r.IntN(3)
				for k := begin; k < begin+5; k++ {
					x[k] = max(0, x[k]-10_000*tc.depth)
				}
				return x
			}, 1+tc.before, tc.kind)
			t.Logf("%.1f %% of %d", 100*share, trials)
			require.GreaterOrEqual(t, share, 0.95)
		})
	}
}
