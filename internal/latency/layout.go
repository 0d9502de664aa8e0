package latency

import (
	"math/bits"
	"time"
)

// Highest is the highest value that has a bucket. Longer times are counted as overflow.
const Highest = int64(time.Hour)

// The layout is HdrHistogram's for 3 significant digits and a unit of 1: values below 2048 have a bucket each,
// and each octave above is split into 1024 buckets of equal width. So a bucket is at most 1/1024 of its lowest value
// wide, which is the largest error of quantiles, 0.1 %.
//
// A page holds 1024 buckets, which above 2048 is one octave. Latencies of one kind of operation rarely spread over more
// than a few octaves, so allocating pages on first use keeps a histogram small.
const (
	pageBits = 10
	pageSize = 1 << pageBits
	pageMask = pageSize - 1
	pages    = 33
	buckets  = pages * pageSize
)

// index returns the bucket of v, which is at least 0 and at most Highest.
func index(v int64) int {
	shift := bits.Len64(uint64(v)|(2*pageSize-1)) - (pageBits + 1)
	return shift<<pageBits + int(uint64(v)>>shift)
}

// highestIndex is the bucket of Highest.
const highestIndex = 31<<pageBits + uint64(Highest)>>31

// lowest returns the lowest value of bucket i.
func lowest(i int) int64 {
	shift := max(0, i>>pageBits-1)
	return int64(i-shift<<pageBits) << shift
}

// highest returns the highest value of bucket i.
func highest(i int) int64 {
	shift := max(0, i>>pageBits-1)
	return int64(i-shift<<pageBits+1)<<shift - 1
}
