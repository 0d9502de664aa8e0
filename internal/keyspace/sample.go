package keyspace

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// LengthSample is a sample of the sizes of a user's values: Counts[i] values have Lengths[i] bytes. Lengths ascend.
type LengthSample struct {
	Lengths []int64
	Counts  []int64
}

const (
	mostSampleErrors = 20
	mostLengths      = 1 << 20 // different ones
	maxSampled       = 64 << 20
)

// ParseLengthSample reads a sample: a line for each value, with its size in bytes and, optionally, the number of values with
// it. Lines that are empty or begin with # do not count. The error joins one for each mistake. name is the file's name in
// errors.
func ParseLengthSample(name, text string) (*LengthSample, error) {
	counts := make(map[int64]int64)
	var wrong []error
	omitted := 0
	var sum int64
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\r\n")
		fields := fieldsOf(line)
		if len(fields) == 0 || fields[0].text[0] == '#' {
			continue
		}
		fail := func(at int, format string, args ...any) {
			if len(wrong) == mostSampleErrors {
				omitted++
				return
			}
			wrong = append(wrong, fmt.Errorf("%s:%d:%d: "+format, slices.Concat([]any{name, number, at + 1}, args)...))
		}
		size, err := strconv.ParseInt(fields[0].text, 10, 64)
		good := err == nil && size >= 0 && size <= maxSampled
		if !good {
			fail(fields[0].at, "invalid size %q: want bytes from 0 to %d", brief(fields[0].text), maxSampled)
		}
		count := int64(1)
		if len(fields) > 1 {
			if count, err = strconv.ParseInt(fields[1].text, 10, 64); err != nil || count < 1 || count > math.MaxInt64-sum {
				fail(fields[1].at, "invalid count %q: want the number of values of this size, an integer of at least 1", brief(fields[1].text))
				continue
			}
		}
		if len(fields) > 2 {
			fail(fields[2].at, "%q after the size and the count; a line has a size, and optionally a count", brief(fields[2].text))
			continue
		}
		if good {
			sum += count
			counts[size] += count
		}
	}
	switch {
	case omitted > 0:
		wrong = append(wrong, fmt.Errorf("%s: and %d more mistakes; is it the right file?", name, omitted))
	case len(wrong) == 0 && len(counts) == 0:
		wrong = append(wrong, fmt.Errorf("%s:1:1: the file has no size; write one on each line, such as 4096", name))
	case len(counts) > mostLengths:
		wrong = append(wrong, fmt.Errorf("%s: has %d different sizes; the maximum is %d: round them", name, len(counts), mostLengths))
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	s := &LengthSample{Lengths: slices.Sorted(maps.Keys(counts))}
	for _, size := range s.Lengths {
		s.Counts = append(s.Counts, counts[size])
	}
	return s, nil
}

// fieldsOf splits a line at white space.
func fieldsOf(line string) (list []argument) {
	begin := -1
	for i := range len(line) + 1 {
		blank := i == len(line) || line[i] == ' ' || line[i] == '\t'
		switch {
		case !blank && begin < 0:
			begin = i
		case blank && begin >= 0:
			list = append(list, argument{begin, line[begin:i]})
			begin = -1
		}
	}
	return list
}

// brief bounds what a message quotes.
func brief(text string) string {
	const most = 40
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}

// String returns the sample as a file that ParseLengthSample reads, with a line for each size.
func (s *LengthSample) String() string {
	var b strings.Builder
	for i, size := range s.Lengths {
		fmt.Fprintf(&b, "%d %d\n", size, s.Counts[i])
	}
	return b.String()
}

// Longest returns the maximum length that is drawn.
func (s *LengthSample) Longest() int64 { return s.Lengths[len(s.Lengths)-1] }

// Distribution returns the distribution in which each length has its share of the sample.
func (s *LengthSample) Distribution() Distribution {
	weights := make([]float64, len(s.Counts))
	for i, n := range s.Counts {
		weights[i] = float64(n)
	}
	return &sampledLengths{lengths: s.Lengths, shares: newShares(weights)}
}

type sampledLengths struct {
	lengths []int64
	shares  *shares
}

// Draw implements Distribution.
func (d *sampledLengths) Draw(r *Rand) int64 { return d.lengths[d.shares.item(r.Uint64())] }
