package result_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
)

// course is a figure polled once a second within bounds; its value is the number of the poll.
func course(name string, from, to int) result.Observed {
	o := result.Observed{Name: name, Source: "rs1:16020", Unit: "1"}
	for i := from; i < to; i++ {
		o.At = append(o.At, time.Duration(i)*time.Second)
		o.Values = append(o.Values, float64(i))
	}
	return o
}

func TestObservationsAreSplitIntoPhases(t *testing.T) {
	var notes result.Notes
	notes.Observe([]result.Observed{course("b", 0, 40), course("a", 5, 15)}, []result.Span{
		{Phase: "load", Begin: 2 * time.Second, End: 10 * time.Second}, {Phase: "measure", Begin: 20 * time.Second, End: 22 * time.Second},
	}, time.Second)
	load := notes.Observations["load"]
	require.Len(t, load, 2)
	require.Equal(t, "a", load[0].Name)
	require.Equal(t, [2]float64{3, 5}, load[0].Points[0], "instants are from the phase's start")
	require.Len(t, load[1].Points, 9)
	require.Equal(t, []result.Observation{{Name: "b", Source: "rs1:16020", Unit: "1", Points: [][2]float64{{0, 20}, {1, 21}, {2, 22}}}}, notes.Observations["measure"])
	require.Empty(t, notes.Events["load"])
}

func TestALongPhaseHasMeansOfObservations(t *testing.T) {
	var notes result.Notes
	notes.Observe([]result.Observed{course("a", 0, 20_000)}, []result.Span{{Phase: "measure", End: 20_000 * time.Second}}, time.Second)
	points := notes.Observations["measure"][0].Points
	require.Len(t, points, 2000, "points of ten seconds, as those of the series")
	require.Equal(t, [2]float64{4.5, 4.5}, points[0])
}

func TestAGapInObservationsIsReported(t *testing.T) {
	looks := course(result.PollTime, 0, 20)
	after := course(result.PollTime, 45, 60)
	looks.At, looks.Values = append(looks.At, after.At...), append(looks.Values, after.Values...)
	var notes result.Notes
	notes.Observe([]result.Observed{looks}, []result.Span{{Phase: "measure", End: 60 * time.Second}, {Phase: "later", Begin: 60 * time.Second, End: 90 * time.Second}}, time.Second)
	require.Equal(t, []result.Event{{T: 19, Kind: "telemetry", Text: "no telemetry for 26 s: the target was not watched"}}, notes.Events["measure"])
	require.Empty(t, notes.Events["later"], "what was never watched has no gap")
}
