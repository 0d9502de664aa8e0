package keyspace

import (
	"fmt"
	"slices"
	"testing"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
)

// blockOf returns a block of 64 kB of rows, as a store compresses it: each row is the next values of one of many workers.
func blockOf(ratio float64, seed uint64, length func() int, fields int) []byte {
	const size, workers = 64 << 10, 16
	var all []Values
	for w := range workers {
		all = append(all, NewCompressibleValues(NewRand(seed, uint64(w)), ratio))
	}
	r := NewRand(seed, 99)
	var block []byte
	for len(block) < size {
		v := &all[r.Below(workers)]
		for range fields {
			value := make([]byte, length())
			v.Fill(value)
			block = append(block, value...)
		}
	}
	return block[:size]
}

// The stated ratio holds within 5 % for zstd (two levels) and for snappy, for small and large values, one or ten in a row.
func TestValuesCompressToTheirRatio(t *testing.T) {
	compressors := map[string]func([]byte) int{"snappy": func(b []byte) int { return len(snappy.Encode(nil, b)) }}
	for _, level := range []zstd.EncoderLevel{zstd.SpeedFastest, zstd.SpeedDefault} {
		encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level))
		require.NoError(t, err)
		compressors["zstd "+level.String()] = func(b []byte) int { return len(encoder.EncodeAll(b, nil)) }
	}
	const blocks = 4
	for _, ratio := range []float64{MinRatio, 0.45, 0.5, 0.7, 0.9, 0.99, 1} {
		for _, fields := range []int{1, 10} {
			for _, length := range []int{100, 300, 1000, 4000, 10_000, 0} {
				r := NewRand(5)
				lengths := func() int { return length }
				if length == 0 { // all sizes
					lengths = func() int { return 100 + int(r.Below(9900)) }
				}
				for name, compress := range compressors {
					sum := 0
					for seed := range blocks {
						sum += compress(blockOf(ratio, uint64(seed), lengths, fields))
					}
					got := float64(sum) / (blocks * 64 << 10)
					require.InEpsilon(t, ratio, got, 0.05, "%s, %d values of %d bytes in a row", name, fields, length)
				}
			}
		}
	}
}

func TestCompressibleValuesFollowFromTheirSeed(t *testing.T) {
	fill := func(seed uint64, ratio float64, spare int) []byte {
		v := NewCompressibleValues(NewRand(seed), ratio)
		var all []byte
		for length := range 200 {
			value := make([]byte, length, length+spare)
			v.Fill(value)
			require.Equal(t, make([]byte, spare), value[length:length+spare], "nothing is written beyond")
			all = append(all, value...)
		}
		return all
	}
	require.Equal(t, fill(1, 0.5, 0), fill(1, 0.5, Padding))
	require.NotEqual(t, fill(1, 0.5, 0), fill(2, 0.5, 0))
	v := NewCompressibleValues(NewRand(3), 0.5)
	value := make([]byte, 1000, 1000+Padding)
	require.Zero(t, testing.AllocsPerRun(100, func() { v.Fill(value) }))
}

// The random stretches have no pattern that a compressor with a larger window or a better model finds.
func TestRandomBytesOfValuesAreUniform(t *testing.T) {
	v := NewCompressibleValues(NewRand(4), 1)
	value := make([]byte, 1024)
	counts := make([]int64, 256)
	pairs := make([]int64, 1<<16)
	for range draws / 10 / 8 {
		v.Fill(value)
		for i, b := range value {
			counts[b]++
			if i > 0 {
				pairs[int(value[i-1])<<8|int(b)]++
			}
		}
	}
	requireChiSquare(t, counts, slices.Repeat([]float64{1. / 256}, 256))
	requireChiSquare(t, pairs, slices.Repeat([]float64{1. / (1 << 16)}, 1<<16))
}

func BenchmarkCompressible(b *testing.B) {
	for _, ratio := range []float64{0, MinRatio, 0.5, 0.9} {
		b.Run(fmt.Sprint(ratio), func(b *testing.B) {
			v := NewValues(NewRand(1))
			if ratio > 0 {
				v = NewCompressibleValues(NewRand(1), ratio)
			}
			value := make([]byte, 100, 104)
			b.SetBytes(100)
			for b.Loop() {
				v.Fill(value)
			}
		})
	}
}
