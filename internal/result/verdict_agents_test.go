package result_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
)

// fleet is the result of agents whose windows hold so many operations of so many microseconds.
func fleet(t *testing.T, workers []int, windows int, of func(agent, window int) (ops int, us float64)) result.Run {
	t.Helper()
	config := result.BuilderConfig{
		Run: "S.1", Interval: time.Second, NotFoundShare: 1,
		Phases: []result.PhaseInfo{{Name: "measure", Loop: "closed", Planned: time.Duration(windows) * time.Second}},
	}
	for i, n := range workers {
		config.Shards = append(config.Shards, result.ShardInfo{Index: i, Attempt: 1, Agent: string(rune('a' + i)), Workers: n})
	}
	b := result.NewBuilder(config)
	for agent := range workers {
		for i := range windows {
			ops, us := of(agent, i)
			s := latency.Series{Key: latency.Key{Op: "READ", Outcome: "OK"}, Response: new(latency.Histogram), Service: new(latency.Histogram)}
			for range ops {
				s.Response.Record(int64(us * 1000))
				s.Service.Record(int64(us * 1000))
			}
			_, err := b.Add(&latency.Window{
				ID:    latency.WindowID{Run: "S.1", Phase: "measure", Shard: agent, Attempt: 1, Seq: i},
				Start: time.Duration(i) * time.Second, End: time.Duration(i+1) * time.Second, Series: []latency.Series{s},
			})
			require.NoError(t, err)
		}
	}
	run, err := b.Document(result.Run{ID: "S.1", Status: result.Complete}, result.Notes{})
	require.NoError(t, err)
	return run
}

func TestAgentsThatMeasureOtherFiguresAreNamed(t *testing.T) {
	t.Parallel()
	equal := []int{4, 4, 4}
	// All agents see the same slow changes of the target; each has noise of its own.
	speeds := func(seed uint64, factors ...float64) func(agent, window int) (int, float64) {
		random := rand.New(rand.NewPCG(seed, 4))
		return func(agent, window int) (int, float64) {
			speed := 200 * (1 + 0.3*math.Sin(float64(window)/20)) * factors[agent] * (1 + 0.05*random.NormFloat64())
			return int(speed), 4e6 / speed
		}
	}
	for _, tc := range []struct {
		name    string
		workers []int
		windows int
		of      func(agent, window int) (int, float64)
		want    any // nil: no verdict
		because string
	}{
		{"alike", equal, 200, speeds(1, 1, 1, 1), true, "largest difference: measure: agent "},
		{"one is slow", equal, 200, speeds(2, 1, 1, 0.7), false, "measure: agent c: throughput 30 % ± "},
		{"one is slightly slower", equal, 200, speeds(3, 1, 1, 0.98), true, "agent c: throughput 1"},
		{"one of two is slow", equal[:2], 200, speeds(4, 1, 0.7), false, "measure: agent b: throughput 3"},
		{"only the latency differs", equal, 200, func(agent, window int) (int, float64) {
			ops, us := speeds(5, 1, 1, 1)(agent, window)
			return ops, us * []float64{1, 1, 1.3}[agent]
		}, false, "measure: agent c: mean response time "},
		{"one agent", equal[:1], 200, speeds(6, 1), nil, ""},
		{"a short run", equal, 60, speeds(7, 1, 1, 0.7), nil, ""},
		{"other numbers of workers", []int{4, 4, 2}, 200, speeds(8, 1, 1, 0.5), nil, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			v := verdict(t, fleet(t, tc.workers, tc.windows, tc.of), "agents_agree")
			if tc.want == nil {
				require.Nil(t, v)
				return
			}
			require.NotNil(t, v)
			t.Log(v.Because, "|", v.Test)
			require.Equal(t, tc.want, v.Value)
			require.Equal(t, !v.Value, v.Bad())
			require.Contains(t, v.Because, tc.because)
			require.NotContains(t, v.Because, "agent a: throughput 4", "the others do not differ from each other")
		})
	}
}

// Agents that are alike are rarely said to differ.
func TestAgentsThatAreAlikeAgree(t *testing.T) {
	t.Parallel()
	wrong := 0
	const trials = 60
	for i := range trials {
		random := rand.New(rand.NewPCG(uint64(i), 8))
		run := fleet(t, []int{4, 4, 4}, 150, func(int, int) (int, float64) {
			speed := max(10, 40*(1+0.2*random.NormFloat64()))
			return int(speed), 4e6 / speed
		})
		if v := verdict(t, run, "agents_agree"); v != nil && !v.Value {
			wrong++
		}
	}
	t.Logf("said to differ: %d of %d", wrong, trials)
	require.LessOrEqual(t, wrong, trials*65/1000)
}
