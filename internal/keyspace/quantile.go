package keyspace

import (
	"bytes"
	"math"
	"math/bits"
	"slices"
)

// Quantiles returns the keys that divide the keys of key numbers from ≤ n < to, in byte order, into parts of the same size:
// the first key of each part but the first. Hashed keys are divided over the whole range of the hash. If there are fewer
// keys than parts, the keys of empty parts are omitted. The keys of a template are divided by a sample of them, if there are
// many; see sampled.
func (k *Names) Quantiles(from, to int64, parts int) [][]byte {
	if k.template != nil {
		return k.sampled(from, to, parts)
	}
	if !k.ordered {
		from, to = 0, math.MaxInt64
	}
	if from < 0 || to <= from || parts < 2 {
		return nil
	}
	r := ranks{lo: uint64(from), hi: uint64(to), padding: max(k.padding, 1)}
	total := r.hi - r.lo
	keys := make([][]byte, 0, parts-1)
	for i := 1; i < parts; i++ {
		high, low := bits.Mul64(total, uint64(i))
		rank, _ := bits.Div64(high, low, uint64(parts))
		key := append([]byte(k.prefix), r.at(rank)...)
		if rank == 0 || len(keys) > 0 && slices.Equal(keys[len(keys)-1], key) {
			continue // the part before it is empty
		}
		keys = append(keys, key)
	}
	return keys
}

// The sample from which the quantiles of a template are taken.
const (
	sampleLeast   = 1 << 16
	samplePerPart = 1 << 10 // the size of a part then has a standard deviation of about 3 %
	sampleMost    = 1 << 22
)

// sampled returns the quantiles of a template's keys: exactly if a sample covers all rows, else of a sample of one row from
// each of as many stretches of the same length. The sample does not depend on a seed.
func (k *Names) sampled(from, to int64, parts int) [][]byte {
	if from < 0 || to <= from || parts < 2 {
		return nil
	}
	rows := uint64(to - from)
	size := min(rows, uint64(min(max(sampleLeast, samplePerPart*parts), sampleMost)))
	random := NewRand(0, uint64(from), rows)
	memory := make([]byte, 0, int(size)*k.Longest())
	sample := make([][]byte, size)
	begin := uint64(0)
	for i := range sample {
		high, low := bits.Mul64(rows, uint64(i)+1)
		end, _ := bits.Div64(high, low, size)
		at := len(memory)
		memory = k.Append(memory, from+int64(begin)+random.Below(int64(end-begin)))
		sample[i] = memory[at:len(memory):len(memory)]
		begin = end
	}
	slices.SortFunc(sample, bytes.Compare)
	keys := make([][]byte, 0, parts-1)
	for i := 1; i < parts; i++ {
		rank := int(size) * i / parts
		if key := sample[rank]; rank > 0 && (len(keys) == 0 || !bytes.Equal(keys[len(keys)-1], key)) {
			keys = append(keys, bytes.Clone(key))
		}
	}
	return keys
}

// ranks are the decimal forms of lo ≤ n < hi, zero-padded to a width, in byte order. This is not the numeric order, because
// their lengths differ.
type ranks struct {
	lo, hi  uint64
	padding int
}

// at returns the form with a rank, from 0. It descends digit by digit and counts the forms to the left.
func (r ranks) at(rank uint64) []byte {
	var text []byte
	var value uint64
	for {
		if len(text) > 0 && r.is(text, value) {
			if rank == 0 {
				return text
			}
			rank--
		}
		for d := range uint64(10) {
			leading := d != 0
			if len(text) > 0 {
				leading = text[0] != '0'
			}
			n := r.under(len(text)+1, value*10+d, leading)
			if rank < n {
				text, value = append(text, byte('0'+d)), value*10+d
				break
			}
			rank -= n
			if d == 9 {
				return text // rank is too large
			}
		}
	}
}

// is reports whether text is one of the forms.
func (r ranks) is(text []byte, value uint64) bool {
	return (len(text) == r.padding || len(text) > r.padding && text[0] != '0') && value >= r.lo && value < r.hi
}

// under counts the forms that begin with the given number of digits of value; leading reports that the first digit is not
// 0.
func (r ranks) under(digits int, value uint64, leading bool) uint64 {
	const longest = 20 // digits of any uint64
	var sum uint64
	for length := max(digits, r.padding); length <= max(longest, r.padding); length++ {
		if length > r.padding && !leading {
			break
		}
		begin, end, beyond := stretch(value, length-digits)
		if beyond {
			break
		}
		if begin, end = max(begin, r.lo), min(end, r.hi); end > begin {
			sum += end - begin
		}
	}
	return sum
}

// stretch returns the range of numbers that consist of value and the given number of further digits, bounded by the maximum
// uint64; beyond reports that there are none.
func stretch(value uint64, digits int) (begin, end uint64, beyond bool) {
	begin, end = value, value+1
	for range digits {
		high, low := bits.Mul64(begin, 10)
		if high != 0 {
			return 0, 0, true
		}
		begin = low
		if high, low = bits.Mul64(end, 10); high != 0 {
			low = math.MaxUint64
		}
		end = low
	}
	return begin, end, false
}
