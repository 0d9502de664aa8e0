package advice_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/advice"
	"github.com/benchd/benchd/internal/figure"
	"github.com/benchd/benchd/internal/pacing"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/workload"
)

var (
	began = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	reads = advice.Identity{Work: "reads", Length: "long"}
	short = advice.Identity{Work: "reads", Length: "short"}
)

// earlier are runs of a suite, 10 s apart, each with a setup of 5 s in front of 20 s at 1000 operations per second.
func earlier(suite string, of advice.Identity, repeats int, change func(*advice.Earlier)) []advice.Earlier {
	idle := 55.0
	var out []advice.Earlier
	for i := range repeats {
		at := began.Add(time.Duration(i) * 35 * time.Second)
		e := advice.Earlier{
			Identity: of, Suite: suite, Started: at, Ended: at.Add(25 * time.Second), Figures: figure.Values{"throughput_ops": 1000},
			Result: result.Run{
				ID: fmt.Sprintf("%s.%d", suite, i+1), Case: "x", Resolved: map[string]string{"db": "hbase"},
				Provenance: result.Provenance{Agents: []result.Agent{{Name: "a", Cores: 4}, {Name: "b", Cores: 4}}},
				Phases: []result.Phase{{
					Name: "measure", Seconds: 20, Throughput: 1000,
					Generators: []result.Generator{ // 500 operations per second each
						{Name: "a", OwnCPU: 0.5, CPUPerOp: 1000, IdleMean: &idle}, {Name: "b", OwnCPU: 0.5, CPUPerOp: 1000, IdleMean: &idle},
					},
				}},
			},
		}
		if change != nil {
			change(&e)
		}
		out = append(out, e)
	}
	return out
}

func TestTheTimeOfACase(t *testing.T) {
	ops := plan.Settings{DB: "hbase", Run: true, Workload: workload.Config{OperationCount: 60_000}}
	bounded := ops
	bounded.Duration = 30 * time.Second
	for name, tc := range map[string]struct {
		settings plan.Settings
		planned  float64
		runs     []advice.Earlier
		want     *advice.Duration
	}{
		"nothing is known":                {ops, 0, nil, nil},
		"runs of another case":            {ops, 0, earlier("S", advice.Identity{Work: "writes", Length: "long"}, 4, nil), nil},
		"its plan":                        {bounded, 30, nil, &advice.Duration{Seconds: 30, Basis: advice.ByPlan}},
		"runs of its length, with setups": {ops, 0, earlier("S", reads, 4, nil), &advice.Duration{Seconds: 35, Basis: advice.ByRuns, Runs: 4}},
		"one run":                         {ops, 0, earlier("S", reads, 1, nil), &advice.Duration{Seconds: 25, Basis: advice.ByRuns, Runs: 1}},
		"their throughput":                {ops, 0, earlier("S", short, 4, nil), &advice.Duration{Seconds: 75, Basis: advice.ByThroughput, Runs: 4}},
		"their throughput, and a bound":   {bounded, 30, earlier("S", short, 4, nil), &advice.Duration{Seconds: 45, Basis: advice.ByThroughput, Runs: 4}},
	} {
		t.Run(name, func(t *testing.T) {
			c := advice.Case{Name: "x", Identity: reads, Settings: tc.settings, Repeats: 3, Seconds: tc.planned}
			a := advice.New([]advice.Case{c}, tc.runs, nil)
			require.Equal(t, tc.want, a.Cases[0].Time)
			if tc.want == nil {
				require.Equal(t, 3, a.Unknown)
				require.Empty(t, a.Cases[0].Suites)
			} else {
				require.InDelta(t, 3*tc.want.Seconds, a.Seconds, 1e-9)
			}
		})
	}
}

// The advice names the suites on which it rests, the newest first.
func TestAdviceNamesItsSuites(t *testing.T) {
	runs := append(earlier("new", reads, 2, nil), append(earlier("other", advice.Identity{Work: "writes"}, 2, nil), earlier("old", short, 1, nil)...)...)
	a := advice.New([]advice.Case{{Name: "x", Identity: reads}, {Name: "y", Identity: advice.Identity{Work: "scans"}}}, runs, nil)
	require.Equal(t, []string{"new", "old"}, a.Suites)
	require.Equal(t, []string{"new", "old"}, a.Cases[0].Suites)
	require.Equal(t, 3, a.Cases[0].Runs)
	require.Empty(t, a.Cases[1].Suites)
}

// Repeats rest on the deviation within suites: suites may differ from each other, and so may lengths.
func TestRepeatsRestOnTheDeviationWithinSuites(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	values := func(level, throughput, p99 float64) func(*advice.Earlier) {
		return func(e *advice.Earlier) {
			e.Figures = figure.Values{
				"throughput_ops": level * math.Exp(throughput*random.NormFloat64()), "read_p99_us": math.Exp(p99 * random.NormFloat64()),
				"read_service_p99_us": 1, "read_max_us": 1, "ops": 7,
			}
		}
	}
	var runs []advice.Earlier
	for i := range 10 {
		runs = append(runs, earlier(fmt.Sprintf("S%d", i), reads, 5, values(1000*float64(1+i), 0.01, 0.03))...)
	}
	runs = append(runs, earlier("T", short, 8, values(1000, 0.5, 0.5))...)
	one := advice.New([]advice.Case{{Name: "x", Identity: reads}}, runs, nil).Cases[0]
	require.Equal(t, 50, one.DeviationRuns)
	require.Len(t, one.Repeats, 2)
	require.Equal(t, "read_p99_us", one.Repeats[0].Figure)
	require.InDelta(t, 0.03, one.Repeats[0].Deviation, 0.006)
	require.InDelta(t, 8, one.Repeats[0].N, 2)
	require.Equal(t, "throughput_ops", one.Repeats[1].Figure)
	require.InDelta(t, 0.01, one.Repeats[1].Deviation, 0.002)
	require.Equal(t, 4, one.Repeats[1].N)
	for _, r := range one.Repeats {
		require.LessOrEqual(t, r.Low, r.N)
		require.GreaterOrEqual(t, r.High, r.N)
	}

	for name, few := range map[string][]advice.Earlier{
		"three repeats":         earlier("S", reads, 3, nil),
		"suites of one run":     append(append(earlier("A", reads, 1, nil), earlier("B", reads, 1, nil)...), append(earlier("C", reads, 1, nil), earlier("D", reads, 1, nil)...)...),
		"runs of other lengths": earlier("S", short, 8, nil),
	} {
		require.Empty(t, advice.New([]advice.Case{{Name: "x", Identity: reads}}, few, nil).Cases[0].Repeats, name)
	}

	wild := earlier("S", reads, 6, values(1000, 2, 2))
	require.Zero(t, advice.New([]advice.Case{{Name: "x", Identity: reads}}, wild, nil).Cases[0].Repeats[0].N, "more than MostRepeats")
}

func TestWhetherAgentsCanOfferARate(t *testing.T) {
	agents := []string{"a", "b"}
	bound := func(e *advice.Earlier) { e.Result.Verdicts = []result.Verdict{{Name: "client_bound", Value: true}} }
	busy := func(e *advice.Earlier) {
		idle := 5.0
		e.Result.Phases[0].Generators[1].IdleMean = &idle
	}
	null := func(e *advice.Earlier) { e.Result.Resolved["db"] = "null" }
	for name, tc := range map[string]struct {
		rate   float64
		agents []string
		runs   []advice.Earlier
		want   []advice.Answer
		all    advice.Answer
	}{
		"reached":                  {1000, agents, earlier("S", reads, 2, nil), []advice.Answer{advice.Yes, advice.Yes}, advice.Yes},
		"the CPU leaves enough":    {6000, agents, earlier("S", reads, 2, nil), []advice.Answer{advice.Likely, advice.Likely}, advice.Likely},
		"the CPU does not":         {8000, agents, earlier("S", reads, 2, nil), []advice.Answer{advice.No, advice.No}, advice.No},
		"on another case":          {1000, agents, earlier("S", advice.Identity{Work: "writes"}, 2, nil), []advice.Answer{advice.Yes, advice.Yes}, advice.Yes},
		"reached by a busy client": {1000, agents, earlier("S", reads, 2, bound), []advice.Answer{advice.Likely, advice.Likely}, advice.Likely},
		"one was busy":             {1000, agents, earlier("S", reads, 2, busy), []advice.Answer{advice.Yes, advice.Likely}, advice.Likely},
		"one is new":               {1000, []string{"a", "c"}, earlier("S", reads, 2, nil), []advice.Answer{advice.Yes, advice.Unknown}, advice.Unknown},
		"no agents":                {1000, nil, earlier("S", reads, 2, nil), nil, advice.Unknown},
		"another kind of target":   {1000, agents, earlier("S", reads, 2, null), []advice.Answer{advice.Unknown, advice.Unknown}, advice.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			settings := plan.Settings{DB: "hbase", Run: true, Pacing: pacing.Config{Arrival: pacing.FixedRate, Rate: pacing.Rate{{From: 10, To: tc.rate, Seconds: 60}}}}
			a := advice.New([]advice.Case{{Name: "x", Identity: reads, Settings: settings, Agents: 2}}, tc.runs, tc.agents)
			r := a.Cases[0].Rate
			require.InDelta(t, tc.rate/2, r.PerAgent, 1e-9)
			var got []advice.Answer
			for i, one := range r.Agents {
				got = append(got, one.Answer)
				require.Equal(t, tc.agents[i], one.Agent)
			}
			require.Equal(t, tc.want, got)
			require.Equal(t, tc.all, r.Answer)
		})
	}
	closed := plan.Settings{DB: "hbase", Run: true, Pacing: pacing.Config{Arrival: pacing.ClosedLoop}}
	require.Nil(t, advice.New([]advice.Case{{Settings: closed}}, nil, agents).Cases[0].Rate)
	closed.Pacing.CatchUp = 100
	require.NotNil(t, advice.New([]advice.Case{{Settings: closed}}, nil, agents).Cases[0].Rate)
}

// The same case: what does not change the measurement does not count, all else does.
func TestIdentity(t *testing.T) {
	keys := []property.Key{{Name: "status", Status: property.Reporting}, {Name: "threadcount"}}
	base := map[string]string{"db": "hbase", "threadcount": "8", "duration": "10s", "address": "a:2181"}
	of := func(change map[string]string, agents int) advice.Identity {
		properties := maps.Clone(base)
		maps.Copy(properties, change)
		return advice.Identify(keys, properties, agents)
	}
	same := of(nil, 2)
	require.Equal(t, same, of(map[string]string{"seed": "7", "status": "true", "limit.errors": "0.1", "unset": ""}, 2))
	longer := of(map[string]string{"duration": "60s"}, 2)
	require.Equal(t, same.Work, longer.Work)
	require.NotEqual(t, same.Length, longer.Length)
	for _, change := range []map[string]string{{"threadcount": "16"}, {"address": "b:2181"}, {"rate": "100"}} {
		require.NotEqual(t, same.Work, of(change, 2).Work, change)
	}
	require.NotEqual(t, same.Work, of(nil, 3).Work)
}
