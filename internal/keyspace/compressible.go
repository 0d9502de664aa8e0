package keyspace

import (
	"encoding/binary"
	"math"
)

// MinRatio is the smallest ratio of values at which zstd and snappy agree within 5 %. Snappy copies at most 64 bytes at once
// and takes three for it, zstd takes any number.
const MinRatio = 0.4

// compressible is the state of values with a ratio, as one stream that the values cut into pieces. Stretches of random bytes,
// which no compressor shortens, take turns with stretches of spaces, which every compressor replaces by a few bytes. The
// stretches of spaces are short enough for one copy of snappy, and their random lengths cost zstd nearly as much.
type compressible struct {
	literal float64 // random bytes per byte of space
	owed    float64 // random bytes of earlier stretches, the part below one
	left    int     // of the stretch
	spaces  int     // the length of the next stretch of spaces; 0 within one
}

const (
	fewestSpaces = 39
	mostSpaces   = 65
	meanSpaces   = (fewestSpaces + mostSpaces) / 2
	// The mean cost of a stretch of spaces with its surroundings: 3.9 bytes, and a byte for each 40 random ones, halfway between
	// snappy and zstd.
	stretchCost = 3.9
	literalCost = 1. / 40
)

// NewCompressibleValues returns values that follow from r and compress to ratio of their size, MinRatio to 1. They are bytes
// from 0 to 255: random letters would be compressed by zstd, and not by snappy.
func NewCompressibleValues(r Rand, ratio float64) Values {
	v := NewValues(r)
	// Of a stretch with l random bytes and m spaces l + stretchCost + l·literalCost bytes remain, and that is ratio·(l+m).
	v.ratio.literal = (meanSpaces*ratio - stretchCost) / (1 + literalCost - ratio) / meanSpaces
	if ratio >= 1 {
		v.ratio.literal = math.Inf(1)
	}
	v.stretch()
	return v
}

// stretch begins the next stretch.
func (v *Values) stretch() {
	c := &v.ratio
	switch {
	case math.IsInf(c.literal, 1):
		c.left, c.spaces = math.MaxInt, 1
	case c.spaces > 0:
		c.left, c.spaces = c.spaces, 0
	default:
		const lengths = mostSpaces - fewestSpaces + 1
		c.spaces = fewestSpaces + int(v.next()>>32*lengths>>32)
		c.owed += float64(c.spaces) * c.literal
		c.left = int(c.owed)
		c.owed -= float64(c.left)
	}
}

func (v *Values) fillRatio(dst []byte) {
	for len(dst) > 0 {
		if v.ratio.left == 0 {
			v.stretch()
			continue
		}
		n := min(len(dst), v.ratio.left)
		v.ratio.left -= n
		if v.ratio.spaces > 0 {
			v.bytes(dst[:n])
		} else {
			fillSpaces(dst[:n])
		}
		dst = dst[n:]
	}
}

// bytes fills dst with random bytes.
func (v *Values) bytes(dst []byte) {
	at := v.counter
	for len(dst) >= 8 {
		at += step
		binary.LittleEndian.PutUint64(dst, fold(at))
		dst = dst[8:]
	}
	if len(dst) > 0 {
		at += step
		var last [8]byte
		binary.LittleEndian.PutUint64(last[:], fold(at))
		copy(dst, last[:])
	}
	v.counter = at
}

func fillSpaces(dst []byte) {
	for len(dst) >= 8 {
		binary.LittleEndian.PutUint64(dst, spaces)
		dst = dst[8:]
	}
	for i := range dst {
		dst[i] = ' '
	}
}
