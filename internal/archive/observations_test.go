package archive

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
)

// observedBy is something that a server has told.
func observedBy(source string) []result.Observed {
	at := []time.Duration{time.Second, 2 * time.Second, 3 * time.Second}
	return []result.Observed{
		{Name: "hbase.regionserver.regions", Source: source, Unit: "1", At: at, Values: []float64{3, 3, 4}},
		{Name: "hbase.regionserver.requests", Source: source, Unit: "1/s", At: at[1:], Values: []float64{1234.5678, 0.1}},
		{Name: "telemetry.nothing", Source: source, Unit: "1"},
	}
}

func TestObservationsComeBackInOrder(t *testing.T) {
	a := openIn(t, t.TempDir())
	run := create(t, a, "S")
	require.NoError(t, a.AddObservations(t.Context(), run, observedBy("rs1:16020")))
	later := []result.Observed{{Name: "hbase.regionserver.regions", Source: "rs1:16020", Unit: "1", At: []time.Duration{500 * time.Millisecond, 4 * time.Second}, Values: []float64{2, 5}}}
	require.NoError(t, a.AddObservations(t.Context(), run, later))
	require.NoError(t, a.AddObservations(t.Context(), run, nil))

	got, err := a.Observations(t.Context(), run)
	require.NoError(t, err)
	require.Len(t, got, 2)
	require.Equal(t, result.Observed{
		Name: "hbase.regionserver.regions", Source: "rs1:16020", Unit: "1",
		At: []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 3 * time.Second, 4 * time.Second}, Values: []float64{2, 3, 3, 4, 5},
	}, got[0], "also where two agents watched at the same time")
	require.Equal(t, observedBy("rs1:16020")[1], got[1])

	require.ErrorIs(t, a.AddObservations(t.Context(), "T.1", later), ErrNotFound)
	end(t, a, "S")
	require.NoError(t, a.Remove(t.Context(), "S"))
	require.Empty(t, query(t, a, `SELECT 1 FROM observation UNION SELECT 1 FROM figure`))
}

func TestWhatWasObservedIsKeptWithoutLoss(t *testing.T) {
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
	got, err := decodePoints(from, encodePoints(from, figures, numbers))
	require.NoError(t, err)
	for i, f := range figures {
		require.Equal(t, numbers[i], got[i].number)
		require.ElementsMatch(t, f.At, got[i].at)
		require.ElementsMatch(t, f.Values, got[i].values)
	}
}

func FuzzPoints(f *testing.F) {
	figures := observedBy("a")
	f.Add(int64(time.Second), encodePoints(time.Second, figures, []int{0, 1, 2}))
	f.Add(int64(0), []byte{pointsVersion, 0, 0})
	f.Fuzz(func(t *testing.T, from int64, b []byte) {
		if from < 0 || from > int64(maxSpan) {
			return
		}
		figures, err := decodePoints(time.Duration(from), b)
		if err != nil {
			return
		}
		for _, n := range figures {
			require.Len(t, n.values, len(n.at))
		}
	})
}
