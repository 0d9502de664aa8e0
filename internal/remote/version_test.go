package remote

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/clock"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/tolerance"
	"github.com/benchd/benchd/internal/wire"
)

func TestAboutACoordinatorAndItsClock(t *testing.T) {
	theirs := clock.NewSource(clock.Skew{Offset: time.Hour})
	asked := 0
	c := connect(t, &fake{about: func() (*benchdv1.AboutResponse, error) {
		asked++
		return &benchdv1.AboutResponse{
			Version: "v1", Protocol: 1, ReceivedNs: theirs.Now(), SentNs: theirs.Now(),
			DiskFreeBytes: 5, DiskTotalBytes: 6, ArchiveBytes: 7, ArchiveStuck: true,
		}, nil
	}})
	about, err := c.About(t.Context())
	require.NoError(t, err)
	require.Greater(t, asked, 8)
	require.Positive(t, about.Took)
	require.InDelta(t, time.Hour.Milliseconds(), about.Clock.OffsetMS, about.Clock.UncertaintyMS+1)
	require.Positive(t, about.Clock.UncertaintyMS)
	require.WithinDuration(t, time.Now().Add(time.Hour), about.Time, tolerance.Patience)
	about.Took, about.Clock, about.Time = 0, Clock{}, time.Time{}
	require.Equal(t, About{Version: "v1", Protocol: 1, DiskFree: 5, DiskSize: 6, Archive: 7, Stuck: true}, about)
}

func TestAboutATooOldCoordinator(t *testing.T) {
	_, err := connect(t, &fake{}).About(t.Context())
	require.ErrorIs(t, err, wire.ErrNotFound)
	require.ErrorContains(t, err, "same release")
}

func TestInvalidTimesAreRefused(t *testing.T) {
	_, err := connect(t, &fake{about: func() (*benchdv1.AboutResponse, error) {
		return &benchdv1.AboutResponse{ReceivedNs: 5, SentNs: 1}, nil
	}}).About(t.Context())
	require.ErrorContains(t, err, "invalid times")
}
