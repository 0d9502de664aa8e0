package keyspace

import "strconv"

const (
	fnvBasis = 0xcbf29ce484222325
	fnvPrime = 1099511628211
)

// Hash is YCSB's hash of a key number: 64-bit FNV-1a over its eight octets, least significant first, made
// positive. The smallest int64 has no positive counterpart and would stay as it is, as in Java.
func Hash(n int64) int64 {
	h := int64(fnv(uint64(n)))
	if h < 0 {
		h = -h
	}
	return h
}

func fnv(u uint64) uint64 {
	h := uint64(fnvBasis)
	for range 8 {
		h = (h ^ u&0xff) * fnvPrime
		u >>= 8
	}
	return h
}

// Names turns key numbers into keys.
type Names struct {
	prefix  string
	padding int
	ordered bool
}

// NewNames returns the names that YCSB gives with these zeropadding and insertorder; its prefix is "user".
func NewNames(prefix string, padding int, ordered bool) Names {
	return Names{prefix: prefix, padding: padding, ordered: ordered}
}

// Append appends the key of number n to dst. It allocates only where dst is too small; Longest tells how much
// is enough.
func (k *Names) Append(dst []byte, n int64) []byte {
	if !k.ordered {
		n = Hash(n)
	}
	dst = append(dst, k.prefix...)
	if k.padding > 1 {
		dst = k.pad(dst, n)
	}
	return strconv.AppendInt(dst, n, 10)
}

// pad appends the zeros that go before n. A minus sign counts as a digit, as in YCSB.
func (k *Names) pad(dst []byte, n int64) []byte {
	width := 1
	if n < 0 {
		width = 2
	}
	for rest := n / 10; rest != 0; rest /= 10 {
		width++
	}
	for ; width < k.padding; width++ {
		dst = append(dst, '0')
	}
	return dst
}

// Longest is the length that no key exceeds.
func (k *Names) Longest() int {
	const digits = len("-9223372036854775808")
	return len(k.prefix) + max(digits, k.padding)
}
