package latency

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"
)

// ErrMalformed reports that bytes are not an encoded histogram.
var ErrMalformed = errors.New("malformed histogram")

// The encoding, version 1, is a byte with the version and then unsigned varints: count, overflow,
// negative, min, max, the sum's upper and lower 64 bits, and for each bucket that is not empty, from the lowest
// on, the number of empty buckets skipped and the count. Every histogram has exactly one encoding.
const (
	encodingVersion = 1
	headerFields    = 7
	// maxEncoded bounds the input: all buckets in use, with the longest varints.
	maxEncoded = 1 + headerFields*binary.MaxVarintLen64 + buckets*(1+binary.MaxVarintLen64)
)

// AppendBinary appends the encoding of h to b. The error is always nil; it makes h an encoding.BinaryAppender.
func (h *Histogram) AppendBinary(b []byte) ([]byte, error) {
	return h.appendBuckets(h.appendHeader(b)), nil
}

// appendHeader appends the part of the encoding before the buckets.
func (h *Histogram) appendHeader(b []byte) []byte {
	t := &h.totals
	b = append(b, encodingVersion)
	for _, v := range [headerFields]uint64{t.count, t.overflow, t.negative, uint64(t.min), uint64(t.max), t.sumHi, t.sumLo} {
		b = binary.AppendUvarint(b, v)
	}
	return b
}

// appendBuckets appends the part of the encoding that holds the buckets.
func (h *Histogram) appendBuckets(b []byte) []byte {
	if h.packed != nil {
		return append(b, h.packed...)
	}
	next := 0
	first, used := h.used()
	for i, p := range used { // not by all: there are many
		if p == nil {
			continue
		}
		for j, n := range p {
			if n == 0 {
				continue
			}
			bucket := (first+i)<<pageBits + j
			if gap := uint64(bucket - next); gap < 0x80 {
				b = append(b, byte(gap))
			} else {
				b = binary.AppendUvarint(b, gap)
			}
			if n < 0x80 {
				b = append(b, byte(n))
			} else {
				b = binary.AppendUvarint(b, n)
			}
			next = bucket + 1
		}
	}
	return b
}

// DecodeHistogram returns the histogram that AppendBinary encoded. It refuses any other input with an ErrMalformed that
// has the reason. Data may be reused afterwards.
func DecodeHistogram(data []byte) (*Histogram, error) {
	h := new(Histogram)
	if err := h.view(data); err != nil {
		return nil, fmt.Errorf("decode histogram: %w", err)
	}
	h.packed = slices.Clone(h.packed)
	return h, nil
}

// TakeHistogram is DecodeHistogram without a copy: the histogram keeps using data, which must not change anymore.
func TakeHistogram(data []byte) (*Histogram, error) {
	h := new(Histogram)
	if err := h.Take(data); err != nil {
		return nil, err
	}
	return h, nil
}

// Take makes h, which is empty, what TakeHistogram returns. After an error h must not be used.
func (h *Histogram) Take(data []byte) error {
	if err := h.view(data); err != nil {
		return fmt.Errorf("decode histogram: %w", err)
	}
	return nil
}

// KnownHistogram is TakeHistogram for bytes that AppendBinary has written and that have been compared with a sum since: it looks for
// no contradiction between the buckets and the totals, which takes most of the time.
func KnownHistogram(data []byte) (*Histogram, error) {
	h := new(Histogram)
	if err := h.head(data); err != nil {
		return nil, fmt.Errorf("decode histogram: %w", err)
	}
	return h, nil
}

// view makes h, which is empty, the histogram encoded in data, and keeps using data's bytes.
func (h *Histogram) view(data []byte) error {
	if err := h.head(data); err != nil {
		return err
	}
	if err := check(h.totals, h.packed); err != nil {
		return fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return nil
}

// head is view without a check of the buckets.
func (h *Histogram) head(data []byte) error {
	switch {
	case len(data) == 0:
		return fmt.Errorf("%w: no bytes", ErrMalformed)
	case data[0] != encodingVersion:
		return fmt.Errorf("%w: version %d instead of %d", ErrMalformed, data[0], encodingVersion)
	case len(data) > maxEncoded:
		return fmt.Errorf("%w: %d bytes, more than any histogram needs", ErrMalformed, len(data))
	}
	rest := data[1:]
	var fields [headerFields]uint64
	for i := range fields {
		var ok bool
		if fields[i], rest, ok = uvarint(rest); !ok {
			return fmt.Errorf("%w: truncated or invalid header", ErrMalformed)
		}
	}
	h.totals = totals{
		count: fields[0], overflow: fields[1], negative: fields[2],
		min: int64(fields[3]), max: int64(fields[4]), sumHi: fields[5], sumLo: fields[6],
	}
	if len(rest) > 0 {
		h.packed = rest
	}
	return nil
}

// check returns the first contradiction between encoded buckets and their totals t, or nil.
func check(t totals, packed []byte) error {
	switch {
	case t.min < 0 || t.max < t.min:
		return fmt.Errorf("min %d and max %d", t.min, t.max)
	case t.overflow > t.count || (t.overflow > 0) != (t.max > Highest):
		return fmt.Errorf("overflow %d of %d samples with a max of %d", t.overflow, t.count, t.max)
	case t.count == 0 && t != totals{}:
		return errors.New("totals of no samples")
	case t.count == 1 && t.min != t.max:
		return errors.New("one sample, but a min and a max")
	}
	var (
		inBuckets, zeros uint64
		first, last      = -1, -1
		sums             bucketSums
		next, gap, n     uint64
		ok               bool
	)
	for len(packed) > 0 {
		if first >= 0 && uint64(last)>>pageBits == sums.page && sums.page < highestIndex>>pageBits {
			before := sums.samples
			last, n, packed = sums.addFours(last, n, packed)
			if sums.samples-before > t.count-inBuckets {
				return fmt.Errorf("buckets hold more than %d samples", t.count)
			}
			inBuckets += sums.samples - before
			next = uint64(last) + 1
			if len(packed) == 0 {
				break
			}
		}
		few := len(packed) >= 2 && packed[0]|packed[1] < 0x80 // nearly always
		if few {
			gap, n, packed = uint64(packed[0]), uint64(packed[1]), packed[2:]
		} else {
			if gap, packed, ok = uvarint(packed); !ok || gap >= buckets {
				return errors.New("truncated or invalid bucket")
			}
			if n, packed, ok = uvarint(packed); !ok {
				return errors.New("truncated or invalid count")
			}
		}
		i := next + gap
		switch {
		case n == 0:
			return errors.New("truncated or invalid count")
		case i > highestIndex:
			return fmt.Errorf("bucket %d is out of range", i)
		case n > t.count-inBuckets:
			return fmt.Errorf("buckets hold more than %d samples", t.count)
		}
		inBuckets += n
		if first < 0 {
			first = int(i)
			if i == 0 {
				zeros = n
			}
			// No sample of the first bucket is below the least.
			if least, from := uint64(t.min), uint64(lowest(first)); least > from {
				sums.low = sums.low.plusProduct(n, least-from)
			}
		}
		if few {
			if i>>pageBits != sums.page {
				sums.turn(i >> pageBits)
			}
			sums.samples += n
			sums.offsets += n * (i & pageMask)
		} else {
			sums.low = sums.low.plusProduct(n, uint64(lowest(int(i))))
			sums.high = sums.high.plusProduct(n, uint64(highest(int(i))))
		}
		last, next = int(i), i+1
	}
	sums.turn(0)
	low, high, above := sums.low, sums.high, uint128{}
	if last >= 0 { // no sample of the last bucket, which has n, is above the greatest
		if to, greatest := uint64(highest(last)), uint64(t.max); to > greatest {
			above = above.plusProduct(n, to-greatest)
		}
	}
	low = low.plusProduct(t.overflow, uint64(max(Highest+1, t.min)))
	high = high.plusProduct(t.overflow, uint64(t.max))

	switch sum := (uint128{t.sumHi, t.sumLo}); {
	case inBuckets != t.count-t.overflow:
		return fmt.Errorf("buckets hold %d samples instead of %d", inBuckets, t.count-t.overflow)
	case t.negative > zeros:
		return fmt.Errorf("%d negative samples among %d zeros", t.negative, zeros)
	case first >= 0 && (t.min > Highest || index(t.min) != first):
		return fmt.Errorf("min %d is not in bucket %d", t.min, first)
	case first < 0 && t.count > 0 && t.min <= Highest:
		return fmt.Errorf("min %d is in no bucket", t.min)
	case last >= 0 && t.overflow == 0 && index(t.max) != last:
		return fmt.Errorf("max %d is not in bucket %d", t.max, last)
	case sum.less(low) || high.less(sum.plus(above)):
		return errors.New("the sum does not match the buckets")
	}
	return nil
}

// bucketSums are the bounds of the sum of the samples in buckets. Those of a page are counted first, because all its buckets have one width; only
// buckets with few samples are, so that the counts and their products fit 64 bits.
type bucketSums struct {
	low, high        uint128
	page             uint64
	samples, offsets uint64 // in the page, and the sum of the numbers of their buckets in it
}

// addFours counts the fours of packed buckets that are in the page, after the bucket last, which has n samples. It returns the new last bucket, and what is
// left.
func (s *bucketSums) addFours(last int, n uint64, packed []byte) (int, uint64, []byte) {
	before := uint64(last) & pageMask
	at, all, offsets := before, uint64(0), uint64(0)
	for {
		four, ok := nextFour(packed)
		if !ok {
			break
		}
		counts := four.counts()
		end, samples := at+highestLane(four.steps()), highestLane(counts*everyLane)
		if end > pageMask || samples > mostSamples || !nonzeroLanes(counts) {
			break
		}
		all += samples
		offsets += samples*at + four.offsets()
		at, n, packed = end, highestLane(counts), packed[fourBytes:]
	}
	s.samples += all
	s.offsets += offsets
	return last + int(at-before), n, packed
}

// turn adds what is counted, and begins to count another page.
func (s *bucketSums) turn(page uint64) {
	from, width := uint64(lowest(int(s.page<<pageBits))), uint64(1)<<(max(s.page, 1)-1)
	low := s.samples*from + s.offsets*width
	s.low = s.low.plus(uint128{lo: low})
	s.high = s.high.plus(uint128{lo: low + s.samples*(width-1)})
	s.page, s.samples, s.offsets = page, 0, 0
}

// uvarint reads a varint off the front of b. It accepts only the shortest form.
func uvarint(b []byte) (v uint64, rest []byte, ok bool) {
	if len(b) > 0 && b[0] < 0x80 { // the common case
		return uint64(b[0]), b[1:], true
	}
	v, n := binary.Uvarint(b)
	if n <= 0 || n > 1 && b[n-1] == 0 {
		return 0, nil, false
	}
	return v, b[n:], true
}

// uint128 is an unsigned integer of 128 bits.
type uint128 struct{ hi, lo uint64 }

// plusProduct returns u + a·b. All counts of a histogram together are below 2⁶⁴ and all values below 2⁶³, so the
// sum of such products has room.
func (u uint128) plusProduct(a, b uint64) uint128 {
	hi, lo := bits.Mul64(a, b)
	var carry uint64
	u.lo, carry = bits.Add64(u.lo, lo, 0)
	u.hi += hi + carry
	return u
}

func (u uint128) plus(o uint128) uint128 {
	lo, carry := bits.Add64(u.lo, o.lo, 0)
	return uint128{u.hi + o.hi + carry, lo}
}

func (u uint128) less(o uint128) bool {
	return u.hi < o.hi || u.hi == o.hi && u.lo < o.lo
}
