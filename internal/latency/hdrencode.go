package latency

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"
)

// LogEncoder encodes histograms as HdrHistogram logs contain them. Unlike hdrhistogram-go it makes no histogram of all counters
// first, reuses its memory, and compresses by Huffman's codes alone: counters are small numbers in an order that seldom repeats, so a
// search for repetitions takes twice the time and saves nothing. Logs of long runs have many thousands of histograms. The zero value
// is ready for use. It is not safe for concurrent use.
type LogEncoder struct {
	plain   []byte
	packed  bytes.Buffer
	deflate *zlib.Writer
}

// Logged is a histogram as a log contains it.
type Logged struct {
	Encoded  []byte // the compressed encoding of HdrHistogram, version 2, without base64
	Highest  int64  // the highest value of its highest bucket, in the unit of the log
	Overflow uint64 // how many samples above [Highest] are counted as such
	Max      int64  // the longest time; only with overflow
}

// LoggedSeries is a Series as logs contain it: likewise, Service may be Response.
type LoggedSeries struct {
	Key               Key
	Response, Service *Logged
}

// LoggedInterval is what was measured in one interval of a phase, as logs contain it.
type LoggedInterval struct {
	Phase      string
	PhaseStart time.Time
	Start, End time.Duration // from the phase's start
	Series     []LoggedSeries
}

// Both numbers say that counters are varints.
const (
	hdrCookie           = 0x1c849303 | 0x10
	hdrCompressedCookie = hdrCompressed2 | 0x10
)

// Series encodes a series in nanoseconds.
func (e *LogEncoder) Series(s Series) (out LoggedSeries, err error) {
	out.Key = s.Key
	if out.Response, err = e.logged(s.Response); err != nil {
		return out, err
	}
	if out.Service = out.Response; s.Service != s.Response {
		out.Service, err = e.logged(s.Service)
	}
	return out, err
}

// logged encodes a histogram in nanoseconds, in memory of its own.
func (e *LogEncoder) logged(h *Histogram) (*Logged, error) {
	l, err := e.encode(h, time.Nanosecond)
	l.Encoded = bytes.Clone(l.Encoded)
	return &l, err
}

// encode encodes h in whole units, rounded down. In nanoseconds the encoded histogram has the same buckets and the same total count;
// the exact sum, min and max are lost. An HdrHistogram has no overflow: those samples are counted at [Highest]. The memory of the
// encoding is reused by the next call.
func (e *LogEncoder) encode(h *Histogram, unit time.Duration) (l Logged, err error) {
	if h.Count() > math.MaxInt64 {
		return l, errors.New("export histogram: more samples than an HdrHistogram can count")
	}
	if l.Overflow = h.Overflow(); l.Overflow > 0 {
		l.Max = h.Max()
	}
	limit := Highest / int64(unit)
	b := e.plain[:0]
	for _, field := range [...]uint32{hdrCookie, 0, 0, significantDigits} {
		b = binary.BigEndian.AppendUint32(b, field)
	}
	for _, field := range [...]uint64{1, uint64(limit), math.Float64bits(1)} {
		b = binary.BigEndian.AppendUint64(b, field)
	}
	counters := hdrCounters{b: b}
	if unit == time.Nanosecond {
		counters.addAll(h)
	} else {
		counters.addScaled(h, int64(unit))
	}
	if l.Overflow > 0 {
		counters.add(index(limit), l.Overflow)
	}
	if b = counters.end(); counters.next > 0 {
		l.Highest = highest(counters.next - 1)
	}
	binary.BigEndian.PutUint32(b[4:], uint32(len(b)-hdrHeader))
	e.plain = b
	l.Encoded, err = e.compress(b)
	return l, err
}

// compress returns the compressed encoding of a plain one.
func (e *LogEncoder) compress(plain []byte) (_ []byte, err error) {
	e.packed.Reset()
	e.packed.Write(binary.BigEndian.AppendUint64(e.packed.AvailableBuffer(), hdrCompressedCookie<<32)) // its size comes at the end
	if e.deflate == nil {
		if e.deflate, err = zlib.NewWriterLevel(&e.packed, flate.HuffmanOnly); err != nil {
			return nil, fmt.Errorf("export histogram: %w", err)
		}
	} else {
		e.deflate.Reset(&e.packed)
	}
	_, err = e.deflate.Write(plain)
	if err = errors.Join(err, e.deflate.Close()); err != nil {
		return nil, fmt.Errorf("export histogram: %w", err)
	}
	b := e.packed.Bytes()
	binary.BigEndian.PutUint32(b[4:], uint32(len(b)-8))
	return b, nil
}

// hdrCounters appends the counters of an HdrHistogram, from the lowest on: the counts of buckets, and negative numbers for runs of
// empty ones. The count of the last bucket follows in end, because more samples may belong to it.
type hdrCounters struct {
	b     []byte
	next  int // the bucket after the last
	count uint64
}

// add counts samples in bucket i, which is not below that of the call before.
func (c *hdrCounters) add(i int, n uint64) {
	if i < c.next {
		c.count += n
		return
	}
	if c.count > 0 {
		c.b = appendCounter(c.b, c.count)
	}
	switch gap := i - c.next; gap {
	case 0:
	case 1: // as other writers do
		c.b = append(c.b, 0)
	default:
		c.b = binary.AppendVarint(c.b, -int64(gap))
	}
	c.next, c.count = i+1, n
}

// addScaled counts all buckets of a histogram in another unit: several of them become one.
func (c *hdrCounters) addScaled(h *Histogram, unit int64) {
	for i, n := range h.all {
		c.add(index(lowest(i)/unit), n)
	}
}

// addAll counts all buckets of a histogram. It is add for each of them, without calls: they are many.
func (c *hdrCounters) addAll(h *Histogram) {
	if h.packed != nil {
		for i, n := range packedBuckets(h.packed).all {
			c.add(i, n)
		}
		return
	}
	b, next, count := c.b, c.next, c.count
	first, used := h.used()
	for i, p := range used {
		if p == nil {
			continue
		}
		for j, n := range p {
			if n == 0 {
				continue
			}
			if count-1 < 1<<6-1 {
				b = append(b, byte(count<<1))
			} else if count > 0 {
				b = appendCounter(b, count)
			}
			bucket := (first+i)<<pageBits + j
			switch gap := bucket - next; {
			case gap == 0:
			case gap == 1:
				b = append(b, 0)
			case gap <= 1<<6:
				b = append(b, byte(2*gap-1))
			default:
				b = binary.AppendVarint(b, -int64(gap))
			}
			next, count = bucket+1, n
		}
	}
	c.b, c.next, c.count = b, next, count
}

// end returns the encoding.
func (c *hdrCounters) end() []byte {
	if c.next == 0 {
		return append(c.b, 0) // an empty histogram has one counter
	}
	return appendCounter(c.b, c.count)
}

// appendCounter appends a counter as HdrHistogram writes numbers: zigzag, in 7 bits a byte, of which the ninth has 8.
func appendCounter(b []byte, n uint64) []byte {
	v := n << 1
	for range 8 {
		if v < 0x80 {
			return append(b, byte(v))
		}
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}
