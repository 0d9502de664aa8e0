package column

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/result"
)

func observed(name, source string, at ...time.Duration) result.Observed {
	return result.Observed{Name: name, Source: source, Unit: "B", At: at, Values: make([]float64, len(at))}
}

// Figures keep their numbers in all batches of a run, and the figures of two sources have two numbers.
func TestFiguresAreNumberedOnce(t *testing.T) {
	known := make(map[Figure]int)
	first := NewBatch(known, []result.Observed{observed("heap", "a", 5*time.Second, 9*time.Second), observed("heap", "b", 2*time.Second)})
	require.Equal(t, []NewFigure{{0, "heap", "a", "B"}, {1, "heap", "b", "B"}}, first.New)
	require.Equal(t, 2*time.Second, first.From)
	require.Equal(t, 9*time.Second, first.To)
	second := NewBatch(known, []result.Observed{observed("heap", "b", time.Second), observed("gc", "a", 3*time.Second)})
	require.Equal(t, []NewFigure{{2, "gc", "a", "B"}}, second.New)

	var all Observations
	for _, f := range append(first.New, second.New...) {
		all.Figure(f.Number, result.Observed{Name: f.Name, Source: f.Source, Unit: f.Unit})
	}
	for _, b := range []Batch{first, second} {
		require.NoError(t, all.Batch("S.1", b.From, b.Points))
	}
	require.Equal(t, []result.Observed{
		observed("heap", "a", 5*time.Second, 9*time.Second), observed("heap", "b", time.Second, 2*time.Second), observed("gc", "a", 3*time.Second),
	}, all.All())
}

func TestTooManyFiguresAreDropped(t *testing.T) {
	known := make(map[Figure]int)
	for i := range MaxFigures - 1 {
		known[Figure{Name: strconv.Itoa(i)}] = i
	}
	b := NewBatch(known, []result.Observed{observed("last", "", time.Second), observed("one more", "", time.Hour)})
	require.Equal(t, []NewFigure{{MaxFigures - 1, "last", "", "B"}}, b.New)
	require.Equal(t, time.Second, b.To)
}

func TestDamagedObservationsAreReported(t *testing.T) {
	b := NewBatch(make(map[Figure]int), []result.Observed{observed("heap", "a", time.Second)})
	for text, points := range map[string][]byte{"malformed points": b.Points[:1], "unknown figure 0": b.Points} {
		err := new(Observations).Batch("S.1", b.From, points)
		require.ErrorIs(t, err, archive.ErrCorrupt)
		require.EqualError(t, err, "read observations of run S.1: "+text)
	}
}
