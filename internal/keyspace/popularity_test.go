package keyspace

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// popularShares counts the draws of each row.
func popularShares(p Popularity, rows int64, n int) []float64 {
	d, r := NewPopular(p, 0, rows-1), NewRand(1, 2)
	counted := make([]float64, rows)
	for range n {
		counted[d.Draw(&r)] += 1 / float64(n)
	}
	return counted
}

func TestRowsAreAsPopularAsInTheHistogram(t *testing.T) {
	p := Popularity{{1, 400}, {2, 300}, {7, 300}}
	require.EqualValues(t, 10, p.Rows())
	const n = 200_000
	same := popularShares(p, 10, n)
	for row, want := range []float64{0.4, 0.15, 0.15} {
		require.InDelta(t, want, same[row], 0.005, row)
	}
	for row := 3; row < 10; row++ {
		require.InDelta(t, 0.3/7, same[row], 0.003, row)
	}
	more := popularShares(p, 33, n)
	require.InDelta(t, 0.4, more[0], 0.005, "the most popular rows stay as popular")
	require.InDelta(t, 0.01, more[32], 0.002, "the others share with the new rows")
	fewer := popularShares(p, 2, n)
	require.InDelta(t, 0.4/0.55, fewer[0], 0.005)
}

func TestMistakesInAHistogramOfRequests(t *testing.T) {
	for text, want := range map[string]string{
		"":             "f:1:1: the file has no request; write lines of a number of rows, a tab and the number of their requests",
		"1 5":          `f:1:1: invalid line "1 5": want a number of rows, a tab and the number of their requests`,
		"1\t5\n0\t1":   `f:2:1: invalid number of rows "0": want at least 1, and at most 9007199254740992 in all lines`,
		"10\t5\n10\tx": `f:2:4: invalid number of requests "x": want at least 0, and at most 9007199254740992 in all lines`,
		"1\t5\n1\t6":   "f:2:1: these rows are more popular than those of the line before: sort the lines",
	} {
		_, err := ParsePopularity("f", strings.NewReader(text))
		require.EqualError(t, err, want)
	}
	p, err := ParsePopularity("f", strings.NewReader("1\t5\r\n\n3\t6\n"))
	require.NoError(t, err)
	require.Equal(t, Popularity{{1, 5}, {3, 6}}, p)
}

func TestPopularRowsAllocateNothing(t *testing.T) {
	d, r := NewPopular(Popularity{{1, 400}, {7, 300}}, 0, 7), NewRand(1, 2)
	require.Zero(t, testing.AllocsPerRun(1000, func() { d.Draw(&r) }))
}

func FuzzPopularity(f *testing.F) {
	f.Add("1\t5\n3\t6\n", int64(5))
	f.Fuzz(func(t *testing.T, text string, rows int64) {
		p, err := ParsePopularity("f", strings.NewReader(text))
		if err != nil || rows < 1 {
			return
		}
		d, r := NewPopular(p, 0, rows-1), NewRand(1, 2)
		for range 10 {
			n := d.Draw(&r)
			require.True(t, n >= 0 && n < rows, n)
		}
	})
}
