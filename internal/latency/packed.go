package latency

import (
	"encoding/binary"
	"math/bits"
)

// packedBuckets is the checked part of an encoding that contains the buckets.
type packedBuckets []byte

// all yields the buckets and their counts, from the lowest on.
func (p packedBuckets) all(yield func(i int, n uint64) bool) {
	for i := 0; len(p) > 0; i++ {
		var gap, n uint64
		gap, n, p = nextBucket(p)
		i += int(gap)
		if !yield(i, n) {
			return
		}
	}
}

// nextBucket reads a bucket off the front of checked packed buckets: how many empty ones it skips, and its count.
func nextBucket(p []byte) (gap, n uint64, rest []byte) {
	gap, size := binary.Uvarint(p)
	p = p[size:]
	n, size = binary.Uvarint(p)
	return gap, n, p[size:]
}

// four are four buckets in a row of packed buckets: the gaps and counts of one byte each that nearly all buckets of a window have. A
// coordinator reads thousands of such buckets of each window, and four at once take a third of the time. All of their figures are in one
// word of four lanes of 16 bits, the first bucket's in the lowest.
type four uint64

const (
	fourBytes = 8
	// everyLane has a 1 in each lane: a product with it has the sums of all lanes up to each.
	everyLane = 0x0001_0001_0001_0001
	lowBytes  = 0x00FF_00FF_00FF_00FF
)

// nextFour returns the four buckets at the front of packed buckets; ok is false where there are fewer, or longer ones among them.
func nextFour(p []byte) (_ four, ok bool) {
	if len(p) < fourBytes {
		return 0, false
	}
	v := binary.LittleEndian.Uint64(p)
	return four(v), v&0x8080_8080_8080_8080 == 0
}

// steps returns how far each of the buckets is behind the bucket before the first of them.
func (f four) steps() uint64 { return (uint64(f)&lowBytes + everyLane) * everyLane }

// counts returns the counts of the buckets.
func (f four) counts() uint64 { return uint64(f) >> 8 & lowBytes }

func highestLane(lanes uint64) uint64 { return lanes >> 48 }

// nonzeroLanes reports whether no lane is 0. Each is below 128.
func nonzeroLanes(lanes uint64) bool {
	const most, bit = 127 * everyLane, 128 * everyLane
	return (lanes+most)&bit == bit
}

// mostSamples is how many samples four buckets may have for offsets.
const mostSamples = 127

// offsets returns the sum, over the samples of the buckets, of how far their bucket is behind the bucket before the first. There may be mostSamples.
//
// Each step moves all samples from its bucket on, so it is the sum of the products of the steps and the samples that are left. With these in the
// opposite order, a multiplication adds up the products in the highest lane; the lower ones have no more than a lane has room for.
func (f four) offsets() uint64 {
	left := bits.ReverseBytes64(uint64(f)) & lowBytes * everyLane
	return highestLane((uint64(f)&lowBytes + everyLane) * left)
}

// addPacked adds checked packed buckets. All merges of a coordinator use it.
func (h *Histogram) addPacked(p packedBuckets) {
	var to *page
	number, last := -1, -1 // of the page, and of the bucket before, which is in it
	for len(p) > 0 {
		var gap, n uint64
		if len(p) >= 2 && p[0]|p[1] < 0x80 {
			gap, n, p = uint64(p[0]), uint64(p[1]), p[2:]
		} else {
			gap, n, p = nextBucket(p)
		}
		last += int(gap) + 1
		if last>>pageBits != number {
			number = last >> pageBits
			to = h.page(number)
		}
		to[last&pageMask] += n
		last, p = to.addFours(last, p)
	}
}

// addFours adds the fours of packed buckets that are in the page, after the bucket last. It returns the new last bucket, and what is left.
func (to *page) addFours(last int, p packedBuckets) (int, packedBuckets) {
	const lane = 0xFFFF
	before := uint64(last) & pageMask
	at := before
	for {
		f, ok := nextFour(p)
		if !ok {
			break
		}
		steps := f.steps()
		end := at + highestLane(steps)
		if end > pageMask {
			break
		}
		counts := f.counts()
		to[(at+steps&lane)&pageMask] += counts & lane
		to[(at+steps>>16&lane)&pageMask] += counts >> 16 & lane
		to[(at+steps>>32&lane)&pageMask] += counts >> 32 & lane
		to[end&pageMask] += counts >> 48
		at, p = end, p[fourBytes:]
	}
	return last + int(at-before), p
}
