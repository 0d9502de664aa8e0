package plan

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/pacing"
	"github.com/benchd/benchd/internal/workload"
)

func TestPhases(t *testing.T) {
	rows := workload.Config{RecordCount: 1000, OperationCount: 500}
	open := pacing.Config{Arrival: pacing.FixedRate, Rate: pacing.Rate{{From: 10, To: 10}}}
	for name, test := range map[string]struct {
		settings Settings
		want     []Phase
	}{
		"a load of as many rows as there are": {
			Settings{Load: true, Workload: rows},
			[]Phase{{Name: Load, Loop: Closed, Ops: 1000}},
		},
		"a load of a part, bounded in time and paced": {
			Settings{Load: true, Workload: workload.Config{RecordCount: 1000, InsertStart: 100, InsertCount: 300}, Duration: time.Minute, Pacing: open},
			[]Phase{{Name: Load, Loop: Open, Ops: 300, Duration: time.Minute}},
		},
		"a load in batches": {
			Settings{Load: true, Workload: workload.Config{RecordCount: 1001, BatchSize: 100}},
			[]Phase{{Name: Load, Loop: Closed, Ops: 11}},
		},
		"a run by operations": {
			Settings{Run: true, Workload: rows},
			[]Phase{{Name: Measure, Loop: Closed, Ops: 500}},
		},
		"a run by time and operations, whichever ends first": {
			Settings{Run: true, Workload: rows, Duration: time.Hour},
			[]Phase{{Name: Measure, Loop: Closed, Ops: 500, Duration: time.Hour}},
		},
		"a warm-up is joined by the measure phase": {
			Settings{Run: true, Warmup: time.Second, Duration: time.Minute, Pacing: pacing.Config{Arrival: pacing.Poisson}},
			[]Phase{{Name: Warmup, Loop: Open, Duration: time.Second}, {Name: Measure, Loop: Open, Duration: time.Minute, Joined: true}},
		},
		"a warm-up until it is steady": {
			Settings{Run: true, Warmup: time.Hour, WarmupUntil: Steady, Workload: rows},
			[]Phase{{Name: Warmup, Loop: Closed, Duration: time.Hour, Until: Steady}, {Name: Measure, Loop: Closed, Ops: 500, Joined: true}},
		},
		"a warm-up by operations": {
			Settings{Run: true, WarmupOps: 100, Workload: rows},
			[]Phase{{Name: Warmup, Loop: Closed, Ops: 100}, {Name: Measure, Loop: Closed, Ops: 500, Joined: true}},
		},
		"a load before a run is neither paced nor bounded": {
			Settings{Load: true, Run: true, Workload: rows, Duration: time.Minute, Pacing: open},
			[]Phase{{Name: Load, Loop: Closed, Ops: 1000}, {Name: Measure, Loop: Open, Ops: 500, Duration: time.Minute}},
		},
		"actions come before the first segment that measures": {
			Settings{Load: true, Run: true, Workload: rows, BeforeRun: []string{"flush"}, AfterLoad: []string{"compact"}},
			[]Phase{{Name: Load, Loop: Closed, Ops: 1000, After: []string{"compact"}}, {Name: Measure, Loop: Closed, Ops: 500, Before: []string{"flush"}}},
		},
		"which a warm-up begins": {
			Settings{Run: true, Warmup: time.Second, Workload: rows, BeforeRun: []string{"flush"}},
			[]Phase{{Name: Warmup, Loop: Closed, Duration: time.Second, Before: []string{"flush"}}, {Name: Measure, Loop: Closed, Ops: 500, Joined: true}},
		},
		"YCSB's throttle is a closed loop": {
			Settings{Run: true, Workload: rows, Pacing: pacing.Config{Arrival: pacing.ClosedLoop, CatchUp: 100}},
			[]Phase{{Name: Measure, Loop: Closed, Ops: 500}},
		},
		"nothing": {Settings{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, test.want, Phases(test.settings))
		})
	}
}

func TestPacingOfALoadBeforeARun(t *testing.T) {
	s := Settings{Load: true, Run: true, Pacing: pacing.Config{Arrival: pacing.ClosedLoop, CatchUp: 100}}
	require.Zero(t, s.PacingOf(Load).CatchUp)
	require.Equal(t, s.Pacing, s.PacingOf(Warmup))
	require.Equal(t, s.Pacing, s.PacingOf(Measure))
	s.Run = false
	require.Equal(t, s.Pacing, s.PacingOf(Load))
}

func TestWhichRunsAreEndless(t *testing.T) {
	for want, phases := range map[bool][]Phase{
		true:  {{Name: Load, Ops: 5}, {Name: Measure}},
		false: {{Name: Load, Ops: 5}, {Name: Measure, Duration: 1}},
	} {
		require.Equal(t, want, Endless(phases))
	}
}

func TestWorkersAreSpreadEvenly(t *testing.T) {
	for name, test := range map[string]struct {
		threads, total, shards int
		want                   []int
	}{
		"threads are of each agent":           {threads: 8, shards: 3, want: []int{8, 8, 8}},
		"a total divides":                     {total: 9, shards: 3, want: []int{3, 3, 3}},
		"what is left over goes to the first": {total: 11, shards: 3, want: []int{4, 4, 3}},
		"a total wins":                        {threads: 8, total: 3, shards: 3, want: []int{1, 1, 1}},
		"none is one":                         {shards: 2, want: []int{1, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Workers(Settings{Threads: test.threads, ThreadsTotal: test.total}, test.shards)
			require.NoError(t, err)
			require.Equal(t, test.want, got)
		})
	}
}

func TestMoreAgentsThanThreadsIsAnError(t *testing.T) {
	_, err := Shards(Run{}, Case{Settings: Settings{ThreadsTotal: 2}}, []string{"a", "b", "c"})
	require.EqualError(t, err, "spread 2 threads over 3 agents: an agent would have none; take at most 2 agents, or raise threads.total to 3")
	var spread *SpreadError
	require.ErrorAs(t, err, &spread)
}

func TestRunsAreCasesTimesRepeats(t *testing.T) {
	suite := Suite{Cases: []Case{
		{Name: "a", Repeats: 2, Settings: Settings{Run: true, Workload: workload.Config{OperationCount: 5}}},
		{Name: "b", Settings: Settings{Load: true, Workload: workload.Config{RecordCount: 7, Seed: 42}}},
	}}
	runs := Runs("S", suite)
	require.Len(t, runs, 3)
	for i, want := range []Run{
		{ID: "S.1", Case: "a", Repeat: 1, Phases: []Phase{{Name: Measure, Loop: Closed, Ops: 5}}},
		{ID: "S.2", Case: "a", Repeat: 2, Phases: []Phase{{Name: Measure, Loop: Closed, Ops: 5}}},
		{ID: "S.3", Case: "b", Repeat: 1, Phases: []Phase{{Name: Load, Loop: Closed, Ops: 7}}},
	} {
		want.Seed = runs[i].Seed
		require.Equal(t, want, runs[i])
	}
	require.Equal(t, uint64(42), runs[2].Seed, "a seed that is given is kept")
	require.Equal(t, runs, Runs("S", suite), "runs of one suite are the same each time")

	got, ok := suite.Case("b")
	require.True(t, ok)
	require.Equal(t, suite.Cases[1], got)
	_, ok = suite.Case("c")
	require.False(t, ok)
}

func TestRunsHaveSeedsOfTheirOwn(t *testing.T) {
	seen := make(map[uint64]string)
	for _, suite := range []string{"S", "T", "20261121-1", "20261121-2"} {
		for _, run := range Runs(suite, Suite{Cases: []Case{{Repeats: 1000}}}) {
			require.NotZero(t, run.Seed)
			require.Empty(t, seen[run.Seed], run.ID)
			seen[run.Seed] = run.ID
		}
	}
}

func TestShards(t *testing.T) {
	c := Case{
		Name: "a", Properties: map[string]string{"threads.total": "5", "seed": "0"},
		Settings: Settings{Run: true, ThreadsTotal: 5, Duration: time.Second},
	}
	run := Runs("S", Suite{Cases: []Case{c}})[0]
	shards, err := Shards(run, c, []string{"x", "y"})
	require.NoError(t, err)
	properties := run.Properties(c)
	require.NotEqual(t, "0", properties["seed"], "agents get the run's seed")
	require.Equal(t, "0", c.Properties["seed"], "the case keeps what it has")
	require.Equal(t, []Shard{
		{Run: "S.1", Index: 0, Count: 2, Attempt: 1, Agent: "x", Workers: 3, Phases: run.Phases, Properties: properties},
		{Run: "S.1", Index: 1, Count: 2, Attempt: 1, Agent: "y", Workers: 2, Phases: run.Phases, Properties: properties},
	}, shards)

	none, err := Shards(run, Case{}, nil)
	require.NoError(t, err)
	require.Empty(t, none)
}

// An agent of an earlier release has other names for these properties, and refuses unknown ones.
func TestAgentsAreNotSentPropertiesOfTheCoordinator(t *testing.T) {
	properties := map[string]string{"db": "hbase", AfterLoadProperty: "flush", BeforeRunProperty: "flush", ActionTimeoutProperty: "1h0m0s"}
	shards, err := Shards(Run{Seed: 3}, Case{Properties: properties}, []string{"a"})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"db": "hbase", "seed": "3"}, shards[0].Properties)
	require.Len(t, properties, 4)
}
