package result_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
)

func TestAnActionHasItsDipAndItsRecovery(t *testing.T) {
	speeds := []float64{1000, 1000, 1000, 1000, 1000, 300, 100, 400, 950, 960, 970, 980, 1000, 1000, 500}
	course := func(speeds []float64) []result.Point {
		var points []result.Point
		for i, v := range speeds {
			points = append(points, result.Point{T: float64(i), Seconds: 1, Ops: uint64(v)})
		}
		return points
	}
	tests := []struct {
		name          string
		speeds        []float64
		action        result.Action
		before, worst float64
		during, after any
		recovery      any
		worstAt       float64
	}{
		{"comes back", speeds[:14], result.Action{T: 5, Seconds: 3, Outcome: "done"}, 1000, 100, 800.0 / 3, 5860.0 / 6, 3.0, 6},
		{"is never seen to come back", speeds[:8], result.Action{T: 5, Seconds: 2, Outcome: "done"}, 1000, 100, 200.0, 400.0, nil, 6},
		{"no dip", []float64{1000, 1000, 1000, 980, 990, 1000, 1000}, result.Action{T: 2, Seconds: 2, Outcome: "done"}, 1000, 980, 990.0, 996.6666, 0.0, 3},
		{"never ended", speeds[:8], result.Action{T: 5}, 1000, 100, 800.0 / 3, nil, nil, 6},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			phase := result.Phase{Seconds: float64(len(tc.speeds)), Series: course(tc.speeds), Actions: []result.Action{tc.action}}
			phase.Effects()
			e := phase.Actions[0].Effect
			same := func(want any, got *float64, what string) {
				if want == nil {
					require.Nil(t, got, what)
					return
				}
				require.NotNil(t, got, what)
				require.InDelta(t, want, *got, 0.01, what)
			}
			same(tc.before, e.Before, "before")
			same(tc.during, e.During, "during")
			same(tc.after, e.After, "after")
			same(tc.worst, e.Worst, "worst")
			same(tc.recovery, e.Recovery, "recovery")
			require.InDelta(t, tc.worstAt, e.WorstAt, 0)
		})
	}
}
