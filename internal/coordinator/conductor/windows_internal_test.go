package conductor

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/plan"
)

// Windows are counted separately for each attempt, phase and shard.
func TestWindowsAreCountedByAttemptAndPhase(t *testing.T) {
	ws := windows{merged: make(map[slot]int)}
	at := slot{1, 2, plan.Load}
	require.True(t, ws.have(at, 0))
	require.False(t, ws.anyOf(func(plan.PhaseName) bool { return true }))
	for seq := range 3 {
		require.Equal(t, at, ws.add(&latency.Window{ID: latency.WindowID{Phase: "load", Shard: 1, Attempt: 2, Seq: seq}}))
	}
	require.True(t, ws.have(at, 3))
	require.False(t, ws.have(at, 4))
	for _, other := range []slot{{0, 2, plan.Load}, {1, 1, plan.Load}, {1, 2, plan.Measure}} {
		require.False(t, ws.have(other, 1))
	}
	require.True(t, ws.anyOf(func(name plan.PhaseName) bool { return name == plan.Load }))
	require.False(t, ws.anyOf(func(name plan.PhaseName) bool { return name == plan.Measure }))
}

func TestWindowsThatCameLately(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ws windows
		require.False(t, ws.cameWithin(time.Hour), "none ever came")
		ws.newest = clock.Mono()
		<-time.After(time.Second)
		require.True(t, ws.cameWithin(2*time.Second))
		require.False(t, ws.cameWithin(time.Second))
	})
}
