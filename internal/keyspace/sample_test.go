package keyspace

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLengthsFollowTheirSample(t *testing.T) {
	s, err := ParseLengthSample("sizes", "# bytes, number\n\n100\r\n100\n7 3\n 4096\t5\n0\n")
	require.NoError(t, err)
	require.Equal(t, &LengthSample{Lengths: []int64{0, 7, 100, 4096}, Counts: []int64{1, 3, 2, 5}}, s)
	require.Equal(t, int64(4096), s.Longest())
	again, err := ParseLengthSample("", s.String())
	require.NoError(t, err)
	require.Equal(t, s, again)

	d, r := s.Distribution(), NewRand(7)
	counts := make([]int64, len(s.Lengths))
	for range draws {
		n := d.Draw(&r)
		for i, length := range s.Lengths {
			if n == length {
				counts[i]++
			}
		}
	}
	requireChiSquare(t, counts, []float64{1. / 11, 3. / 11, 2. / 11, 5. / 11})
	require.Zero(t, testing.AllocsPerRun(100, func() { d.Draw(&r) }))
}

func TestMistakesInSamples(t *testing.T) {
	for text, want := range map[string]string{
		"": "f:1:1: the file has no size; write one on each line, such as 4096",
		"12\n1k\n 7 0\n9 9 9\n-1\n": `f:2:1: invalid size "1k": want bytes from 0 to 67108864` + "\n" +
			`f:3:4: invalid count "0": want the number of values of this size, an integer of at least 1` + "\n" +
			`f:4:5: "9" after the size and the count; a line has a size, and optionally a count` + "\n" +
			`f:5:1: invalid size "-1": want bytes from 0 to 67108864`,
	} {
		_, err := ParseLengthSample("f", text)
		require.EqualError(t, err, want)
	}
	_, err := ParseLengthSample("f", strings.Repeat("x\n", 100))
	require.ErrorContains(t, err, "f: and 80 more mistakes; is it the right file?")
}

func FuzzParseLengthSample(f *testing.F) {
	f.Add("100 3\n7\n")
	f.Add("# x\n\t5 \r\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseLengthSample("f", text)
		if err != nil {
			return
		}
		again, err := ParseLengthSample("f", s.String())
		require.NoError(t, err)
		require.Equal(t, s, again)
		r := NewRand(1)
		require.LessOrEqual(t, s.Distribution().Draw(&r), s.Longest())
	})
}
