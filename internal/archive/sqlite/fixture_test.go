package sqlite

import (
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
)

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

// openIn opens the archive of a directory and closes it at the test's end.
func openIn(tb testing.TB, dir string) *Archive {
	tb.Helper()
	a, err := Open(tb.Context(), dir, discard())
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, a.Close(context.WithoutCancel(tb.Context()))) })
	return a
}
