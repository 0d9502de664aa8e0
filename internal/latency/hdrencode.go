package latency

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"
)

// hdrEncoder encodes histograms in the compressed encoding of HdrHistogram, version 2. Unlike hdrhistogram-go it makes no
// histogram of all counters first, reuses its memory, and compresses quickly: logs of long runs have many thousands of
// histograms.
type hdrEncoder struct {
	plain, text []byte
	packed      bytes.Buffer
	deflate     *zlib.Writer
}

// Both numbers say that counters are varints.
const (
	hdrCookie           = 0x1c849303 | 0x10
	hdrCompressedCookie = hdrCompressed2 | 0x10
)

// encode returns the encoding of h in whole units, rounded down, as base64, and the highest value of its highest bucket. In
// nanoseconds the encoded histogram has the same buckets and the same total count; the exact sum, min and max are lost. An HdrHistogram
// has no overflow: those samples are counted at [Highest], and the caller must report that (see Overflow). The memory of the text is
// reused by the next call.
func (e *hdrEncoder) encode(h *Histogram, unit time.Duration) (text []byte, most int64, err error) {
	if h.Count() > math.MaxInt64 {
		return nil, 0, errors.New("export histogram: more samples than an HdrHistogram can count")
	}
	limit := Highest / int64(unit)
	b := e.plain[:0]
	for _, field := range [...]uint32{hdrCookie, 0, 0, significantDigits} {
		b = binary.BigEndian.AppendUint32(b, field)
	}
	for _, field := range [...]uint64{1, uint64(limit), math.Float64bits(1)} {
		b = binary.BigEndian.AppendUint64(b, field)
	}
	next, at, count := 0, -1, uint64(0)
	flush := func() {
		if count == 0 {
			return
		}
		switch gap := at - next; gap {
		case 0:
		case 1: // as other writers do
			b = append(b, 0)
		default:
			b = binary.AppendVarint(b, -int64(gap))
		}
		b = appendCounter(b, count)
		next = at + 1
	}
	add := func(v int64, n uint64) {
		i := index(v)
		if i != at {
			flush()
			at, count = i, 0
		}
		count += n
	}
	for i, n := range h.all {
		add(lowest(i)/int64(unit), n)
	}
	if n := h.Overflow(); n > 0 {
		add(limit, n)
	}
	flush()
	if at < 0 {
		b = append(b, 0) // an empty histogram has one counter
	} else {
		most = highest(at)
	}
	binary.BigEndian.PutUint32(b[4:], uint32(len(b)-hdrHeader))
	e.plain = b

	e.packed.Reset()
	if e.deflate == nil {
		if e.deflate, err = zlib.NewWriterLevel(&e.packed, zlib.BestSpeed); err != nil {
			return nil, 0, fmt.Errorf("export histogram: %w", err)
		}
	} else {
		e.deflate.Reset(&e.packed)
	}
	_, err = e.deflate.Write(b)
	if err = errors.Join(err, e.deflate.Close()); err != nil {
		return nil, 0, fmt.Errorf("export histogram: %w", err)
	}
	b = binary.BigEndian.AppendUint32(b[:0], hdrCompressedCookie)
	b = binary.BigEndian.AppendUint32(b, uint32(e.packed.Len()))
	b = append(b, e.packed.Bytes()...)
	e.plain = b
	e.text = base64.StdEncoding.AppendEncode(e.text[:0], b)
	return e.text, most, nil
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
