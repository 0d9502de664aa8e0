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
// buckets 0, 1, 2, … in order. name is what errors call the file.
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
		return nil, p.wrong("cannot be read: %w", err)
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
		return p.wrong("%q has no tab; write a name, a tab and a number", text)
	}
	value = strings.TrimSpace(value)
	if h.BlockSize == 0 {
		n, err := strconv.ParseInt(value, 10, 32)
		if label != "BlockSize" || err != nil || n < 1 {
			return p.wrong("%q is not the block size; begin with BlockSize, a tab and a number from 1 on", text)
		}
		h.BlockSize = int(n)
		return nil
	}
	bucket, err := strconv.Atoi(strings.TrimSpace(label))
	if want := len(h.Buckets); err != nil || bucket != want {
		return p.wrong("bucket %q is out of order; bucket %d belongs here (one with no fields has count 0)", label, want)
	}
	count, err := strconv.ParseInt(value, 10, 64)
	if err != nil || count < 0 || count > math.MaxInt64-p.sum {
		return p.wrong("count %q of bucket %d is not usable; write a whole number of fields, 0 or more", value, bucket)
	}
	if bucket >= maxBuckets || bucket > maxLength/h.BlockSize {
		return p.wrong("bucket %d is too far; lengths end at %d and buckets at %d", bucket, maxLength, maxBuckets)
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

// Longest is the greatest length that is drawn.
func (h *LengthHistogram) Longest() int64 {
	return int64(len(h.Buckets)-1) * int64(h.BlockSize)
}

// Distribution returns what draws lengths from the histogram: as YCSB does it, with its bias of one towards the
// first bucket, and with the last bucket counted to the length of the one before.
func (h *LengthHistogram) Distribution() Distribution {
	d := &lengths{block: int64(h.BlockSize)}
	for _, count := range h.Buckets {
		d.sum += count
		d.upto = append(d.upto, d.sum)
	}
	return d
}

// lengths is a LengthHistogram with its counts summed up.
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
