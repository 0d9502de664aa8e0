package keyspace

import (
	"math"
	"math/bits"
)

// shares draws from 0 … n-1, each number with a share of its own, by Walker's alias method: one multiplication and one
// comparison for any n. It is immutable.
type shares struct {
	below []uint64 // where the rest of a column begins
	alias []uint32 // the number that has the rest
}

// zipfShares returns the shares of Zipf's law: that of number i is proportional to 1/(i+1)^skew.
func zipfShares(n int, skew float64) *shares {
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = math.Pow(float64(i+1), -skew)
	}
	return newShares(weights)
}

// newShares returns the shares that are proportional to weights, by Vose's construction.
func newShares(weights []float64) *shares {
	n := len(weights)
	var sum float64
	for _, w := range weights {
		sum += w
	}
	s := &shares{below: make([]uint64, n), alias: make([]uint32, n)}
	scaled := make([]float64, n)
	var small, large []uint32
	for i, w := range weights {
		scaled[i] = w / sum * float64(n)
		if scaled[i] < 1 {
			small = append(small, uint32(i))
		} else {
			large = append(large, uint32(i))
		}
	}
	for len(small) > 0 && len(large) > 0 {
		few, many := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		s.below[few], s.alias[few] = fraction(scaled[few]), many
		if scaled[many] -= 1 - scaled[few]; scaled[many] < 1 {
			large = large[:len(large)-1]
			small = append(small, many)
		}
	}
	for _, i := range append(small, large...) { // whole columns, up to rounding
		s.below[i], s.alias[i] = math.MaxUint64, i
	}
	return s
}

// fraction converts a number from [0, 1) to 64 bits.
func fraction(f float64) uint64 { return uint64(math.Ldexp(f, 63)) << 1 }

// item returns the number for 64 random bits.
func (s *shares) item(random uint64) uint64 {
	column, rest := bits.Mul64(random, uint64(len(s.below)))
	if rest < s.below[column] {
		return column
	}
	return uint64(s.alias[column])
}
