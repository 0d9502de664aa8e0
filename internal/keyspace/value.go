package keyspace

import (
	"encoding/binary"
	"math/bits"
)

// Values fills fields with random bytes that look like YCSB's: every three bytes come from 32…63, from 32…95, and
// from 32…63 or 96…127, uniformly within a class. It serves one goroutine.
//
// Eight bytes are made at a time from a counter: the two halves of the 128-bit product of the counter with itself,
// altered, are folded into one word (the idea of wyhash). The words are independent, so that a word takes less
// than a nanosecond, and each is new: no two rows share bytes, regardless of a compressor's window.
//
// With a ratio the bytes compress to that part of their size; see compressible.
type Values struct {
	counter uint64
	ratio   compressible
}

// NewValues returns values that follow from r.
func NewValues(r Rand) Values { return Values{counter: r.Uint64()} }

const (
	// The random bits of each byte. The classes repeat every three bytes, so that there are three kinds of 8-byte
	// words.
	random0 = 0x3f1f5f3f1f5f3f1f
	random1 = 0x1f5f3f1f5f3f1f5f
	random2 = 0x5f3f1f5f3f1f5f3f
	// The offset of each byte. No sum carries into the next byte.
	spaces = 0x2020202020202020

	step  = 0xa0761d6478bd642f // odd, so that the counter has a period of 2^64 words
	alter = 0xe7037ed1a0b428db
)

// Padding is the number of bytes that Fill may write beyond the length of a slice, within its capacity. A slice with this
// much spare capacity is filled faster.
const Padding = 7

// Fill fills dst, and may overwrite up to Padding bytes of its capacity beyond.
func (v *Values) Fill(dst []byte) {
	if v.ratio.literal > 0 {
		v.fillRatio(dst)
		return
	}
	if words := (len(dst) + Padding) &^ Padding; words <= cap(dst) {
		v.words(dst[:words])
		return
	}
	whole := len(dst) &^ Padding
	random := v.words(dst[:whole])
	var last [8]byte
	binary.LittleEndian.PutUint64(last[:], v.next()&random+spaces)
	copy(dst[whole:], last[:])
}

// words fills dst, a multiple of eight bytes, and returns the random bits of the word after it.
func (v *Values) words(dst []byte) uint64 {
	at := v.counter
	for len(dst) >= 24 {
		d := (*[24]byte)(dst)
		binary.LittleEndian.PutUint64(d[0:], fold(at+step)&random0+spaces)
		binary.LittleEndian.PutUint64(d[8:], fold(at+step*2%(1<<64))&random1+spaces)
		at += step * 3 % (1 << 64)
		binary.LittleEndian.PutUint64(d[16:], fold(at)&random2+spaces)
		dst = dst[24:]
	}
	random := uint64(random0)
	if len(dst) >= 8 {
		at += step
		binary.LittleEndian.PutUint64(dst, fold(at)&random0+spaces)
		random = random1
	}
	if len(dst) >= 16 {
		at += step
		binary.LittleEndian.PutUint64(dst[8:], fold(at)&random1+spaces)
		random = random2
	}
	v.counter = at
	return random
}

func (v *Values) next() uint64 {
	v.counter += step
	return fold(v.counter)
}

func fold(n uint64) uint64 {
	high, low := bits.Mul64(n, n^alter)
	return high ^ low
}
