package latency

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Bucket is a bucket of an HdrHistogram that is not empty, in the histogram's own unit.
type Bucket struct {
	Low, High int64 // both included
	Count     uint64
}

// HdrDecoder decodes the HdrHistograms of an interval log. It bounds the memory and the time that they need together.
type HdrDecoder struct{ spent int64 }

// The encodings of a compressed HdrHistogram; the four bits above the lowest are the size of a counter.
const (
	hdrCompressed1, hdrPlain1 = 0x1c849302, 0x1c849301 // HdrHistogram 2.1.4 and before, which YCSB has
	hdrCompressed2            = 0x1c849304
	hdrWordSize               = 0xf0
	hdrHeader                 = 40
)

const (
	maxHdrText  = 4 << 20 // characters of a histogram
	maxHdrSpent = 4 << 30 // counters of all histograms of a decoder
	maxHdrShape = 1 << 20 // counters of a histogram: more than 4 significant digits over all values need
)

// Decode decodes the text of an interval: base64 of the compressed encoding, version 1 or 2. It refuses any other input with an
// ErrMalformed that has the reason.
func (d *HdrDecoder) Decode(text string) ([]Bucket, error) {
	h, err := d.decode(text)
	if err != nil {
		return nil, fmt.Errorf("decode HdrHistogram: %w: %w", ErrMalformed, err)
	}
	var out []Bucket
	for _, bar := range h.Distribution() {
		if bar.Count > 0 {
			out = append(out, Bucket{Low: bar.From, High: bar.To, Count: uint64(bar.Count)})
		}
	}
	return out, nil
}

func (d *HdrDecoder) decode(text string) (*hdrhistogram.Histogram, error) {
	if len(text) > maxHdrText {
		return nil, fmt.Errorf("%d characters, more than %d", len(text), maxHdrText)
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, err
	}
	if len(raw) < 8 {
		return nil, errors.New("it is truncated")
	}
	cookie, size := binary.BigEndian.Uint32(raw)&^hdrWordSize, binary.BigEndian.Uint32(raw[4:])
	if cookie != hdrCompressed1 && cookie != hdrCompressed2 {
		return nil, fmt.Errorf("encoding %#x: want the compressed encoding, version 1 or 2", cookie)
	}
	if uint64(size) > uint64(len(raw)-8) {
		return nil, errors.New("it is truncated")
	}
	plain, err := zlib.NewReader(bytes.NewReader(raw[8 : 8+size]))
	if err != nil {
		return nil, err
	}
	defer func() { _ = plain.Close() }()
	var head [hdrHeader]byte
	if _, err := io.ReadFull(plain, head[:]); err != nil {
		return nil, err
	}
	counters, err := d.shape(head)
	if err != nil {
		return nil, err
	}
	if cookie == hdrCompressed2 {
		return hdrhistogram.Decode([]byte(text))
	}
	return decodeHdr1(head, plain, counters)
}

// shape returns how many counters a histogram has at most, and counts them as spent.
func (d *HdrDecoder) shape(head [hdrHeader]byte) (int, error) {
	digits := int32(binary.BigEndian.Uint32(head[12:]))
	lowest, highest := int64(binary.BigEndian.Uint64(head[16:])), int64(binary.BigEndian.Uint64(head[24:]))
	if digits < 1 || digits > 4 || lowest < 1 || lowest > math.MaxInt64/4 || highest < 2*lowest {
		return 0, fmt.Errorf("%d significant digits from %d to %d: want 1 to 4 digits and a range above 0", digits, lowest, highest)
	}
	half := 1 << (bits.Len64(uint64(2*math.Pow10(int(digits))-1)) - 1) // of the counters of a power of 2
	counters := (bits.Len64(uint64(highest/lowest)) + 2) * half
	if counters > maxHdrShape {
		return 0, fmt.Errorf("%d counters, more than %d", counters, maxHdrShape)
	}
	if d.spent += int64(counters); d.spent > maxHdrSpent {
		return 0, errors.New("the histograms of the log have too many counters")
	}
	return counters, nil
}

// decodeHdr1 reads the counters of version 1, which have a fixed size and are not compacted.
func decodeHdr1(head [hdrHeader]byte, from io.Reader, counters int) (*hdrhistogram.Histogram, error) {
	cookie, size := binary.BigEndian.Uint32(head[:]), binary.BigEndian.Uint32(head[4:])
	word := int(cookie & hdrWordSize >> 4)
	if cookie&^hdrWordSize != hdrPlain1 || word != 2 && word != 4 && word != 8 {
		return nil, fmt.Errorf("encoding %#x of its counters: want version 1 with 2, 4 or 8 bytes each", cookie)
	}
	if int64(size) > int64(counters*word) || size%uint32(word) != 0 {
		return nil, fmt.Errorf("%d bytes of counters: they do not fit its range", size)
	}
	payload := make([]byte, size)
	if _, err := io.ReadFull(from, payload); err != nil {
		return nil, err
	}
	s := &hdrhistogram.Snapshot{
		LowestTrackableValue: int64(binary.BigEndian.Uint64(head[16:])), HighestTrackableValue: int64(binary.BigEndian.Uint64(head[24:])),
		SignificantFigures: int64(binary.BigEndian.Uint32(head[12:])), Counts: make([]int64, len(payload)/word),
	}
	var sum uint64
	for i := range s.Counts {
		b := payload[i*word:]
		switch word {
		case 2:
			s.Counts[i] = int64(int16(binary.BigEndian.Uint16(b)))
		case 4:
			s.Counts[i] = int64(int32(binary.BigEndian.Uint32(b)))
		default:
			s.Counts[i] = int64(binary.BigEndian.Uint64(b))
		}
		if sum += uint64(s.Counts[i]); s.Counts[i] < 0 || sum > math.MaxInt64 {
			return nil, errors.New("its counters are negative or too large")
		}
	}
	h := hdrhistogram.Import(s)
	if uint64(h.TotalCount()) != sum {
		return nil, errors.New("it has counters beyond its range")
	}
	return h, nil
}
