package coordinator

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target"
)

func TestWhatIsAheadOfASuiteIsEstimated(t *testing.T) {
	suite, _, err := target.Reader().Parse(spec.Submission{Suite: &spec.File{Name: "s.yaml", Content: []byte(`
suite: s
properties: {db: "null", recordcount: 100}
scenarios:
  - {name: ops, properties: {operationcount: 100}, repeats: 3}
  - {name: timed, properties: {duration: 1m}}
`)}})
	require.NoError(t, err)
	runs, err := newRuns("S", suite, &benchdv1.SubmitRequest{}, 1)
	require.NoError(t, err)
	require.False(t, lookAhead(target.Reader(), archive.Suite{}, runs, "S.1").known, "nothing tells how long 100 operations take")

	a := lookAhead(target.Reader(), archive.Suite{}, runs[2:], "S.3")
	require.True(t, a.known)
	require.Equal(t, time.Minute, a.after)

	runs[0].Status, runs[0].Started, runs[0].Ended = result.Complete, time.Unix(10, 0), time.Unix(17, 0)
	a = lookAhead(target.Reader(), archive.Suite{}, runs, "S.2")
	require.True(t, a.known)
	require.Equal(t, time.Minute+7*time.Second, a.after, "as long as the first of its case")
}

func TestWhatIsLeftOfARunIsItsPhaseAndThoseAfterIt(t *testing.T) {
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
		"by operations, not begun":    {counted, "", 0, 0, false},
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
