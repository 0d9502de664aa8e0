package coordinator

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/wire"
)

func TestQueuedSuitesAreBounded(t *testing.T) {
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
			var q quota
			q.count(test.active)
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

// withSuites is an archive with further suites in its list.
type withSuites struct {
	Archive
	more []archive.SuiteSummary
}

func (a *withSuites) Suites(ctx context.Context) ([]archive.SuiteSummary, error) {
	list, err := a.Archive.Suites(ctx)
	return append(list, a.more...), err
}

func queued(n int, by string) (list []archive.SuiteSummary) {
	for range n {
		one := archive.SuiteSummary{}
		one.Status, one.SubmittedBy = result.Queued, by
		list = append(list, one)
	}
	return list
}

// The peer that resumes a suite has queued it, and not its submitter: nobody can queue more by resuming, or use up what others may queue.
func TestAResumedSuiteCountsForThePeerThatResumesIt(t *testing.T) {
	dir := t.TempDir()
	queuedSuite(t, dir, "S.1")
	c := openCoordinator(t, dir)
	commands, err := c.endSuite(t.Context(), "S", lifecycle.CancelAsked{By: "ann"})
	require.NoError(t, err)
	require.NoError(t, c.cancelRuns(t.Context(), "S", commands))
	suite, err := c.archive.Suite(t.Context(), "S")
	require.NoError(t, err)
	require.Equal(t, result.Cancelled, suite.Status)
	ann := suite.SubmittedBy
	bob := by(identity.With(t.Context(), identity.Identity{Role: identity.Operator, Name: "bob"}), ann)

	wrapped := &withSuites{Archive: c.archive, more: queued(maxQueuedBy, "bob")}
	c.archive = wrapped
	_, _, err = c.runAgain(t.Context(), suite, bob)
	require.ErrorIs(t, err, wire.ErrLimit)
	require.ErrorContains(t, err, `256 suites of "bob" have not ended`)
	suite, err = c.archive.Suite(t.Context(), "S")
	require.NoError(t, err)
	require.Equal(t, result.Cancelled, suite.Status, "nothing was added to it")

	wrapped.more = append(queued(maxQueuedBy-1, "bob"), queued(maxQueuedBy-1, ann)...)
	again, _, err := c.runAgain(t.Context(), suite, bob)
	require.NoError(t, err)
	require.Len(t, again, 1)
	require.ErrorContains(t, c.admitSuite(t.Context(), bob), `256 suites of "bob" have not ended`)
	require.NoError(t, c.admitSuite(t.Context(), ann))
	_, unfinished, err := c.runAgain(t.Context(), suite, bob)
	require.NoError(t, err, "a suite that goes on counts once")
	require.True(t, unfinished)
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
