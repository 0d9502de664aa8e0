package record

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
)

// Rows that were not written for lack of time do not exist, though the load is complete.
func TestWhichLoadsHaveWrittenAllTheirRows(t *testing.T) {
	for name, test := range map[string]struct {
		duration time.Duration
		status   result.Status
		recorded uint64
		want     bool
	}{
		"it has ended well":           {0, result.Complete, 100, true},
		"it has failed":               {0, result.Failed, 60, false},
		"it was long enough":          {time.Minute, result.Complete, 100, true},
		"its time was over before":    {time.Minute, result.Complete, 99, false},
		"it is partial":               {0, result.Partial, 100, false},
		"it was cancelled in between": {0, result.Cancelled, 50, false},
	} {
		t.Run(name, func(t *testing.T) {
			phases := []plan.Phase{{Name: plan.Load, Ops: 100, Duration: test.duration}}
			life := lifecycle.New("S.1", phases, lifecycle.FailOnLoss)
			life.Status = test.status
			life.Shards = []lifecycle.Shard{{Ended: []lifecycle.Ended{{Phase: plan.Load, Recorded: test.recorded, Final: true}}}}
			r := &Run{Phases: phases, State: State{Life: life, Begun: map[plan.PhaseName]time.Duration{plan.Load: 0}}}
			w := r.written()
			require.True(t, w.Loaded)
			require.Equal(t, test.want, w.Whole)
		})
	}
}
