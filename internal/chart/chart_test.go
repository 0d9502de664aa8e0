package chart_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/chart"
	"github.com/benchd/benchd/internal/result"
)

func TestEachLevelIsMergedOfAFinerOne(t *testing.T) {
	var times []int64
	for level := range 9 {
		times = append(times, chart.Times(level))
		if level > 0 {
			finer := chart.Finer(level)
			require.Less(t, finer, level)
			require.Zero(t, chart.Times(level)%chart.Times(finer), "%d of %d", chart.Times(level), chart.Times(finer))
		}
	}
	require.Equal(t, []int64{1, 2, 5, 10, 20, 50, 100, 200, 500}, times)
	require.Equal(t, 1, chart.Levels(time.Second, time.Second))
	require.Equal(t, 3, chart.Levels(time.Second, 3*time.Second))
	require.Equal(t, 1, chart.Levels(0, time.Second))
}

// The points of a request have the length of a level.
func TestTheLengthOfPointsIsThatOfALevel(t *testing.T) {
	for _, of := range []chart.Request{{}, {Points: 7}, {Points: 1}, {Step: 3 * time.Second}, {Step: time.Hour}} {
		for _, length := range []time.Duration{time.Second, 999 * time.Second, 100 * time.Hour} {
			step := of.StepFor(time.Second, 0, length)
			level := 0
			for time.Duration(chart.Times(level))*time.Second < step {
				level++
			}
			require.Equal(t, time.Duration(chart.Times(level))*time.Second, step)
			if of.Step > 0 {
				require.True(t, step >= of.Step && step < of.Step*5/2+time.Second)
			} else {
				require.LessOrEqual(t, int(length/step), of.AtMost())
			}
		}
	}
	require.Equal(t, result.Columns, chart.Request{}.AtMost())
}

func TestThePartOfAPhase(t *testing.T) {
	for name, test := range map[string]struct {
		of       chart.Request
		from, to time.Duration
		ok       bool
	}{
		"all":    {chart.Request{}, 0, 10, true},
		"before": {chart.Request{To: 5}, 0, 0, false},
		"after":  {chart.Request{From: 15}, 0, 0, false},
		"begin":  {chart.Request{From: 2, To: 8}, 0, 3, true},
		"end":    {chart.Request{From: 8, To: 80}, 3, 10, true},
	} {
		from, to, ok := test.of.Within(5, 10)
		require.Equal(t, test.ok, ok, name)
		if ok {
			require.Equal(t, [2]time.Duration{test.from, test.to}, [2]time.Duration{from, to}, name)
		}
	}
}
