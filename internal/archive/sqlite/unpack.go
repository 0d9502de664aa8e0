package sqlite

import (
	"database/sql"
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/benchd/benchd/internal/archive/column"
	"github.com/benchd/benchd/internal/latency"
)

// unpacker reads packed values, one after another. After a value of an unexpected kind, or out of its range, all values are zero, and err has the
// reason.
type unpacker struct {
	rest   []byte
	values int // read so far
	err    error
	names  map[string]string // texts that have been read, so that equal ones share their memory

	histograms int // of the last series
}

// mostNames bounds the names of an unpacker.
const mostNames = 1000

// of begins to read packed values. The unpacker keeps names alone.
func (u *unpacker) of(packed []byte) *unpacker {
	u.rest, u.values, u.err = packed, 0, nil
	return u
}

// more reports whether there are more values.
func (u *unpacker) more() bool { return len(u.rest) > 0 && u.err == nil }

func (u *unpacker) fail(format string, args ...any) {
	if u.err == nil {
		u.err = fmt.Errorf("value %d: "+format, append([]any{u.values}, args...)...)
	}
	u.rest = nil
}

// kind begins the next value.
func (u *unpacker) kind() packedKind {
	u.values++
	if len(u.rest) == 0 {
		u.fail("it is missing")
		return packedNull
	}
	kind := packedKind(u.rest[0])
	u.rest = u.rest[1:]
	return kind
}

func (u *unpacker) varint() int64 {
	v, n := binary.Varint(u.rest)
	if n <= 0 {
		u.fail("it is truncated")
		return 0
	}
	u.rest = u.rest[n:]
	return v
}

// content returns the bytes of a text or a blob.
func (u *unpacker) content() []byte {
	n, size := binary.Uvarint(u.rest)
	if size <= 0 || n > uint64(len(u.rest)-size) {
		u.fail("it is truncated")
		return nil
	}
	end := size + int(n)
	v := u.rest[size:end:end]
	u.rest = u.rest[end:]
	return v
}

// int reads an integer.
func (u *unpacker) int() int64 {
	if kind := u.kind(); kind != packedInt {
		u.fail("want an integer, have %s", kind)
		return 0
	}
	return u.varint()
}

// nullInt reads an integer or NULL.
func (u *unpacker) nullInt() sql.NullInt64 {
	switch kind := u.kind(); kind {
	case packedNull:
		return sql.NullInt64{}
	case packedInt:
		return sql.NullInt64{Int64: u.varint(), Valid: true}
	default:
		u.fail("want an integer or NULL, have %s", kind)
		return sql.NullInt64{}
	}
}

// duration reads an integer that is nanoseconds.
func (u *unpacker) duration() time.Duration { return time.Duration(u.int()) }

// count reads an integer that is not negative.
func (u *unpacker) count() uint64 {
	v := u.int()
	if v < 0 {
		u.fail("want an integer of at least 0, have %d", v)
		return 0
	}
	return uint64(v)
}

// flag reads an integer that is 0 or 1.
func (u *unpacker) flag() bool {
	v := u.int()
	if v != 0 && v != 1 {
		u.fail("want 0 or 1, have %d", v)
	}
	return v == 1
}

// real reads a number.
func (u *unpacker) real() float64 {
	switch kind := u.kind(); kind {
	case packedInt:
		return float64(u.varint())
	case packedReal:
		if len(u.rest) < 8 {
			u.fail("it is truncated")
			return 0
		}
		v := math.Float64frombits(binary.LittleEndian.Uint64(u.rest))
		u.rest = u.rest[8:]
		return v
	default:
		u.fail("want a number, have %s", kind)
		return 0
	}
}

// text reads a text.
func (u *unpacker) text() string {
	if kind := u.kind(); kind != packedText {
		u.fail("want a text, have %s", kind)
		return ""
	}
	return string(u.content())
}

// name reads a text of which there are few different ones.
func (u *unpacker) name() string {
	if kind := u.kind(); kind != packedText {
		u.fail("want a text, have %s", kind)
		return ""
	}
	v := u.content()
	name, known := u.names[string(v)]
	if !known {
		name = string(v)
		if u.names == nil {
			u.names = make(map[string]string)
		}
		if len(u.names) < mostNames {
			u.names[name] = name
		}
	}
	return name
}

// bytes reads a text or a blob, or NULL, which is nil. They are a part of what is unpacked.
func (u *unpacker) bytes() []byte {
	switch kind := u.kind(); kind {
	case packedNull:
		return nil
	case packedText, packedBlob:
		return u.content()
	default:
		u.fail("want a text or a blob, have %s", kind)
		return nil
	}
}

func (k packedKind) String() string {
	switch k {
	case packedNull:
		return "NULL"
	case packedInt:
		return "an integer"
	case packedReal:
		return "a real number"
	case packedText:
		return "a text"
	case packedBlob:
		return "a blob"
	default:
		return fmt.Sprintf("kind %d", byte(k))
	}
}

// seriesColumns are the columns of a row of table measurement that series reads.
const seriesColumns = `op, outcome, part_of, count, response_sum_ns, response_min_ns, response_max_ns, response_overflow,
	service_sum_ns, service_min_ns, service_max_ns, service_overflow, response, service`

// series reads rows of table measurement, and appends them to others. The histograms keep parts of what is unpacked.
func (u *unpacker) series(to []latency.Series, compact *latency.Compactor) ([]latency.Series, error) {
	// The histograms of a window are allocated together, as many as the last one had.
	spare := make([]latency.Histogram, 0, u.histograms)
	u.histograms = 0
	take := func(data []byte) (*latency.Histogram, error) {
		u.histograms++
		if len(spare) == cap(spare) {
			spare = make([]latency.Histogram, 0, 2)
		}
		spare = spare[:len(spare)+1]
		h := &spare[len(spare)-1]
		return h, compact.TakeInto(h, data)
	}
	for u.more() {
		m := column.Measurement{Key: latency.Key{Op: u.name(), Outcome: u.name(), PartOf: u.name()}, Count: u.int()}
		for _, h := range [...]*column.Histogram{&m.Response, &m.Service} {
			h.Sum, h.Lowest, h.Highest, h.Overflow = u.nullInt(), u.nullInt(), u.nullInt(), u.nullInt()
		}
		m.Response.Blob, m.Service.Blob = u.bytes(), u.bytes()
		if u.err != nil {
			break
		}
		s, err := m.Series(take)
		if err != nil {
			return to, err
		}
		to = append(to, s)
	}
	return to, u.err
}
