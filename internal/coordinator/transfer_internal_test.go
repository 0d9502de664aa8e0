package coordinator

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive/sqlite"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/results/resultstest"
	"github.com/benchd/benchd/internal/wire"
)

// However many peers stall, the archive can be read and written; a transfer beyond the limit is refused at once, and
// transfers leave no files behind.
func TestStalledStreamsHoldUpNobody(t *testing.T) {
	c := closedCoordinator(t)
	resultstest.Ended(t, c.archive, "S", 30, time.Hour, result.Complete)
	ctx, cancel := context.WithCancel(t.Context())
	stalled := make(chan struct{}, 2*maxTransfers)
	stall := func() error {
		stalled <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}
	var wg sync.WaitGroup
	for i := range maxTransfers {
		wg.Go(func() {
			if i%2 == 0 {
				_ = c.export(ctx, "S", func(*benchdv1.ExportResponse) error { return stall() })
			} else {
				_ = c.histograms(ctx, &benchdv1.HistogramsRequest{Id: "S"}, func(*benchdv1.HistogramsResponse) error { return stall() })
			}
		})
	}
	soon, late := context.WithTimeout(t.Context(), 20*time.Second)
	defer late()
	for i := range maxTransfers {
		select {
		case <-stalled:
		case <-soon.Done():
			require.Fail(t, "streams wait for each other", "%d of %d have started to send", i, maxTransfers)
		}
	}
	_, err := c.List(soon, &benchdv1.ListRequest{})
	require.NoError(t, err)
	_, err = c.results.JSON(soon, "S")
	require.NoError(t, err)
	err = c.export(soon, "S", nil)
	require.ErrorIs(t, err, wire.ErrLimit)
	require.EqualError(t, err, "export suite S: 16 exports, imports and reports are in progress, the maximum: try again when one has ended")
	_, err = c.archive.AddWindows(soon, nil)
	require.NoError(t, err)
	cancel()
	wg.Wait()
	var file bytes.Buffer
	require.NoError(t, c.export(t.Context(), "S", func(m *benchdv1.ExportResponse) error {
		_, err := file.Write(m.GetChunk())
		return err
	}))
	_, err = closedCoordinator(t).results.Import(t.Context(), &file)
	require.NoError(t, err, "the export is complete")
	intervals := 0
	require.NoError(t, c.histograms(t.Context(), &benchdv1.HistogramsRequest{Id: "S"}, func(m *benchdv1.HistogramsResponse) error {
		require.NotEmpty(t, m.GetSeries())
		intervals++
		return nil
	}))
	require.Equal(t, 30, intervals)
	left, err := filepath.Glob(filepath.Join(c.config.DataDir, "transfer*"))
	require.NoError(t, err)
	require.Empty(t, left)
	_, err = os.Stat(filepath.Join(c.config.DataDir, sqlite.FileName))
	require.NoError(t, err)
}

// A peer that accepts nothing for a minute is dropped.
func TestAStalledPeerIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over := make(chan struct{})
		began := time.Now()
		err := within(t.Context(), func() error {
			<-over
			return nil
		})
		require.ErrorIs(t, err, wire.ErrUnreachable)
		require.Equal(t, stallWithin, time.Since(began))
		close(over)
	})
}
