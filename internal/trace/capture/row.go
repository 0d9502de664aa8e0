package capture

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/suggest"
	"github.com/benchd/benchd/internal/trace"
	"github.com/benchd/benchd/internal/workload"
)

// A column is a value of a line.
type column int

// The columns.
const (
	colTime column = iota
	colTimeMs
	colTimeUs
	colTimeNs
	colOp
	colTable
	colKey
	colHash
	colSize
	colRows
	numColumns
)

// columnNames returns the names of the columns, in their order.
func columnNames() [numColumns]string {
	return [numColumns]string{"time", "time_ms", "time_us", "time_ns", "operation", "table", "key", "key_hash", "size", "rows"}
}

// columnOf returns the column with a name; ok is false if no column has it.
func columnOf(name string) (column, bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	if name == "op" {
		return colOp, true
	}
	for i, known := range columnNames() {
		if known == name {
			return column(i), true
		}
	}
	return 0, false
}

// missing describes a column that lines lack, with the nearest of those that they have.
func missing(what string, have []string) string {
	var unknown []string
	for _, name := range have {
		if _, known := columnOf(name); !known {
			unknown = append(unknown, name)
		}
	}
	first, _, _ := strings.Cut(what, " or ")
	if near := suggest.Nearest(first, unknown); near != "" {
		return fmt.Sprintf("%s is missing; is it %q?", what, near)
	}
	return what + " is missing"
}

// row is a line as its format has read it.
type row struct {
	line int
	text [numColumns]string
	at   [numColumns]int // the column of the text in the line, from 1; 0 if the line has no such value
}

func (r *row) set(c column, text string, at int) { r.text[c], r.at[c] = text, max(at, 1) }
func (r *row) has(c column) bool                 { return r.at[c] > 0 }

// operation is a row with its values parsed.
type operation struct {
	at     int64 // Unix ns
	kind   workload.Kind
	table  string
	key    []byte
	hash   uint64
	hashed bool // hash is the key
	size   int
	rows   int

	input, line int
	came        int64 // its place among all operations
}

// fault is a mistake in a value of a row.
type fault struct {
	at   int // column of the line
	text string
}

// parse parses the values of a row. Several of them may be wrong.
func (r *row) parse() (o operation, faults []fault) {
	fail := func(at int, format string, args ...any) {
		faults = append(faults, fault{max(at, 1), fmt.Sprintf(format, args...)})
	}
	var err error
	if o.at, err = r.time(); err != nil {
		fail(max(r.at[colTime], r.at[colTimeMs], r.at[colTimeUs], r.at[colTimeNs]), "%s", err)
	}
	switch {
	case !r.has(colOp):
		fail(1, "operation is missing")
	default:
		if o.kind, err = trace.ParseKind(r.text[colOp]); err != nil {
			fail(r.at[colOp], "%s", err)
		}
	}
	o.table = r.text[colTable]
	switch {
	case r.has(colKey) && r.has(colHash) && r.text[colKey] != "" && r.text[colHash] != "":
		fail(r.at[colHash], "the line has both key and key_hash: write one of them")
	case r.text[colKey] != "":
		if o.key = []byte(r.text[colKey]); len(o.key) > trace.MaxKey {
			fail(r.at[colKey], "a key of %d bytes: want at most %d", len(o.key), trace.MaxKey)
		}
	case r.text[colHash] != "":
		o.hashed = true
		if o.hash, err = parseHash(r.text[colHash]); err != nil {
			fail(r.at[colHash], "%s", err)
		}
	default:
		fail(max(r.at[colKey], r.at[colHash]), "key or key_hash is missing")
	}
	if o.size, err = parseCount("size", r.text[colSize], trace.MaxSize); err != nil {
		fail(r.at[colSize], "%s", err)
	}
	if o.rows, err = parseCount("rows", r.text[colRows], trace.MaxRows); err != nil {
		fail(r.at[colRows], "%s", err)
	}
	o.line = r.line
	return o, faults
}

// time returns the row's time in Unix nanoseconds.
func (r *row) time() (int64, error) {
	units := map[column]int64{colTime: 1e9, colTimeMs: 1e6, colTimeUs: 1e3, colTimeNs: 1}
	for _, c := range []column{colTime, colTimeMs, colTimeUs, colTimeNs} {
		text := strings.TrimSpace(r.text[c])
		if text == "" {
			continue
		}
		if ns, ok := parseDecimal(text, units[c]); ok {
			return ns, nil
		}
		name := columnNames()[c]
		if c != colTime {
			return 0, fmt.Errorf("invalid %s %q: want a number since 1970, such as %d", name, text, 1765000000*(1e9/units[c]))
		}
		at, err := time.Parse(time.RFC3339Nano, text)
		if err != nil || at.Year() < 1970 || at.Year() > 2200 {
			return 0, fmt.Errorf("invalid time %q: want RFC 3339, such as 2026-03-01T10:00:00.123Z, or seconds since 1970, such as 1765000000.123", text)
		}
		return at.UnixNano(), nil
	}
	return 0, errors.New("time is missing: want one of time, time_ms, time_us and time_ns")
}

// parseDecimal parses a number of units without rounding: a float64 has only microseconds of today's time.
func parseDecimal(text string, unit int64) (int64, bool) {
	whole, fraction, _ := strings.Cut(text, ".")
	n, err := strconv.ParseUint(whole, 10, 63)
	if err != nil || int64(n) > math.MaxInt64/unit-1 {
		return 0, false
	}
	ns := int64(n) * unit
	for _, digit := range fraction {
		if digit < '0' || digit > '9' {
			return 0, false
		}
		unit /= 10
		ns += int64(digit-'0') * unit
	}
	return ns, true
}

// parseHash parses a hash of a key: up to 16 hexadecimal digits.
func parseHash(text string) (uint64, error) {
	digits := strings.TrimPrefix(strings.TrimSpace(text), "0x")
	if len(digits)%2 == 1 {
		digits = "0" + digits
	}
	b, err := hex.DecodeString(digits)
	if err != nil || len(b) == 0 || len(b) > 2*trace.HashBytes {
		return 0, fmt.Errorf("invalid key_hash %q: want hexadecimal digits, at least 1 and at most %d, such as 9f3c0a71b2e4d856", text, 4*trace.HashBytes)
	}
	if len(b) > trace.HashBytes {
		b = b[:trace.HashBytes]
	}
	var h uint64
	for _, one := range b {
		h = h<<8 | uint64(one)
	}
	return h, nil
}

func parseCount(name, text string, most int64) (int, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > most {
		return 0, fmt.Errorf("invalid %s %q: want a whole number from 0 to %d, or nothing if it is unknown", name, text, most)
	}
	return int(n), nil
}
