package result_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
)

// soak is a complete run with a measured phase of so many windows of a second; speed and latency are those of a window at
// a share of the phase.
func soak(windows int, speed, latency func(at float64) float64) result.Run {
	p := result.Phase{Name: "measure"}
	for i := range windows {
		at := float64(i) / float64(windows-1)
		ops := uint64(math.Round(speed(at)))
		p.Ops += ops
		p.Series = append(p.Series, result.Point{
			T: float64(i), Seconds: 1, Ops: ops,
			Operations: []result.PointOperation{{Op: "READ", Outcome: "OK", Count: ops, Mean: latency(at)}},
		})
	}
	p.Seconds = float64(windows)
	p.Throughput = float64(p.Ops) / p.Seconds
	p.Operations = []result.Operation{{Op: "READ", Outcome: "OK", Figures: result.Figures{Count: p.Ops}}}
	return result.Run{Status: result.Complete, Phases: []result.Phase{p}}
}

// noisy is a level with a drift over the phase, and noise that depends on the window before.
func noisy(seed uint64, level, drift, deviation float64) func(float64) float64 {
	random := rand.New(rand.NewPCG(seed, 9))
	const rho = 0.6
	before := 0.0
	return func(at float64) float64 {
		before = rho*before + math.Sqrt(1-rho*rho)*random.NormFloat64()
		return level * (1 + drift*at + deviation*before)
	}
}

func TestARunIsFlatOnlyIfItsSeriesShowThat(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		run     result.Run
		want    any // nil: not decided
		because string
	}{
		{"flat", soak(3600, noisy(1, 10000, 0, 0.03), noisy(2, 500, 0, 0.05)), true, "measure: throughput "},
		{"throughput falls", soak(3600, noisy(3, 10000, -0.10, 0.03), noisy(4, 500, 0, 0.05)), false, "measure: throughput fell by 1"},
		{"latency rises", soak(3600, noisy(5, 10000, 0, 0.03), noisy(6, 500, 0.2, 0.05)), false, "mean of READ rose by 1"},
		{"a small drift is flat", soak(7200, noisy(7, 10000, -0.02, 0.01), noisy(8, 500, 0, 0.01)), true, "over 1h59m59s"},
		{"too noisy", soak(300, noisy(9, 10000, 0, 0.3), noisy(10, 500, 0, 0.3)), nil, ""},
		{"on the border", soak(1200, noisy(11, 10000, -0.04, 0.05), noisy(12, 500, 0, 0.01)), nil, ""},
		{"too few windows", soak(300, noisy(13, 10000, 0, 0.001), noisy(14, 500, 0, 0.001)), nil, ""},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			tc.run = tc.run.Settled()
			if tc.want == nil {
				require.Empty(t, tc.run.Verdicts)
				return
			}
			require.Len(t, tc.run.Verdicts, 1)
			v := tc.run.Verdicts[0]
			t.Log(v.Because, "|", v.Test)
			require.Equal(t, "flat", v.Name)
			require.Equal(t, tc.want, v.Value)
			require.Equal(t, !v.Value, v.Bad())
			require.Contains(t, v.Because, tc.because)
			require.Contains(t, v.Test, "97.5 % intervals for 2 figures")
		})
	}
}

// A drift by 10 % over the run in noise of 3 % is found; a flat run is rarely said to drift.
func TestTheVerdictFlatIsSeldomWrong(t *testing.T) {
	t.Parallel()
	const trials = 200
	count := func(drift float64, value bool) int {
		n := 0
		for i := range trials {
			run := soak(600, noisy(uint64(100+i), 10000, drift, 0.03), noisy(uint64(5000+i), 500, 0, 0.03))
			run = run.Settled()
			if len(run.Verdicts) == 1 && run.Verdicts[0].Value == value {
				n++
			}
		}
		return n
	}
	found, flat, wrong := count(-0.10, false), count(0, true), count(0, false)
	t.Logf("of %d: a drift found in %d; without one: flat in %d, drifting in %d", trials, found, flat, wrong)
	require.GreaterOrEqual(t, found, trials*90/100)
	require.GreaterOrEqual(t, flat, trials*90/100)
	require.LessOrEqual(t, wrong, trials*65/1000)
}

// A soak with a compaction is tested in its longest part without it.
func TestTheVerdictFlatExcludesActions(t *testing.T) {
	t.Parallel()
	compacted := func(drift float64) result.Run {
		level := noisy(21, 10000, drift, 0.03)
		run := soak(2000, func(at float64) float64 {
			speed := level(at)
			if at > 0.3 && at < 0.35 {
				speed /= 4
			}
			return speed
		}, noisy(22, 500, 0, 0.03))
		run.Phases[0].Actions = []result.Action{{Do: "major_compact", T: 600, Seconds: 60, Outcome: "done"}}
		run.Phases[0].Effects()
		run = run.Settled()
		return run
	}
	run := compacted(0)
	require.Equal(t, "actions were executed during the phase", run.Phases[0].Interval.Because)
	require.Len(t, run.Verdicts, 1)
	v := run.Verdicts[0]
	t.Log(v.Because, "|", v.Test)
	require.True(t, v.Value)
	require.Contains(t, v.Test, "1,300 windows of full length, without the first, in the longest part without an action and its recovery, from 11m40s to 33m20s; 699 others are excluded")
	run = compacted(-0.2)
	require.Len(t, run.Verdicts, 1)
	require.False(t, run.Verdicts[0].Value)
	require.Contains(t, run.Verdicts[0].Because, "throughput fell by 1")
}

func TestAPhaseHasAnIntervalOnlyUnderSteadyConditions(t *testing.T) {
	t.Parallel()
	level := func(seed uint64) result.Run { return soak(600, noisy(seed, 10000, 0, 0.03), noisy(2, 500, 0, 0.05)) }
	run := level(1)
	run = run.Settled()
	p := run.Phases[0]
	require.Equal(t, 599, p.Interval.Windows, "without the first")
	require.Less(t, *p.Interval.Low, 10000.0)
	require.Greater(t, *p.Interval.High, 10000.0)
	require.Less(t, p.Interval.Effective, 300.0, "windows that depend on each other are worth less")
	half, ok := p.Half()
	require.True(t, ok)
	require.InDelta(t, 0.005, half, 0.002)
	p.Throughput = *p.Interval.Low - 1
	_, ok = p.Half()
	require.False(t, ok, "the interval does not bound that")

	for name, spoil := range map[string]func(*result.Run){
		"the run is partial":                     func(r *result.Run) { r.Status = result.Partial },
		"actions were executed during the phase": func(r *result.Run) { r.Phases[0].Actions = []result.Action{{Do: "flush"}} },
		"series too short: 99 windows, 100 needed": func(r *result.Run) {
			r.Phases[0].Series = r.Phases[0].Series[:100]
		},
		"series too short": func(r *result.Run) {
			for i := range r.Phases[0].Series {
				r.Phases[0].Series[i].Ops = uint64(10000 + 10*i)
			}
		},
	} {
		spoilt := level(3)
		spoil(&spoilt)
		spoilt = spoilt.Settled()
		i := spoilt.Phases[0].Interval
		require.Nil(t, i.Low, name)
		require.Truef(t, strings.HasPrefix(i.Because, name), "%q", i.Because)
		_, ok := spoilt.Phases[0].Half()
		require.False(t, ok)
		if name != "series too short" && name != "actions were executed during the phase" {
			require.Empty(t, spoilt.Verdicts, name)
		}
	}
	running := level(4)
	running.Status = result.Running
	running = running.Settled()
	require.Nil(t, running.Phases[0].Interval, "it may still change")
}
