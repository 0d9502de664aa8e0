package keyspace

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// Template is a key of the user's own design: literal text and parts in braces, such as
//
//	{tenant:zipf(1000)}-{ts:reverse}-{seq:hash}
//
// It maps a key number to a key. The key follows from the number and the template alone, not from a seed, so that a load,
// its reads and its resumed part agree, on any number of agents. ParseTemplate refuses a template that could map two numbers
// to the same key. A Template is immutable.
type Template struct {
	parts []part
	limit int64 // key numbers below it have a key; see Limit
}

// part is a part of a template. Which fields it uses depends on write.
type part struct {
	write  writer
	column int    // in the template, from 1
	name   string // seq, ts, salt, or the user's
	text   string // the literal
	word   uint64 // its first eight bytes

	width   int    // bytes, or their minimum if the part is open
	open    bool   // it may be longer: decimal digits without a fixed width
	reverse bool   // digits of seq
	count   uint64 // of a category, or the number of texts of a random part
	skew    float64
	shares  *shares // of a zipfian category; nil until compiled
	stream  Rand    // of a part that is drawn

	start, step int64 // of ts, in its unit; step is that of an instant
	per         uint64
	seconds     bool // start and step are seconds, for a calendar format
}

// writer is how a part is written.
type writer uint8

const (
	literal    writer = iota
	decimal           // the number
	hexNumber         // the number, or with hash its hash, as 16 hexadecimal digits
	hexHash           //
	wideNumber        // the same in 11 digits of base 62
	wideHash          //
	uniform           // a category: drawn with equal shares
	zipfian           // drawn with shares by Zipf's law
	cycle             // the number modulo count
	hexRandom         // a drawn text
	wideRandom        //
	instant           // a time as an integer
	fromNewest        // the largest int64 minus the time
	day               // 20240131
	second            // 20240131T235959Z
)

const (
	hexDigits  = 16 // of 64 bits
	wideDigits = 11 // of 64 bits in base 62
	longDigits = 19 // of the largest int64
	base       = 62
	farthest   = 1<<63 - 1
)

// Longest returns the length of the longest key.
func (t *Template) Longest() int {
	n := 0
	for i := range t.parts {
		n += t.parts[i].longest()
	}
	return n
}

func (p *part) longest() int {
	if p.open {
		return max(p.width, longDigits)
	}
	return p.width
}

// Limit returns the smallest key number that has no key of its own: its time is beyond the format. It is the largest int64
// if there is none.
func (t *Template) Limit() int64 { return t.limit }

// IsASCII reports whether keys consist of ASCII characters.
func (t *Template) IsASCII() bool {
	for _, p := range t.parts {
		for i := range len(p.text) {
			if p.text[i] >= 0x80 {
				return false
			}
		}
	}
	return true
}

// compiled returns the template with its tables.
func (t *Template) compiled() *Template {
	c := &Template{parts: append([]part(nil), t.parts...), limit: t.limit}
	for i := range c.parts {
		switch p := &c.parts[i]; p.write {
		case zipfian:
			p.shares = zipfShares(int(p.count), p.skew)
		case literal:
			var first [8]byte
			copy(first[:], p.text)
			p.word = binary.LittleEndian.Uint64(first[:])
		default: // has no table
		}
	}
	return c
}

// append appends the key of number n to dst.
func (t *Template) append(dst []byte, n int64) []byte {
	u := uint64(n)
	for i := range t.parts {
		p := &t.parts[i]
		switch p.write {
		case literal:
			if p.width <= 8 {
				dst = appendWord(dst, p.word, p.width)
			} else {
				dst = append(dst, p.text...)
			}
		case decimal:
			at := len(dst)
			if dst = appendDecimal(dst, u, p.width); p.reverse {
				reverse(dst[at:])
			}
		case hexNumber:
			dst = appendHex(dst, u, hexDigits, p.reverse)
		case hexHash:
			dst = appendHex(dst, scatter(u), hexDigits, false)
		case wideNumber:
			dst = appendWide(dst, u, wideDigits, p.reverse)
		case wideHash:
			dst = appendWide(dst, scatter(u), wideDigits, false)
		case uniform:
			high, _ := bits.Mul64(p.stream.at(u), p.count)
			dst = appendFixed(dst, high, p.width)
		case zipfian:
			dst = appendFixed(dst, p.shares.item(p.stream.at(u)), p.width)
		case cycle:
			dst = appendFixed(dst, u%p.count, p.width)
		case hexRandom:
			dst = appendHex(dst, p.stream.at(u)>>(4*(hexDigits-p.width)), p.width, false)
		case wideRandom:
			high, _ := bits.Mul64(p.stream.at(u), p.count)
			dst = appendWide(dst, high, p.width, false)
		case instant:
			dst = appendDecimal(dst, uint64(p.time(u)), p.width)
		case fromNewest:
			dst = appendFixed(dst, uint64(farthest-p.time(u)), p.width)
		case day, second:
			dst = p.appendCalendar(dst, p.time(u))
		}
	}
	return dst
}

// scatter is a bijection of 64-bit numbers, so that different key numbers have different hashes.
func scatter(n uint64) uint64 { return mix(n + golden) }

// at returns draw number n of the stream, as Uint64 would after n draws.
func (r *Rand) at(n uint64) uint64 { return mix(r.state + (n+1)*r.gamma) }

func reverse(digits []byte) {
	for i, j := 0, len(digits)-1; i < j; i, j = i+1, j-1 {
		digits[i], digits[j] = digits[j], digits[i]
	}
}

// appendHex appends the last digits of n in base 16.
func appendHex(dst []byte, n uint64, digits int, backwards bool) []byte {
	high, low := hex8(n>>32), hex8(n&math.MaxUint32)
	if backwards {
		high, low = bits.ReverseBytes64(low), bits.ReverseBytes64(high)
	}
	if digits <= 8 {
		return appendWord(dst, low>>(8*(8-digits)), digits)
	}
	dst = appendWord(dst, high>>(8*(hexDigits-digits)), digits-8)
	return appendWord(dst, low, 8)
}

// hex8 spreads the eight hexadecimal digits of n, which is below 2^32, over eight bytes, the first digit lowest.
func hex8(n uint64) uint64 {
	n = (n | n<<16) & 0x0000ffff_0000ffff
	n = (n | n<<8) & 0x00ff00ff_00ff00ff
	n = (n | n<<4) & 0x0f0f0f0f_0f0f0f0f
	const ones = 0x01010101_01010101
	letters := (n + 6*ones) >> 4 & ones
	return bits.ReverseBytes64(n + zeros + letters*('a'-10-'0'))
}

// appendWord appends the first n of the eight bytes of a word. With spare capacity that is one store.
func appendWord(dst []byte, word uint64, n int) []byte {
	at := len(dst)
	if cap(dst)-at >= 8 {
		binary.LittleEndian.PutUint64(dst[at:at+8], word)
		return dst[:at+n]
	}
	var text [8]byte
	binary.LittleEndian.PutUint64(text[:], word)
	return append(dst, text[:n]...)
}

// appendFixed appends the last digits of n, at most 24. n has no more.
func appendFixed(dst []byte, n uint64, digits int) []byte {
	const group = 100_000_000
	upper, low := n, uint64(0)
	if digits > 8 {
		upper, low = n/group, n%group
	}
	if digits <= 16 {
		dst = appendWord(dst, (decimal8(upper)|zeros)>>(8*(-digits&7)), (digits-1)&7+1)
	} else {
		high, middle := upper/group, upper%group
		dst = appendWord(dst, (decimal8(high)|zeros)>>(8*(-digits&7)), (digits-1)&7+1)
		dst = appendWord(dst, decimal8(middle)|zeros, 8)
	}
	if digits > 8 {
		dst = appendWord(dst, decimal8(low)|zeros, 8)
	}
	return dst
}

// appendWide appends n in base 62, with leading zeros.
func appendWide(dst []byte, n uint64, digits int, backwards bool) []byte {
	const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" // in the order of bytes
	const five, six = base * base * base * base * base, 5 + 1
	var text [wideDigits]byte
	upper, low := n/five, n%five // two chains of divisions instead of one
	for i := range six {
		text[six-1-i] = alphabet[upper%base]
		upper /= base
	}
	for i := range wideDigits - six {
		text[wideDigits-1-i] = alphabet[low%base]
		low /= base
	}
	if backwards {
		reverse(text[:])
	}
	return append(dst, text[wideDigits-digits:]...)
}
