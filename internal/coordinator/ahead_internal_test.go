package coordinator

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/spec"
)

func TestWhatIsAheadOfASuiteIsEstimated(t *testing.T) {
	suite, _, err := spec.Parse(spec.Submission{Suite: &spec.File{Name: "s.yaml", Content: []byte(`
suite: s
properties: {db: "null", recordcount: 100}
scenarios:
  - {name: ops, properties: {operationcount: 100}, repeats: 3}
  - {name: timed, properties: {duration: 1m}}
`)}})
	require.NoError(t, err)
	runs, err := newRuns("S", suite, &benchdv1.SubmitRequest{}, 1)
	require.NoError(t, err)
	_, ok := ahead(archive.Suite{}, runs, "S.1")
	require.False(t, ok, "nothing tells how long 100 operations take")

	left, ok := ahead(archive.Suite{}, runs[2:], "S.3")
	require.True(t, ok)
	require.Equal(t, time.Minute, left)

	runs[0].Status, runs[0].Started, runs[0].Ended = result.Complete, time.Unix(10, 0), time.Unix(17, 0)
	left, ok = ahead(archive.Suite{}, runs, "S.2")
	require.True(t, ok)
	require.Equal(t, time.Minute+7*time.Second, left, "as long as the first of its case")
}
