package conductor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
)

func TestTheRemainingTimeOfARunIncludesLaterPhases(t *testing.T) {
	timed := []plan.Phase{{Name: plan.Warmup, Duration: 10 * time.Second}, {Name: plan.Measure, Duration: time.Minute}}
	counted := []plan.Phase{{Name: plan.Measure, Ops: 100}}
	for name, test := range map[string]struct {
		phases []plan.Phase
		began  plan.PhaseName
		ops    uint64
		want   time.Duration
		ok     bool
	}{
		"before it begins":            {timed, "", 0, 70 * time.Second, true},
		"in the warm-up":              {timed, plan.Warmup, 0, 66 * time.Second, true},
		"while it is measured":        {timed, plan.Measure, 0, 56 * time.Second, true},
		"by operations":               {counted, plan.Measure, 25, 12 * time.Second, true},
		"by operations, none of them": {counted, plan.Measure, 0, 0, false},
		"by operations, not started":  {counted, "", 0, 0, false},
		"what comes after is unknown": {append(timed[:1:1], counted...), plan.Warmup, 0, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			v := liveView{state: &lifecycle.State{Phases: test.phases}, began: map[plan.PhaseName]time.Duration{}, live: result.Snapshot{Phase: string(test.began), Ops: test.ops}}
			if test.began != "" {
				v.began[test.began] = 6 * time.Second
			}
			left, ok := v.left(10 * time.Second)
			require.Equal(t, test.ok, ok)
			if ok {
				require.Equal(t, test.want, left)
			}
		})
	}
}
