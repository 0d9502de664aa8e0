package incident_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/incident"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/stats"
)

// measured is a closed loop with intervals of a second.
func measured(rates ...float64) *result.Phase {
	p := &result.Phase{Name: "measure", Loop: "closed", Seconds: float64(len(rates))}
	for i, r := range rates {
		p.Series = append(p.Series, result.Point{T: float64(i), Seconds: 1, Ops: uint64(r)})
	}
	return p
}

// flat are n intervals of the same throughput.
func flat(n int, rate float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = rate
	}
	return out
}

// noisy is a series around 10 000 operations per second, with normally distributed noise, of which each interval inherits
// a share from the one before, and with a linear drift over its length.
func noisy(r *rand.Rand, n int, noise, inherited, drift float64) []float64 {
	x := make([]float64, n)
	e := r.NormFloat64()
	for i := range x {
		x[i] = max(0, 10_000*(1+noise*e+drift*float64(i)/float64(n)))
		e = inherited*e + math.Sqrt(1-inherited*inherited)*r.NormFloat64()
	}
	return x
}

// series joins parts.
func series(parts ...[]float64) []float64 {
	var out []float64
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

func acted(at, seconds float64, do string) result.Action {
	return result.Action{Do: do, T: at, Seconds: seconds, Outcome: "done"}
}

func event(at float64, kind, text string) result.Event {
	return result.Event{T: at, Kind: kind, Text: text}
}

// number is the value of a figure, or nil.
func number(x *float64) any {
	if x == nil {
		return nil
	}
	return *x
}

// The figures of each series are counted by hand.
func TestTheCostOfAnIncident(t *testing.T) {
	usual := series([]float64{300}, flat(9, 1000)) // the first interval includes the connecting
	for _, tc := range []struct {
		name            string
		rates           []float64
		action          result.Action
		dip             any
		depth, worst    any
		worstAt         float64
		dipAt, recovery any
		lost            any
		measured        float64
	}{
		{
			"a dip that recovers", series(usual, []float64{990, 600, 0, 300, 950, 800}, flat(9, 1000)), acted(10, 1, "compact"),
			true, 100.0, 0.0, 12, 11.0, 6.0, 400.0 + 1000 + 700 + 50 + 200, 15,
		},
		{
			"not recovered", series(usual, flat(10, 650)), acted(10, 2, "kill"),
			true, 35.0, 650.0, 10, 10.0, nil, 3500.0, 10,
		},
		{
			"two good intervals are not enough", series(usual, []float64{500, 500, 950, 950}), acted(10, 1, "kill"),
			true, 50.0, 500.0, 10, 10.0, nil, 1100.0, 4,
		},
		{
			"one interval without operations", series(usual, []float64{0}, flat(9, 1000)), acted(10, 0.1, "move"),
			true, 100.0, 0.0, 10, 10.0, 1.0, 1000.0, 10,
		},
		{
			"one low interval is no dip", series(usual, []float64{500}, flat(9, 1000)), acted(10, 0.1, "flush"),
			false, 50.0, 500.0, 10, nil, nil, nil, 10,
		},
		{
			"less than 10 % is no dip", series(usual, flat(10, 910)), acted(10, 1, "flush"),
			false, 9.0, 910.0, 10, nil, nil, nil, 10,
		},
		{
			"a dip that begins after the action has ended", series(usual, flat(8, 1000), flat(3, 400), flat(9, 1000)), acted(10, 1, "compact wait=false"),
			true, 60.0, 400.0, 18, 18.0, 11.0, 1800.0, 20,
		},
		{
			"a dip that begins later is another matter", series(usual, flat(12, 1000), flat(3, 400), flat(9, 1000)), acted(10, 1, "flush"),
			false, 0.0, 1000.0, 10, nil, nil, nil, 24,
		},
		{
			"too few intervals before", series(usual[:5], flat(10, 300)), acted(5, 1, "kill"),
			nil, nil, nil, 0, nil, nil, nil, 10,
		},
		{
			"an action that has not ended", series(usual, flat(15, 1000), flat(3, 200), flat(4, 1000)),
			result.Action{Do: "compact", T: 10},
			true, 80.0, 200.0, 25, 25.0, 18.0, 2400.0, 22,
		},
		{
			"no interval after it", usual, acted(10, 1, "flush"),
			nil, nil, nil, 0, nil, nil, nil, 0,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := measured(tc.rates...)
			p.Actions = []result.Action{tc.action}
			p.Series = append(p.Series, // neither the last part of an interval nor the tail is low throughput
				result.Point{T: p.Seconds, Seconds: 0.4, Ops: 4}, result.Point{T: p.Seconds + 0.4, Seconds: 1, Ops: 1, Tail: true})
			got := incident.Of(p)
			require.Len(t, got, 1)
			i := got[0]
			require.Equal(t, tc.action.Do, i.Cause)
			require.Equal(t, result.ByAction, i.Kind)
			require.NotEmpty(t, i.Because)
			require.NotEmpty(t, i.Test)
			if tc.dip == nil {
				require.Nil(t, i.Dip)
			} else {
				require.Equal(t, tc.dip, *i.Dip, i.Because)
				require.InDelta(t, 1000, i.Before.Mean, 1e-9)
			}
			require.Equal(t, []any{tc.depth, tc.worst, tc.dipAt, tc.recovery, tc.lost},
				[]any{number(i.Depth), number(i.Worst), number(i.DipAt), number(i.Recovery), number(i.Lost)}, "depth, worst, dip at, recovery, lost")
			require.Equal(t, tc.worstAt, i.WorstAt)
			require.Equal(t, tc.measured, i.Measured)
			require.Nil(t, i.CaughtUp, "only an open loop catches up")
		})
	}
}

// Without noise around it, an action alone in its phase has the figures of its effect.
func TestAnIncidentAgreesWithTheEffectOfItsAction(t *testing.T) {
	p := measured(series(flat(20, 1000), []float64{700, 250, 100, 600, 880}, flat(15, 1000))...)
	p.Actions = []result.Action{acted(20, 3, "compact")}
	p.Effects()
	p.Incidents = incident.Of(p)
	e, i := p.Actions[0].Effect, p.Incidents[0]
	require.Equal(t, *e.Before, i.Before.Mean)
	require.Equal(t, *e.Worst, *i.Worst)
	require.Equal(t, e.WorstAt, i.WorstAt)
	require.Equal(t, *e.Recovery, *i.Recovery)
	require.Equal(t, 5.0, *i.Recovery)
	require.Contains(t, i.Test, e.Test)
	course := result.Run{Phases: []result.Phase{*p}}.Measurement().Course
	require.Equal(t, *i.Worst, *course.Worst)
	require.Equal(t, *i.Recovery, *course.Recovery)
}

// The mean has an interval if there are enough intervals for one; otherwise the reason is given.
func TestTheMeanBeforeHasAnInterval(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	p := measured(noisy(r, 400, 0.05, 0.5, 0)...)
	p.Actions = []result.Action{acted(50, 1, "flush"), acted(350, 1, "flush")}
	i := incident.Of(p)
	require.Len(t, i, 2)
	require.Nil(t, i[0].Before.Low)
	require.Contains(t, i[0].Before.Method, "too short")
	require.Equal(t, stats.SeriesMethod, i[1].Before.Method)
	require.Less(t, *i[1].Before.Low, 10_000.0)
	require.Greater(t, *i[1].Before.High, 10_000.0)
	require.Less(t, *i[1].Before.High-*i[1].Before.Low, 500.0)
}

// An open loop sends later what was due during the dip.
func TestAnOpenLoopCatchesUp(t *testing.T) {
	p := measured(series(flat(10, 1000), flat(4, 200), []float64{1900, 1900, 1300, 1000}, flat(5, 1100))...)
	p.Loop = "open"
	p.Actions = []result.Action{acted(10, 1, "kill")}
	i := incident.Of(p)[0]
	require.Equal(t, 3200.0, *i.Lost)
	require.Equal(t, 900.0+900+300, *i.CaughtUp, "until the throughput is no longer above the mean")
	require.Equal(t, 4.0, *i.Recovery)
}

// Operations that fail at once are not throughput.
func TestFailedOperationsAreNotThroughput(t *testing.T) {
	p := measured(flat(30, 1000)...)
	p99, slow := 900.0, 9000.0
	for k := range p.Series {
		ok := result.PointOperation{Op: "READ", Outcome: "OK", Count: 990, Mean: 400, P99: &p99}
		failed := result.PointOperation{Op: "READ", Outcome: "ERROR", Count: 0}
		missed := result.PointOperation{Op: "READ", Outcome: "NOT_FOUND", Count: 10}
		if k >= 15 && k < 18 {
			ok.Count, failed.Count, ok.Mean, ok.P99 = 100, 890, 4000, &slow
		}
		part := "READ"
		inner := result.PointOperation{Op: "VERIFY", Outcome: "UNEXPECTED_STATE", PartOf: &part, Count: 500}
		p.Series[k].Operations = []result.PointOperation{ok, failed, missed, inner}
	}
	p.Events = []result.Event{event(15, result.HappenedServer, "a server is lost")}
	i := incident.Of(p)[0]
	require.True(t, *i.Dip)
	require.Equal(t, 110.0, *i.Worst, "answers, including those that no row exists")
	require.Equal(t, 3*890.0, *i.Lost)
	require.Equal(t, map[string]uint64{"ERROR": 3 * 890}, i.Errors, "as many rows are missing as before")
	require.Len(t, i.Latency, 1)
	require.Equal(t, "READ", i.Latency[0].Op)
	require.Equal(t, []any{900.0, 9000.0, 400.0, 4000.0},
		[]any{*i.Latency[0].P99Before, *i.Latency[0].P99Worst, *i.Latency[0].MeanBefore, *i.Latency[0].MeanWorst})
	require.Equal(t, 15.0, i.Latency[0].P99At)
}

// Where a few operations always fail, only more than by chance are errors of an incident.
func TestUsualErrorsAreNotCounted(t *testing.T) {
	p := measured(flat(40, 1000)...)
	for k := range p.Series {
		n := uint64(9 + k%3)
		if k == 21 {
			n = 110
		}
		p.Series[k].Operations = []result.PointOperation{{Op: "READ", Outcome: "OK", Count: 1000 - n}, {Op: "READ", Outcome: "NOT_FOUND", Count: n}}
	}
	p.Actions = []result.Action{acted(10, 0, "flush"), acted(21, 0, "move")}
	i := incident.Of(p)
	require.Len(t, i, 2)
	require.Empty(t, i[0].Errors)
	require.Len(t, i[1].Errors, 1)
	require.InDelta(t, 100, i[1].Errors["NOT_FOUND"], 2)
}
