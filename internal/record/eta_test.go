package record_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target/all"
)

func TestTheRemainingTimeOfASuiteIsEstimated(t *testing.T) {
	suite, _, err := all.Targets().Reader().Parse(spec.Submission{Suite: &spec.File{Name: "s.yaml", Content: []byte(`
suite: s
properties: {db: "null", recordcount: 100}
scenarios:
  - {name: ops, properties: {operationcount: 100}, repeats: 3}
  - {name: timed, properties: {duration: 1m}}
`)}})
	require.NoError(t, err)
	runs, err := record.NewRuns("S", *suite, record.Ask{Agents: 1})
	require.NoError(t, err)
	require.False(t, record.NewETA(all.Targets().Reader(), archive.Suite{}, runs, "S.1").Known, "the time for 100 operations is unknown")

	eta := record.NewETA(all.Targets().Reader(), archive.Suite{}, runs[2:], "S.3")
	require.True(t, eta.Known)
	require.Equal(t, time.Minute, eta.After)

	runs[0].Status, runs[0].Started, runs[0].Ended = result.Complete, time.Unix(10, 0), time.Unix(17, 0)
	eta = record.NewETA(all.Targets().Reader(), archive.Suite{}, runs, "S.2")
	require.True(t, eta.Known)
	require.Equal(t, time.Minute+7*time.Second, eta.After, "as long as the first of its case")
}
