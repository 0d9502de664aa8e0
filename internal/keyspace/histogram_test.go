package keyspace

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHistogramDrawsWithYCSBsBias(t *testing.T) {
	for _, test := range []struct {
		name    string
		buckets []int64
		want    []float64 // of the lengths 0, 10, 20, …
	}{
		// One draw in 400 falls from the second bucket into the first, and the last bucket has the length of the one
		// before it.
		{"three", []int64{100, 100, 200}, []float64{0, 101.0 / 400, 299.0 / 400}},
		{"empty buckets", []int64{0, 50, 0, 0, 50}, []float64{0, 1.0 / 100, 50.0 / 100, 0, 49.0 / 100}},
		{"one", []int64{7}, []float64{1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := LengthHistogram{BlockSize: 10, Buckets: test.buckets}
			d, r := h.Distribution(), NewRand(1)
			counts := count(t, int64(len(test.want)), func() int64 { return d.Draw(&r) / 10 })
			require.EqualValues(t, 10*(len(test.want)-1), h.Longest())
			if len(test.want) > 1 {
				requireChiSquare(t, counts, test.want)
			}
		})
	}
}

func TestHistogramFileIsRead(t *testing.T) {
	for _, text := range []string{
		"BlockSize\t100\n0\t5\n1\t0\n2\t7\n",
		"BlockSize\t100\r\n0\t5\r\n1\t0\r\n2\t7", // by Windows, without a last line end
		"\nBlockSize\t100\n\n0\t5\n1\t 0 \n2\t7\n\n",
	} {
		h, err := ParseLengthHistogram("hist.txt", strings.NewReader(text))
		require.NoError(t, err, "%q", text)
		require.Equal(t, &LengthHistogram{BlockSize: 100, Buckets: []int64{5, 0, 7}}, h, "%q", text)
	}
}

func TestHistogramFileMistakesAreNamedWithLineAndCure(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "hist.txt:1: the file is empty; begin with BlockSize, a tab and a number",
		"0\t5\n":                              `hist.txt:1: invalid first line "0\t5": want BlockSize, a tab and a number of at least 1`,
		"BlockSize 100\n":                     `hist.txt:1: invalid line "BlockSize 100": want a name, a tab and a number`,
		"BlockSize\t0\n":                      `hist.txt:1: invalid first line "BlockSize\t0": want BlockSize, a tab and a number of at least 1`,
		"BlockSize\t10\n0\t5\n2\t5\n":         `hist.txt:3: bucket "2" is out of order; want bucket 1 here (an empty one has count 0)`,
		"BlockSize\t10\n0\tmany\n":            `hist.txt:2: invalid count "many" of bucket 0: want an integer of at least 0, and at most 9223372036854775807 over all buckets`,
		"BlockSize\t10\n0\t-1\n":              `hist.txt:2: invalid count "-1" of bucket 0: want an integer of at least 0, and at most 9223372036854775807 over all buckets`,
		"BlockSize\t10\n0\t0\n":               "hist.txt:2: no bucket has a count above 0; add lines of a bucket, a tab and a count",
		"BlockSize\t10\n":                     "hist.txt:1: no bucket has a count above 0; add lines of a bucket, a tab and a count",
		"BlockSize\t2000000000\n0\t1\n1\t1\n": "",
		"BlockSize\t2000000000\n0\t1\n1\t1\n2\t1\n":                      "hist.txt:4: bucket 2 is out of range: the maximum length is 2147483647, and the maximum number of buckets 1048576",
		"BlockSize\t10\n0\t9223372036854775807\n1\t1\n":                  `hist.txt:3: invalid count "1" of bucket 1: want an integer of at least 0, and at most 9223372036854775807 over all buckets`,
		"BlockSize\t10\n" + strings.Repeat("0", maxLine+1):               "hist.txt:2: read histogram: bufio.Scanner: token too long",
		strings.Repeat("\n", 3) + "BlockSize\t10\n0\t1\nBlockSize\t10\n": `hist.txt:6: bucket "BlockSize" is out of order; want bucket 1 here (an empty one has count 0)`,
		"BlockSize\t10\n0\t99999999999999999999999\n":                    `hist.txt:2: invalid count "99999999999999999999999" of bucket 0: want an integer of at least 0, and at most 9223372036854775807 over all buckets`,
		"BlockSize\t99999999999\n":                                       `hist.txt:1: invalid first line "BlockSize\t99999999999": want BlockSize, a tab and a number of at least 1`,
		"BlockSize\t10\n0\t1\n1\n":                                       `hist.txt:3: invalid line "1": want a name, a tab and a number`,
	} {
		_, err := ParseLengthHistogram("hist.txt", strings.NewReader(text))
		if want == "" {
			require.NoError(t, err, "%.40q", text)
			continue
		}
		require.EqualError(t, err, want, "%.40q", text)
	}
}

func FuzzLengthHistogram(f *testing.F) {
	f.Add("BlockSize\t100\n0\t5\n1\t0\n2\t7\n")
	f.Add("BlockSize\t1\r\n0\t9223372036854775807\r\n")
	f.Add("\n\nBlockSize 1")
	f.Fuzz(func(t *testing.T, text string) {
		h, err := ParseLengthHistogram("f", strings.NewReader(text))
		if err != nil {
			require.Contains(t, err.Error(), "f:")
			return
		}
		d, r := h.Distribution(), NewRand(1)
		for range 10 {
			n := d.Draw(&r)
			require.True(t, n >= 0 && n <= h.Longest() && n <= maxLength, "length %d", n)
		}
	})
}
