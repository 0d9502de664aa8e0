package store

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

const (
	// stepsBeforeSeek is how many entries a walk steps over before it seeks: a seek costs about as much.
	stepsBeforeSeek = 6
	// patience is how many entries are read between two looks at the clock.
	patience = 512
)

// reader walks rows. It is reused to keep its buffers.
type reader struct {
	matcher
	it      *pebble.Iterator
	single  bool   // the iterator ends with the row
	prefix  []byte // of the row's keys
	rowKey  []byte // the row, in the result's memory
	plain   []byte // the row, in the reader's memory
	scratch []byte
	target  []byte
	jump    []byte // the row to continue with, if a filter gave one
	c       protocol.Cell
	looked  int
	nearby  int // stepsBeforeSeek, except in tests
	mostRow int // maximum bytes of one row in a read
	limits  bounds
}

// bounds limit a walk within a row.
type bounds struct {
	cells int // maximum per row; 0 means no limit
	bytes int // stop after this many bytes; 0 means no limit
	until time.Time
}

// outcome is how a walk through a row ended.
type outcome uint8

const (
	rowEnd  outcome = iota
	full            // the batch has its cells, and the row continues
	tooMuch         // the byte limit is reached, and the row continues
	late            // the time limit is reached, and the row continues
)

// enter makes the row at the iterator's position current.
func (r *reader) enter(table []byte) error {
	key := r.it.Key()
	n := splitKey(key)
	if n == len(key) {
		return fmt.Errorf("%w: %x", errKey, key)
	}
	r.prefix = append(r.prefix[:0], key[:n]...)
	var row []byte
	row, r.scratch = unescape(r.scratch, r.prefix[len(table):])
	r.plain = append(r.plain[:0], row...)
	r.rowKey, r.jump = nil, r.jump[:0]
	r.startRow()
	return nil
}

// walk takes the current row's cells from the iterator's position. At rowEnd it is after the row; otherwise at the next
// entry.
func (r *reader) walk(out *Result) (outcome, error) {
	taken, size := 0, 0
	for r.it.Valid() {
		key := r.it.Key()
		if !r.single && !bytes.HasPrefix(key, r.prefix) {
			return rowEnd, nil
		}
		lives, err := r.decode(key)
		if err != nil {
			return rowEnd, err
		}
		take, then := r.classify(&r.c, lives)
		if take {
			if r.read.Filter != nil {
				r.read.Filter.Transform(&r.c)
			}
			if r.rowKey == nil {
				r.rowKey = out.copy(r.plain)
			}
			out.take(r.rowKey, &r.c)
			taken++
			size += r.c.Size()
			if size > r.mostRow {
				return rowEnd, fmt.Errorf("%w: row %.200q has more than %d MiB; read fewer columns, or scan it with a batch", ErrTooLarge, r.plain, r.mostRow>>20)
			}
		}
		if r.leaves(then) && r.single {
			return rowEnd, nil
		}
		r.advance(then, key)
		if why := r.stop(taken, size); why != rowEnd {
			if !r.it.Valid() || !r.single && !bytes.HasPrefix(r.it.Key(), r.prefix) {
				return rowEnd, r.it.Error()
			}
			return why, nil
		}
	}
	return rowEnd, r.it.Error()
}

func (r *reader) stop(taken, size int) outcome {
	if r.limits.cells > 0 && taken >= r.limits.cells {
		return full
	}
	if r.limits.bytes > 0 && size >= r.limits.bytes {
		return tooMuch
	}
	if r.looked++; r.looked >= patience {
		r.looked = 0
		if !r.limits.until.IsZero() && time.Now().After(r.limits.until) {
			return late
		}
	}
	return rowEnd
}

// decode fills r.c from the entry, with the value, because a filter may use it.
func (r *reader) decode(key []byte) (lives int64, err error) {
	r.scratch, err = decodeColumn(&r.c, key[len(r.prefix):], r.scratch)
	if err != nil {
		return 0, err
	}
	stored, err := r.it.ValueAndErr()
	if err != nil {
		return 0, fmt.Errorf("read a cell: %w", err)
	}
	r.c.Row = r.plain
	r.c.Value, lives, err = decodeValue(stored)
	return lives, err
}

func decodeValue(stored []byte) (value []byte, lives int64, err error) {
	switch {
	case len(stored) >= 1 && stored[0] == headerPlain:
		return stored[1:], 0, nil
	case len(stored) >= 9 && stored[0] == headerExpiry:
		return stored[9:], int64(binary.BigEndian.Uint64(stored[1:])), nil
	default:
		return nil, 0, errKey
	}
}

// leaves reports whether a step leaves the row, and keeps a filter's target.
func (r *reader) leaves(then step) bool {
	if then != toHint || bytes.Equal(r.hint.Row, r.plain) {
		return then == nextRow
	}
	r.jump = append(r.jump[:0], r.hint.Row...)
	return true
}

// advance moves the iterator on.
func (r *reader) advance(then step, key []byte) {
	suffix := key[len(r.prefix):]
	family := bytes.IndexByte(suffix, escape) + 1
	r.target = append(r.target[:0], r.prefix...)
	switch then {
	case nextCell:
		r.it.Next()
		return
	case nextColumn:
		r.target = beyond(append(r.target, suffix[:len(suffix)-keyTail]...))
	case toColumn:
		r.target = appendEscaped(append(r.target, suffix[:family]...), r.wanted)
	case nextFamily:
		r.target = append(r.target, suffix[:family]...)
		r.target[len(r.target)-1]++
	case nextRow:
		beyond(r.target)
	case toHint:
		r.toHint(suffix)
	}
	for range r.nearby {
		if !r.it.Next() || bytes.Compare(r.it.Key(), r.target) >= 0 {
			return
		}
	}
	if r.single {
		r.it.SeekPrefixGE(r.target)
		return
	}
	r.it.SeekGE(r.target)
}

// toHint seeks to the column of the filter's hint, not closer, because the column's markers come first; nor must it
// skip a marker of another family.
func (r *reader) toHint(suffix []byte) {
	switch {
	case !bytes.Equal(r.hint.Row, r.plain):
		beyond(r.target) // the scanner continues there
	case !bytes.Equal(r.hint.Family, r.family):
		if bytes.Compare(r.hint.Family, r.family) < 0 {
			r.target = append(r.target, suffix...)
			return
		}
		r.target = appendColumn(r.target, r.hint.Family, nil)
	case bytes.Compare(r.hint.Qualifier, r.qualifier) <= 0:
		r.target = append(r.target, suffix...) // the same column, or a backward hint: step by step
	default:
		r.target = appendColumn(r.target, r.hint.Family, r.hint.Qualifier)
	}
}
