package spec

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/keyspace"
	"github.com/benchd/benchd/internal/pacing"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/trace"
)

// card is the card of a trace with reads and updates.
func card() trace.Card {
	return trace.Card{
		Version: 1, Ops: 1000, Keys: 300, Rows: 200, Length: 5e9, Mix: map[string]int64{"READ": 900, "UPDATE": 100},
		Counts: []int64{1000}, Interval: 6e9, LongestKey: 9, LargestSize: 100, Chunks: 1, IndexAt: 100,
		SHA256: "b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c",
	}
}

func replaying(settings ...Setting) Submission {
	all := append([]Setting{{Key: "db", Value: "null"}, {Key: "trace", Value: "app.trace"}}, settings...)
	return Submission{Properties: all, Attachments: map[string][]byte{"app.trace": []byte(card().Text())}}
}

func TestATraceDeterminesTheWorkload(t *testing.T) {
	s := replaying(Setting{Key: "replay.speed", Value: "4"}, Setting{Key: "phase", Value: "load,run"})
	require.Equal(t, []string{"app.trace"}, reader().Needs(s))
	suite, _, err := reader().Parse(s)
	require.NoError(t, err)
	one := suite.Cases[0]
	require.Equal(t, card(), *one.Settings.Trace)
	require.InDelta(t, 4, one.Settings.Speed, 0)
	require.Equal(t, pacing.Replay, one.Settings.Pacing.Arrival)
	require.EqualValues(t, 200, one.Settings.Workload.RecordCount)
	require.InDelta(t, 0.9, one.Settings.Workload.Proportions.Read, 1e-12)
	require.InDelta(t, 0.1, one.Settings.Workload.Proportions.Update, 1e-12)
	phases := plan.Phases(one.Settings)
	require.Equal(t, plan.Closed, phases[0].Loop)
	require.EqualValues(t, 200, phases[0].Ops)
	require.Equal(t, plan.Open, phases[1].Loop)
	require.EqualValues(t, 1000, phases[1].Ops)

	again, err := reader().Resolve(one.Properties)
	require.NoError(t, err, "agents read the same settings")
	again.Workload.Seed, one.Settings.Workload.Seed = 0, 0
	require.Equal(t, one.Settings, again)
}

func TestRequestsOfAHistogram(t *testing.T) {
	s := Submission{Properties: []Setting{
		{Key: "db", Value: "null"}, {Key: "recordcount", Value: "10"}, {Key: "requestdistribution", Value: "histogram"}, {Key: "requesthistogram", Value: "r.hist"},
	}}
	require.Equal(t, []string{"r.hist"}, reader().Needs(s))
	_, _, err := reader().Parse(s)
	require.EqualError(t, err, `-p: requesthistogram: file "r.hist" is not attached; does it exist on the machine that you submit from?`)
	s.Attachments = map[string][]byte{"r.hist": []byte("1\t5\n2\t20\n")}
	_, _, err = reader().Parse(s)
	require.EqualError(t, err, `-p: requesthistogram: r.hist:2:1: these rows are more popular than those of the line before: sort the lines`)
	s.Attachments["r.hist"] = []byte("1\t5\n9\t20\n")
	suite, _, err := reader().Parse(s)
	require.NoError(t, err)
	again, err := reader().Resolve(suite.Cases[0].Properties)
	require.NoError(t, err)
	require.Equal(t, keyspace.Popularity{{Rows: 1, Requests: 5}, {Rows: 9, Requests: 20}}, again.Workload.RequestHistogram)
}

func TestMistakesOfAReplay(t *testing.T) {
	parse := func(s Submission) error {
		_, _, err := reader().Parse(s)
		return err
	}
	require.EqualError(t, parse(Submission{Properties: []Setting{{Key: "trace", Value: "a"}}}),
		`-p: trace: file "a" is not attached; does it exist on the machine that you submit from?`)
	s := replaying()
	s.Attachments["app.trace"] = []byte("time,op,key")
	require.EqualError(t, parse(s), "-p: trace: file \"app.trace\" is not a trace; make one from a log with `benchctl capture app.trace --out FILE`")
	s.Attachments["app.trace"] = []byte(`{"version":1,"ops":5}`)
	require.ErrorContains(t, parse(s), `-p: trace: file "app.trace": the card of the trace is damaged`)
	require.EqualError(t, parse(replaying(Setting{Key: "rate", Value: "5"}, Setting{Key: "warmup", Value: "5s"}, Setting{Key: "batchsize", Value: "9"})),
		`-p: rate: conflicts with trace (app.trace); remove it; replay.speed changes the speed of a replay
-p: warmup: conflicts with trace (app.trace); remove it: a replay measures from the first operation of the trace
-p: batchsize: conflicts with trace (app.trace); remove it: a trace has the operations one by one`)
	require.EqualError(t, parse(Submission{Properties: []Setting{{Key: "arrival", Value: "replay"}}}),
		"-p: arrival: replay needs a trace; write trace=FILE")
	inserted := card()
	inserted.Rows = 0
	s = replaying(Setting{Key: "phase", Value: "load"})
	s.Attachments["app.trace"] = []byte(inserted.Text())
	require.EqualError(t, parse(s), "-p: phase: a load has nothing to write: the trace inserts all of its rows itself; write phase=run")
}
