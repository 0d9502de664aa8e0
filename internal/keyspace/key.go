package keyspace

import (
	"encoding/binary"
	"math/bits"
)

const (
	fnvBasis = 0xcbf29ce484222325
	fnvPrime = 1099511628211
	// fnvPrime3 is fnvPrime³ modulo 2^64: the effect of three zero octets on the hash.
	fnvPrime3 = fnvPrime * fnvPrime % (1 << 64) * fnvPrime % (1 << 64)
)

// Hash is YCSB's hash of a key number: 64-bit FNV-1a over its eight octets, least significant first, made
// positive. The smallest int64 has no positive counterpart and stays negative, as in Java.
func Hash(n int64) int64 {
	u := uint64(n)
	h := (uint64(fnvBasis) ^ u&0xff) * fnvPrime
	h = (h ^ u>>8&0xff) * fnvPrime
	h = (h ^ u>>16&0xff) * fnvPrime
	h = (h ^ u>>24&0xff) * fnvPrime
	h = (h ^ u>>32&0xff) * fnvPrime
	if u>>40 == 0 { // the usual case: each octet costs one multiplication
		return positive(h * fnvPrime3)
	}
	h = (h ^ u>>40&0xff) * fnvPrime
	h = (h ^ u>>48&0xff) * fnvPrime
	return positive((h ^ u>>56) * fnvPrime)
}

func positive(h uint64) int64 {
	if n := int64(h); n < 0 {
		return -n
	}
	return int64(h)
}

// Names turns key numbers into keys.
type Names struct {
	prefix   string
	padding  int
	ordered  bool
	template *Template // nil for YCSB's names
}

// NewNames returns the names that YCSB uses with these values of zeropadding and insertorder; its prefix is "user".
func NewNames(prefix string, padding int, ordered bool) Names {
	return Names{prefix: prefix, padding: padding, ordered: ordered}
}

// NewTemplateNames returns the names of a template.
func NewTemplateNames(t *Template) Names { return Names{template: t.compiled()} }

// Append appends the key of number n to dst. It allocates only if dst has less than Longest bytes of
// capacity left.
func (k *Names) Append(dst []byte, n int64) []byte {
	if k.template != nil {
		return k.template.append(dst, n)
	}
	if !k.ordered {
		n = Hash(n)
	}
	dst = append(dst, k.prefix...)
	if n < 0 || k.padding > minPadded {
		return appendPadded(dst, n, k.padding)
	}
	return appendDecimal(dst, uint64(n), max(k.padding, 1))
}

// Longest returns an upper bound of the length of a key.
func (k *Names) Longest() int {
	if k.template != nil {
		return k.template.Longest() + 7 // the last store of a word may reach beyond the key
	}
	return len(k.prefix) + max(widest, k.padding)
}

const (
	widest    = 24 // digits of three groups of eight: more than any int64 has
	minPadded = widest
)

// appendDecimal appends n, padded with zeros to a width of digits, which is 1 to widest. It takes half the time of
// strconv.AppendInt for the 19 digits of a hash, because its groups are independent.
func appendDecimal(dst []byte, n uint64, digits int) []byte {
	const group = 100_000_000
	var text [widest]byte
	upper, low := n/group, n%group
	high, middle := upper/group, upper%group
	h, m := decimal8(high), decimal8(middle)
	binary.LittleEndian.PutUint64(text[0:], h|zeros)
	binary.LittleEndian.PutUint64(text[8:], m|zeros)
	l := decimal8(low)
	binary.LittleEndian.PutUint64(text[16:], l|zeros)

	skip := 16 + bits.TrailingZeros64(l)/8
	switch {
	case h != 0:
		skip = bits.TrailingZeros64(h) / 8
	case m != 0:
		skip = 8 + bits.TrailingZeros64(m)/8
	}
	return append(dst, text[min(skip, widest-digits):]...)
}

const zeros = 0x3030303030303030 // "00000000"

// decimal8 spreads the eight decimal digits of n, which is below 10^8, over eight bytes, the first digit lowest. It
// halves all parts at once: into four digits each, into two, into one, dividing by a multiplication.
func decimal8(n uint64) uint64 {
	upper := n / 10_000
	n = upper | (n-upper*10_000)<<32
	upper = n * 5243 >> 19 & 0x0000007f_0000007f
	n = upper | (n-upper*100)<<16
	upper = n * 103 >> 10 & 0x000f000f_000f000f
	return upper | (n-upper*10)<<8
}

// appendPadded handles the rare cases: negative numbers, whose minus sign counts as a digit and follows the zeros, as in
// YCSB, and padding beyond the digits of any number.
func appendPadded(dst []byte, n int64, padding int) []byte {
	var digits [widest]byte
	text := digits[:0]
	if n < 0 {
		text = append(text, '-')
		n = -n
	}
	text = appendDecimal(text, uint64(n), 1)
	for range padding - len(text) {
		dst = append(dst, '0')
	}
	return append(dst, text...)
}
