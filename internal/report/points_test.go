package report_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/result"
)

// A lost agent has its points on its own disk: readers of the others' points are warned.
func TestThePointsOfAnAgentThatWasLostAreNamedAsMissing(t *testing.T) {
	run := result.Run{ID: "S.1", Phases: []result.Phase{
		{Name: "load", Handovers: []result.Handover{
			{Shard: 1, From: "b", To: "c", T: 4, Seconds: 36.5},
			{Shard: 1, From: "c", To: "a", T: 60, Seconds: 1},
			{Shard: 2, From: "d", To: "a", T: 0, Seconds: 40}, // it had measured nothing
		}},
		{Name: "measure"},
	}}
	require.Equal(t, []string{
		"raw points of load of run S.1 are missing for shard 1 from 0.0 s to 4.0 s: agent b was lost, and agent c continued; the figures of the run include these operations",
		"raw points of load of run S.1 are missing for shard 1 from 40.5 s to 60.0 s: agent c was lost, and agent a continued; the figures of the run include these operations",
	}, report.Fetched{}.Warnings(run), "an older coordinator does not ask the agents that were lost")
	require.Empty(t, report.Fetched{}.Warnings(result.Run{ID: "S.2", Phases: []result.Phase{{Name: "load"}}}))
	require.Empty(t, report.Fetched{Attempts: true}.Warnings(run))
	require.Equal(t, []string{
		"12,345 raw points of load of run S.1 are missing for shard 1 from 0.0 s to 4.0 s, when agent b was lost: it is not connected; the figures of the run include these operations",
		"1 raw points of load of run S.1 are missing for shard 1 from 40.5 s to 60.0 s, when agent c was lost: they were not written; the figures of the run include these operations",
	}, report.Fetched{Attempts: true, Missing: []report.MissingPart{
		{Agent: "b", Shard: 1, Points: 12_345, Until: 4 * time.Second, Why: "it is not connected"},
		{Agent: "c", Shard: 1, Points: 1, From: 40_500 * time.Millisecond, Until: time.Minute},
	}}.Warnings(run))
}
