package coordinator

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/wire"
)

func TestQueuedSuitesAreBounded(t *testing.T) {
	queued := func(n int, by string) (list []archive.SuiteSummary) {
		for range n {
			one := archive.SuiteSummary{}
			one.Status, one.SubmittedBy = result.Queued, by
			list = append(list, one)
		}
		return list
	}
	ended := queued(2000, "a")
	for i := range ended {
		ended[i].Status = result.Complete
	}
	for name, test := range map[string]struct {
		active []archive.SuiteSummary
		want   string
	}{
		"none":                       {nil, ""},
		"ended ones":                 {ended, ""},
		"some":                       {queued(maxQueuedBy-1, "a"), ""},
		"all of one":                 {queued(maxQueuedBy, "a"), `256 suites of "a" have not ended`},
		"all of another":             {queued(maxQueuedBy, "b"), ""},
		"all that a coordinator has": {queued(maxQueued, "b"), "1024 suites have not ended"},
	} {
		t.Run(name, func(t *testing.T) {
			q := quota{by: make(map[string]int)}
			for _, s := range test.active {
				q.add(s)
			}
			err := q.admits("a")
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, wire.ErrLimit)
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestConcurrentImportsAreBounded(t *testing.T) {
	c := openCoordinator(t, t.TempDir())
	c.imports.Add(maxImports)
	_, err := c.importSuite(t.Context(), nil)
	require.ErrorIs(t, err, wire.ErrLimit)
	require.EqualValues(t, maxImports, c.imports.Load())
	suites, err := c.archive.Suites(t.Context())
	require.NoError(t, err)
	require.Empty(t, suites)
}
