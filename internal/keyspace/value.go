package keyspace

import "encoding/binary"

// Values fills fields with random bytes. It serves one goroutine.
type Values struct {
	r Rand
}

// NewValues returns values drawn from r.
func NewValues(r Rand) *Values { return &Values{r: r} }

// The classes of bytes that YCSB draws from, repeated every three bytes: 32…63, 32…95, and 32…63 or 96…127. Three
// words of eight bytes each begin at another of them.
const (
	classes0 = 0x3f1f5f3f1f5f3f1f
	classes1 = 0x1f5f3f1f5f3f1f5f
	classes2 = 0x5f3f1f5f3f1f5f3f
	space    = 0x2020202020202020
)

// Fill fills dst.
func (v *Values) Fill(dst []byte) {
	for len(dst) >= 24 {
		binary.LittleEndian.PutUint64(dst, v.r.Uint64()&classes0+space)
		binary.LittleEndian.PutUint64(dst[8:], v.r.Uint64()&classes1+space)
		binary.LittleEndian.PutUint64(dst[16:], v.r.Uint64()&classes2+space)
		dst = dst[24:]
	}
	var rest [24]byte
	binary.LittleEndian.PutUint64(rest[:], v.r.Uint64()&classes0+space)
	binary.LittleEndian.PutUint64(rest[8:], v.r.Uint64()&classes1+space)
	binary.LittleEndian.PutUint64(rest[16:], v.r.Uint64()&classes2+space)
	copy(dst, rest[:])
}
