package result_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
)

func retrying(w *latency.Window, by map[string]uint64) *latency.Window {
	w.Retries = by
	return w
}

func TestRetriesAddUpByCause(t *testing.T) {
	b := result.NewBuilder(config(2))
	one, other := of("measure", 0), of("measure", 1)
	add(t, b,
		retrying(one.next(series("READ", "OK", 1)), map[string]uint64{"NotServingRegionException": 2}),
		retrying(other.next(series("READ", "OK", 1)), map[string]uint64{"NotServingRegionException": 1, "connection": 4}),
		one.next(series("READ", "OK", 1)), other.next(series("READ", "OK", 1)),
		retrying(one.last(series("READ", "OK", 1)), map[string]uint64{"connection": 1}), other.last(series("READ", "OK", 1)),
	)
	phase := document(t, b).Phases[0]
	require.Equal(t, map[string]uint64{"NotServingRegionException": 3, "connection": 5}, phase.Retries)
	require.Equal(t, map[string]uint64{"NotServingRegionException": 3, "connection": 4}, phase.Series[0].Retries)
	require.Nil(t, phase.Series[1].Retries)
	require.Equal(t, map[string]uint64{"connection": 1}, phase.Series[2].Retries)
}

// A peer that invents a cause for each retry does not make the result grow without limit.
func TestCausesOfRetriesAreBounded(t *testing.T) {
	b := result.NewBuilder(config(1))
	ws := of("measure", 0)
	for i := range 1000 {
		add(t, b, retrying(ws.next(series("READ", "OK", 1)), map[string]uint64{fmt.Sprint("cause ", i): 1}))
	}
	phase := document(t, b).Phases[0]
	require.LessOrEqual(t, len(phase.Retries), 65)
	require.EqualValues(t, 1000-64, phase.Retries["other"])
}
