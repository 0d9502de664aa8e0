package conductor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/report"
)

// However far ahead a window ends, watchers get no more lines than are kept for them, the newest ones, and the lines
// continue from there.
func TestStatusLinesOfAWindowFarAheadAreFew(t *testing.T) {
	s := &status{ycsb: report.YCSB{Status: true, StatusInterval: time.Second}, phases: []plan.Phase{{Name: plan.Measure}}}
	s.enter(plan.Measure, 0, time.Unix(0, 0))
	require.Len(t, s.advance(5*time.Second, 2*time.Second, time.Unix(5, 0)), 2)
	far := 10_000_000 * time.Second
	lines := s.advance(6*time.Second, far, time.Unix(6, 0))
	require.Len(t, lines, maxStatuses)
	require.Empty(t, s.advance(7*time.Second, far, time.Unix(7, 0)))
	require.Len(t, s.advance(8*time.Second, far+time.Second, time.Unix(8, 0)), 1)
}
