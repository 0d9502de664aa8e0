package coordinator_test

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/sqlite"
	"github.com/benchd/benchd/internal/coordinator"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
)

// counted is an archive that counts how often its suites are listed.
type counted struct {
	coordinator.Archive
	lists atomic.Int32
}

func (c *counted) Suites(ctx context.Context) ([]archive.SuiteSummary, error) {
	c.lists.Add(1)
	return c.Archive.Suites(ctx)
}

// A coordinator works on the archive that it is given, and closes it.
func TestACoordinatorTakesAnyArchive(t *testing.T) {
	dir, log := t.TempDir(), slog.New(slog.DiscardHandler)
	opened, err := sqlite.Open(t.Context(), dir, log)
	require.NoError(t, err)
	given := &counted{Archive: opened}
	c, err := coordinator.New(t.Context(), coordinator.Config{DataDir: dir, Archive: given})
	require.NoError(t, err)
	before := given.lists.Load()
	_, err = c.List(t.Context(), &benchdv1.ListRequest{})
	require.NoError(t, err)
	require.Equal(t, before+1, given.lists.Load())
	require.NoError(t, c.Close(t.Context()))
	again, err := sqlite.Open(t.Context(), dir, log)
	require.NoError(t, err, "it is closed")
	require.NoError(t, again.Close(t.Context()))
}
