package spec

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/workload"
)

// HistogramContent is the property under which the content of the fieldlengthhistogram file travels to the
// agents, which have not the user's disk.
const HistogramContent = "fieldlengthhistogram.content"

// ParseHistogram reads YCSB's histogram file of field lengths: a line "BlockSize", a blank and the width of a
// bucket in bytes, then a line for each bucket with its number and its count, in order from 0. The error names
// the line.
func ParseHistogram(content string) (*workload.LengthHistogram, error) {
	const maxBuckets = 1 << 16
	var (
		h     = &workload.LengthHistogram{}
		total int64
	)
	if len(content) > maxFile {
		return nil, fmt.Errorf("is %d bytes long; %d are the most", len(content), maxFile)
	}
	for i, line := range naturalLines(content) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if len(words) != 2 {
			return nil, fmt.Errorf("line %d: %s is not two words with a tab between them", i+1, quote(line))
		}
		n, err := strconv.ParseInt(words[1], 10, 64)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("line %d: %s is no whole number from 0 on", i+1, quote(words[1]))
		}
		if h.BlockSize == 0 {
			if words[0] != "BlockSize" {
				return nil, fmt.Errorf("line %d: the first line must be BlockSize, a tab and a number of bytes, not %s", i+1, quote(line))
			}
			if n < 1 || n > 64<<20 {
				return nil, fmt.Errorf("line %d: a BlockSize is 1 to %d, not %d", i+1, 64<<20, n)
			}
			h.BlockSize = int(n)
			continue
		}
		if bucket, err := strconv.Atoi(words[0]); err != nil || bucket != len(h.Buckets) {
			return nil, fmt.Errorf("line %d: bucket %d must come here, not %s: they are counted from 0 without a gap", i+1, len(h.Buckets), quote(words[0]))
		}
		if len(h.Buckets) == maxBuckets {
			return nil, fmt.Errorf("line %d: more than %d buckets", i+1, maxBuckets)
		}
		if n > math.MaxInt64-total {
			return nil, fmt.Errorf("line %d: the counts add up to more than %d", i+1, int64(math.MaxInt64))
		}
		total += n
		h.Buckets = append(h.Buckets, n)
	}
	switch {
	case h.BlockSize == 0:
		return nil, fmt.Errorf("is empty; its first line is BlockSize, a tab and a number of bytes")
	case total == 0:
		return nil, fmt.Errorf("counts nothing: at least one bucket must have a count above 0")
	}
	if longest := int64(len(h.Buckets)) * int64(h.BlockSize); longest > 64<<20 {
		return nil, fmt.Errorf("makes fields of up to %d bytes; %d are the most", longest, 64<<20)
	}
	return h, nil
}

func checkHistogram(value string) (string, error) {
	if value == "" {
		return "", nil
	}
	if _, err := ParseHistogram(value); err != nil {
		return "", err
	}
	return value, nil
}
