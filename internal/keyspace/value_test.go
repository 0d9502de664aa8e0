package keyspace

import (
	"bytes"
	"compress/flate"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// classes are YCSB's classes of bytes, by position modulo three.
var classes = [3]func(byte) bool{
	func(b byte) bool { return b >= 32 && b < 64 },
	func(b byte) bool { return b >= 32 && b < 96 },
	func(b byte) bool { return b >= 32 && b < 64 || b >= 96 && b < 128 },
}

func TestValuesAreOfYCSBsClassesOfBytes(t *testing.T) {
	for length := range 130 {
		for _, spare := range []int{0, 3, Padding, 40} {
			v := NewValues(NewRand(1, uint64(length)))
			value := make([]byte, length, length+spare)
			v.Fill(value)
			for i, b := range value {
				require.True(t, classes[i%3](b), "byte %d of %d is %d", i, length, b)
			}
			for _, b := range value[length : length+spare][min(spare, Padding):] {
				require.Zero(t, b, "Fill wrote beyond its padding")
			}
		}
	}
}

func TestValuesDoNotDependOnSpareCapacity(t *testing.T) {
	for length := range 60 {
		tight, loose := NewValues(NewRand(2)), NewValues(NewRand(2))
		for range 3 {
			a, b := make([]byte, length), make([]byte, length, length+Padding)
			tight.Fill(a)
			loose.Fill(b)
			require.Equal(t, a, b, "length %d", length)
		}
	}
}

func TestBytesOfAClassAreEquallyFrequent(t *testing.T) {
	v := NewValues(NewRand(3))
	value := make([]byte, 48)
	counts := make([][128]int64, len(value))
	for range draws / 10 {
		v.Fill(value)
		for i, b := range value {
			counts[i][b]++
		}
	}
	for i := range counts {
		var of []int64
		for b, n := range counts[i] {
			if classes[i%3](byte(b)) {
				of = append(of, n)
			}
		}
		requireChiSquare(t, of, slices.Repeat([]float64{1 / float64(len(of))}, len(of)))
	}
}

func TestValuesRepeatWithTheirSeedOnly(t *testing.T) {
	fill := func(seed uint64) []byte {
		v := NewValues(NewRand(seed))
		b := make([]byte, 1000)
		v.Fill(b)
		return b
	}
	first := fill(4)
	require.Equal(t, first, fill(4))
	require.NotEqual(t, first, fill(5))
}

// A target must compress values as little as those of YCSB, for any window: within a value, between the values of a row, and
// between rows.
func TestValuesCompressLikeYCSBs(t *testing.T) {
	const rows, fields, length = draws / 500, 10, 100
	v := NewValues(NewRand(6))
	r := rand.New(rand.NewPCG(1, 2))
	var ours, theirs []byte
	seen := map[string]bool{}
	for range rows * fields {
		value := make([]byte, length)
		v.Fill(value)
		require.False(t, seen[string(value[:16])], "a value was built twice")
		seen[string(value[:16])] = true
		ours = append(ours, value...)
		theirs = append(theirs, ycsbValue(r, length)...)
	}
	require.InDelta(t, ratio(t, theirs), ratio(t, ours), 0.005)
	require.InDelta(t, 0.75, ratio(t, ours), 0.05) // by deflate, which sees neither classes nor their order
}

// ycsbValue makes a value as the reference describes YCSB's: six bytes from 32 bits.
func ycsbValue(r *rand.Rand, length int) []byte {
	var value []byte
	for len(value) < length {
		u := r.Uint32()
		for i, mask := range []uint32{31, 63, 95, 31, 63, 95} {
			value = append(value, byte(u>>(5*i)&mask)+' ')
		}
	}
	return value[:length]
}

func ratio(t *testing.T, text []byte) float64 {
	t.Helper()
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	require.NoError(t, err)
	_, err = w.Write(text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return float64(packed.Len()) / float64(len(text))
}

func TestValuesAreFilledWithoutAllocation(t *testing.T) {
	v := NewValues(NewRand(7))
	value := make([]byte, 101)
	require.Zero(t, testing.AllocsPerRun(1000, func() { v.Fill(value) }))
}

func BenchmarkValuesOfARow(b *testing.B) {
	v := NewValues(NewRand(1))
	const fields, length, room = 10, 100, 104
	row := make([]byte, fields*room)
	b.SetBytes(fields * length)
	b.ReportAllocs()
	for b.Loop() {
		for i := range fields {
			v.Fill(row[i*room : i*room+length : (i+1)*room])
		}
	}
}
