package latency

import (
	"math"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// anyValue draws values of every magnitude that has a bucket.
func anyValue(t *rapid.T) int64 {
	octave := rapid.IntRange(0, 42).Draw(t, "octave")
	return min(rapid.Int64Range(0, int64(1)<<octave).Draw(t, "value"), Highest)
}

func TestBucketsTileTheRange(t *testing.T) {
	require.EqualValues(t, 0, lowest(0))
	for i := range index(Highest) {
		require.Equal(t, highest(i)+1, lowest(i+1), "bucket %d", i)
		require.Equal(t, i, index(lowest(i)))
		require.Equal(t, i, index(highest(i)))
		width := float64(highest(i) - lowest(i))
		require.LessOrEqual(t, width, 0.001*float64(lowest(i)), "bucket %d is wider than 0.1 %%", i)
	}
	require.Less(t, index(Highest), buckets)
	require.EqualValues(t, highestIndex, index(Highest))
}

func TestBucketsEqualHdrHistogram(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := anyValue(t)
		theirs := hdrhistogram.New(1, Highest, significantDigits)
		require.NoError(t, theirs.RecordValue(v))
		counts := theirs.Export().Counts
		require.Len(t, counts, buckets)
		require.EqualValues(t, 1, counts[index(v)])
		require.Equal(t, theirs.Max(), highest(index(v)))
		if v > 0 {
			require.Equal(t, theirs.Min(), lowest(index(v)))
		}
	})
}

func TestBoundsGiveEndsInOrder(t *testing.T) {
	for name, c := range map[string]struct {
		bounds Bounds
		from   int64
		want   []int64
	}{
		"none":                         {Bounds{}, 5, []int64{}},
		"multiples":                    {Bounds{Every: 10}, 0, []int64{10, 20, 30}},
		"multiples from within":        {Bounds{Every: 10}, 25, []int64{30, 40, 50}},
		"before the start":             {Bounds{Start: 7, Every: 10}, 3, []int64{7, 17, 27}},
		"a stop between":               {Bounds{Every: 10, Stop: 25}, 10, []int64{20, 25, 35}},
		"a stop on a multiple":         {Bounds{Every: 10, Stop: 20}, 0, []int64{10, 20, 30}},
		"counted again after the stop": {Bounds{Every: 10, Stop: 25}, 25, []int64{35, 45, 55}},
		"only a stop":                  {Bounds{Stop: 25}, 3, []int64{25}},
		"the end of time":              {Bounds{Every: 10}, math.MaxInt64 - 5, []int64{}},
		"after everything":             {Bounds{Every: 10, Stop: 25}, math.MaxInt64, []int64{}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, c.bounds.ends(c.from))
		})
	}
}
