package column

import (
	"cmp"
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/benchd/benchd/internal/result"
)

// A batch of observations is one blob: a version; the sets of instants, in milliseconds since the start of the blob, because
// most figures share their instants; then each figure by its number in the run, its set, and its values. Instants are
// differences. A value is the exclusive or with the previous one, its bytes reversed: an unchanged value takes a byte, and a
// whole number has few.
const pointsVersion = 1

// Bounds on a blob.
const (
	maxBlobSets    = 4096
	maxBlobFigures = 1 << 16
	maxBlobPoints  = 1 << 20
)

var errPoints = errors.New("malformed points")

// MaxFigures bounds the figures of a run. Further figures are dropped.
const MaxFigures = 1 << 16

// Numbered is a figure's part of a blob.
type Numbered struct {
	Number int
	At     []time.Duration
	Values []float64
}

// encodePoints encodes observations from an instant on; numbers are the figures'.
func encodePoints(from time.Duration, figures []result.Observed, numbers []int) []byte {
	type set struct{ at []time.Duration }
	var sets []set
	same := func(a, b []time.Duration) bool {
		if len(a) != len(b) {
			return false
		}
		for i := range a {
			if a[i] != b[i] {
				return false
			}
		}
		return true
	}
	of := make([]int, len(figures))
	for i, f := range figures {
		of[i] = -1
		for k := range sets {
			if same(sets[k].at, f.At) {
				of[i] = k
				break
			}
		}
		if of[i] < 0 {
			of[i] = len(sets)
			sets = append(sets, set{f.At})
		}
	}
	b := binary.AppendUvarint([]byte{pointsVersion}, uint64(len(sets)))
	for _, s := range sets {
		b = binary.AppendUvarint(b, uint64(len(s.at)))
		before := from.Milliseconds()
		for _, at := range s.at {
			b = binary.AppendVarint(b, at.Milliseconds()-before)
			before = at.Milliseconds()
		}
	}
	b = binary.AppendUvarint(b, uint64(len(figures)))
	for i, f := range figures {
		b = binary.AppendUvarint(b, uint64(numbers[i]))
		b = binary.AppendUvarint(b, uint64(of[i]))
		var before uint64
		for _, v := range f.Values {
			now := math.Float64bits(v)
			b = binary.AppendUvarint(b, bits.ReverseBytes64(now^before))
			before = now
		}
	}
	return b
}

// DecodePoints decodes a blob.
func DecodePoints(from time.Duration, b []byte) ([]Numbered, error) {
	if len(b) == 0 || b[0] != pointsVersion {
		return nil, errPoints
	}
	r := pointReader{b: b[1:]}
	sets := make([][]time.Duration, 0, min(r.number(maxBlobSets), len(r.b)))
	for range cap(sets) {
		at := make([]time.Duration, 0, r.number(uint64(len(r.b))))
		now := from.Milliseconds()
		for range cap(at) {
			now += r.signed()
			at = append(at, time.Duration(now)*time.Millisecond)
		}
		sets = append(sets, at)
	}
	figures := make([]Numbered, 0, r.number(min(maxBlobFigures, uint64(len(r.b)))))
	points := 0
	for range cap(figures) {
		n := Numbered{Number: r.number(MaxFigures)}
		which := r.number(uint64(len(sets)))
		if r.bad || which >= len(sets) {
			return nil, errPoints
		}
		n.At = sets[which]
		if points += len(n.At); points > maxBlobPoints || len(n.At) > len(r.b) {
			return nil, errPoints
		}
		n.Values = make([]float64, len(n.At))
		var now uint64
		for i := range n.Values {
			now ^= bits.ReverseBytes64(r.unsigned())
			n.Values[i] = math.Float64frombits(now)
			if math.IsNaN(n.Values[i]) || math.IsInf(n.Values[i], 0) {
				r.bad = true
			}
		}
		figures = append(figures, n)
	}
	if r.bad || len(r.b) > 0 {
		return nil, errPoints
	}
	return figures, nil
}

// pointReader reads numbers until an error; from then on they are 0.
type pointReader struct {
	b   []byte
	bad bool
}

func (r *pointReader) unsigned() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || r.bad {
		r.bad = true
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *pointReader) signed() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 || r.bad || v < -int64(maxSpan) || v > int64(maxSpan) {
		r.bad = true
		return 0
	}
	r.b = r.b[n:]
	return v
}

// maxSpan bounds an instant, in milliseconds: a century.
const maxSpan = 100 * 366 * 86400 * 1000

func (r *pointReader) number(most uint64) int {
	v := r.unsigned()
	if v > most {
		r.bad = true
		return 0
	}
	return int(v)
}

// order sorts the points of two agents that observed at the same time.
func order(o *result.Observed) {
	if slices.IsSorted(o.At) {
		return
	}
	index := make([]int, len(o.At))
	for i := range index {
		index[i] = i
	}
	slices.SortStableFunc(index, func(a, b int) int { return cmp.Compare(o.At[a], o.At[b]) })
	sorted := result.Observed{Name: o.Name, Source: o.Source, Unit: o.Unit}
	for _, i := range index {
		sorted.At, sorted.Values = append(sorted.At, o.At[i]), append(sorted.Values, o.Values[i])
	}
	*o = sorted
}
