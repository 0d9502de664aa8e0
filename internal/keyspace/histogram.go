package keyspace

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// LengthHistogram is YCSB's histogram of field lengths: Buckets[i] fields have a length of up to (i+1)·BlockSize.
type LengthHistogram struct {
	BlockSize int
	Buckets   []int64
}

const (
	maxLength  = math.MaxInt32 // of a field
	maxBuckets = 1 << 20
	maxLine    = 1 << 10
)

// ParseLengthHistogram reads YCSB's histogram file: a line "BlockSize<TAB>n", then lines "bucket<TAB>count" with the
// buckets 0, 1, 2, … in order. name is the file's name in errors.
func ParseLengthHistogram(name string, r io.Reader) (*LengthHistogram, error) {
	var (
		h    = &LengthHistogram{}
		p    = histogramParser{name: name, histogram: h}
		scan = bufio.NewScanner(r)
	)
	scan.Buffer(make([]byte, 0, maxLine), maxLine)
	for scan.Scan() {
		p.line++
		text := strings.TrimSuffix(scan.Text(), "\r")
		if strings.TrimSpace(text) == "" {
			continue
		}
		if err := p.take(text); err != nil {
			return nil, err
		}
	}
	if err := scan.Err(); err != nil {
		p.line++
		return nil, p.wrong("read histogram: %w", err)
	}
	return h, p.finish()
}

type histogramParser struct {
	name      string
	line      int
	histogram *LengthHistogram
	sum       int64
}

func (p *histogramParser) take(text string) error {
	h := p.histogram
	label, value, found := strings.Cut(text, "\t")
	if !found {
		return p.wrong("invalid line %q: want a name, a tab and a number", text)
	}
	value = strings.TrimSpace(value)
	if h.BlockSize == 0 {
		n, err := strconv.ParseInt(value, 10, 32)
		if label != "BlockSize" || err != nil || n < 1 {
			return p.wrong("invalid first line %q: want BlockSize, a tab and a number of at least 1", text)
		}
		h.BlockSize = int(n)
		return nil
	}
	bucket, err := strconv.Atoi(strings.TrimSpace(label))
	if want := len(h.Buckets); err != nil || bucket != want {
		return p.wrong("bucket %q is out of order; want bucket %d here (an empty one has count 0)", label, want)
	}
	count, err := strconv.ParseInt(value, 10, 64)
	if err != nil || count < 0 || count > math.MaxInt64-p.sum {
		return p.wrong("invalid count %q of bucket %d: want an integer of at least 0, and at most %d over all buckets", value, bucket, math.MaxInt64)
	}
	if bucket >= maxBuckets || bucket > maxLength/h.BlockSize {
		return p.wrong("bucket %d is out of range: the maximum length is %d, and the maximum number of buckets %d", bucket, maxLength, maxBuckets)
	}
	p.sum += count
	h.Buckets = append(h.Buckets, count)
	return nil
}

func (p *histogramParser) finish() error {
	switch {
	case p.histogram.BlockSize == 0:
		return p.wrong("the file is empty; begin with BlockSize, a tab and a number")
	case p.sum == 0:
		return p.wrong("no bucket has a count above 0; add lines of a bucket, a tab and a count")
	}
	return nil
}

func (p *histogramParser) wrong(format string, args ...any) error {
	return fmt.Errorf("%s:%d: "+format, slices.Concat([]any{p.name, max(p.line, 1)}, args)...)
}

// Longest returns the maximum length that is drawn.
func (h *LengthHistogram) Longest() int64 {
	return int64(len(h.Buckets)-1) * int64(h.BlockSize)
}

// Distribution returns the distribution of lengths. It is that of YCSB, with a bias of one towards the first bucket, and with
// the last bucket counted as the one before it.
func (h *LengthHistogram) Distribution() Distribution {
	d := &lengths{block: int64(h.BlockSize)}
	for _, count := range h.Buckets {
		d.sum += count
		d.upto = append(d.upto, d.sum)
	}
	return d
}

// lengths is a LengthHistogram with cumulative counts.
type lengths struct {
	block, sum int64
	upto       []int64
}

// Draw implements Distribution.
func (d *lengths) Draw(r *Rand) int64 {
	last := len(d.upto) - 1
	if last <= 0 || d.sum <= 0 {
		return 0
	}
	i, _ := slices.BinarySearch(d.upto[:last], r.Below(d.sum))
	return int64(min(i+1, last)) * d.block
}
