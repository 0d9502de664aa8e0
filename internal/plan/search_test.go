package plan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/search"
)

func TestTheOutlineOfASearchBoundsItsProbes(t *testing.T) {
	space := search.Space{Vary: search.Rate, From: 1000, To: 50_000}.WithDefaults()
	c := Case{Name: "limit", Settings: Settings{Run: true, Duration: 10e9}, Search: &space}
	o := Outlined(Suite{Cases: []Case{{Name: "other", Settings: Settings{Run: true, Duration: 5e9}}, c}}, 1)
	require.Equal(t, 41, o.RunsAtMost)
	require.InDelta(t, 405, o.SecondsAtMost, 0)
	probes := o.Cases[1].Repeats
	require.Equal(t, &space, o.Cases[1].Search)
	require.Greater(t, probes, 10, "6 to scan, 3 to confirm, and some to narrow down")
	require.Less(t, probes, 20)
	require.Equal(t, 1+probes, o.Runs)
	require.InDelta(t, 5+10*probes, o.Seconds, 0)

	coarse := space
	coarse.Tolerance, coarse.Confirm = 0.5, 1
	require.Less(t, ExpectedProbes(coarse), probes)
	space.Vary = search.Threads
	require.Positive(t, ExpectedProbes(space))
}

func TestAProbeHasTheValueOfItsSearch(t *testing.T) {
	properties := map[string]string{"rate": "10", "arrival": "poisson", "threadcount": "4"}
	require.Equal(t, map[string]string{"rate": "1234567.5", "arrival": "poisson", "threadcount": "4"}, ProbeProperties(properties, search.Rate, 1234567.5))
	require.Equal(t, "10", properties["rate"], "those of the case are unchanged")
	require.Equal(t, "64", ProbeProperties(properties, search.Threads, 64)["threads.total"])
}
