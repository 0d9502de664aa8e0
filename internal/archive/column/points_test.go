package column

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive/archivetest"
	"github.com/benchd/benchd/internal/result"
)

func TestObservationsAreStoredWithoutLoss(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var figures []result.Observed
	var numbers []int
	from := 1_099_511 * time.Millisecond
	for i := range 50 {
		o := result.Observed{}
		at := from
		for range random.IntN(20) {
			at += time.Duration(1+random.IntN(2000)) * time.Millisecond
			o.At = append(o.At, at)
			o.Values = append(o.Values, random.NormFloat64()*1e9)
		}
		figures, numbers = append(figures, o), append(numbers, 3*i)
	}
	got, err := DecodePoints(from, encodePoints(from, figures, numbers))
	require.NoError(t, err)
	for i, f := range figures {
		require.Equal(t, numbers[i], got[i].Number)
		require.ElementsMatch(t, f.At, got[i].At)
		require.ElementsMatch(t, f.Values, got[i].Values)
	}
}

func FuzzPoints(f *testing.F) {
	figures := archivetest.ObservedBy("a")
	f.Add(int64(time.Second), encodePoints(time.Second, figures, []int{0, 1, 2}))
	f.Add(int64(0), []byte{pointsVersion, 0, 0})
	f.Fuzz(func(t *testing.T, from int64, b []byte) {
		if from < 0 || from > int64(maxSpan) {
			return
		}
		figures, err := DecodePoints(time.Duration(from), b)
		if err != nil {
			return
		}
		for _, n := range figures {
			require.Len(t, n.Values, len(n.At))
		}
	})
}
