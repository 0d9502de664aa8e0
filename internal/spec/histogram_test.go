package spec

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/workload"
)

func TestHistogramFiles(t *testing.T) {
	h, err := ParseHistogram("BlockSize\t100\r\n0\t5\n1\t0\n\n2\t10\n")
	require.NoError(t, err)
	require.Equal(t, &workload.LengthHistogram{BlockSize: 100, Buckets: []int64{5, 0, 10}}, h)
	for content, want := range map[string]string{
		"":                                  "is empty; its first line is BlockSize, a tab and a number of bytes",
		"0\t5\n":                            `line 1: the first line must be BlockSize, a tab and a number of bytes, not "0\t5"`,
		"BlockSize\t0\n":                    "line 1: a BlockSize is 1 to 67108864, not 0",
		"BlockSize 10\n0\t5\n2\t5\n":        `line 3: bucket 1 must come here, not "2": they are counted from 0 without a gap`,
		"BlockSize\t10\n0\tmany\n":          `line 2: "many" is no whole number from 0 on`,
		"BlockSize\t10\n0\t-5\n":            `line 2: "-5" is no whole number from 0 on`,
		"BlockSize\t10\n0\n":                `line 2: "0" is not two words with a tab between them`,
		"BlockSize\t10\n0\t0\n":             "counts nothing: at least one bucket must have a count above 0",
		"BlockSize\t67108864\n0\t1\n1\t1\n": "makes fields of up to 134217728 bytes; 67108864 are the most",
		"BlockSize\t1\n0\t9223372036854775807\n1\t9223372036854775807\n": "line 3: the counts add up to more than 9223372036854775807",
		strings.Repeat("\n", maxFile+1):                                  "is 1048577 bytes long; 1048576 are the most",
	} {
		_, err := ParseHistogram(content)
		require.EqualError(t, err, want)
	}
}

func FuzzParseHistogram(f *testing.F) {
	f.Add("BlockSize\t100\n0\t5\n1\t0\n2\t10\n")
	f.Add("BlockSize 1\r0 1\r\n")
	f.Fuzz(func(t *testing.T, content string) {
		h, err := ParseHistogram(content)
		if err != nil {
			return
		}
		var total int64
		for _, count := range h.Buckets {
			if count < 0 {
				t.Errorf("bucket of %d", count)
			}
			total += count
		}
		if total <= 0 || h.BlockSize < 1 || len(h.Buckets)*h.BlockSize > 64<<20 {
			t.Errorf("histogram of %d buckets of %d counts %d", len(h.Buckets), h.BlockSize, total)
		}
	})
}
