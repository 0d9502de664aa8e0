package keyspace

import (
	"encoding/binary"
	"math/bits"
)

// Values fills fields with random bytes that look like YCSB's: every three bytes come from 32…63, from 32…95, and
// from 32…63 or 96…127, each byte of a class alike. It serves one goroutine.
//
// Eight bytes are made at a time from a counter: the two halves of the 128-bit product of the counter with itself,
// altered, are folded into one word (the idea of wyhash). The words do not wait for each other, so that a word takes
// less than a nanosecond, and each of them is new: no two rows share bytes, however far a compressor looks back.
type Values struct {
	counter uint64
}

// NewValues returns values that follow from r.
func NewValues(r Rand) Values { return Values{counter: r.Uint64()} }

const (
	// The bits that are random in each byte: the classes begin again every three bytes, so that words of eight
	// come in three sorts.
	random0 = 0x3f1f5f3f1f5f3f1f
	random1 = 0x1f5f3f1f5f3f1f5f
	random2 = 0x5f3f1f5f3f1f5f3f
	// What is added to them. No sum carries into the next byte.
	spaces = 0x2020202020202020

	step  = 0xa0761d6478bd642f // odd, so that the counter comes back after 2^64 words
	alter = 0xe7037ed1a0b428db
)

// Padding is how far Fill may write beyond the end of what it fills, within its capacity. A slice with so much
// capacity to spare is filled faster.
const Padding = 7

// Fill fills dst, and may overwrite up to Padding bytes of its capacity beyond.
func (v *Values) Fill(dst []byte) {
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

// words fills dst, a multiple of eight bytes, and returns what is random in the word after it.
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
