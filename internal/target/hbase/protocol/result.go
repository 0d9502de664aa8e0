package protocol

import (
	"errors"

	"google.golang.org/protobuf/encoding/protowire"
)

// ErrMalformed is the error of an answer that does not follow HBase's protocol.
var ErrMalformed = errors.New("malformed answer")

// Tally reads results and counts their rows and the bytes of their keys and values. Methods with a collect parameter call it with
// the column and the value of each cell, unless it is nil.
type Tally struct {
	Rows  int
	Bytes int64
	Stale bool // a replica of a region has answered, or one of several
}

// row reads n cells of one row from the block, and returns the rest of the block.
func (t *Tally) row(block []byte, n int, collect func(qualifier, value []byte)) (row, rest []byte, err error) {
	var c Cell
	for i := range n {
		if block, err = NextCell(block, &c); err != nil {
			return nil, nil, err
		}
		t.cell(i == 0, &c, collect)
	}
	return c.Row, block, nil
}

// cell counts a cell; the first one of a row counts the row.
func (t *Tally) cell(first bool, c *Cell, collect func(qualifier, value []byte)) {
	if first {
		t.Rows++
		t.Bytes += int64(len(c.Row))
	}
	t.Bytes += int64(len(c.Value))
	if collect != nil {
		collect(c.Qualifier, c.Value)
	}
}

// Result reads a Result message. Its cells are in the message or at the start of the block, as the server chooses. It returns
// the row and the rest of the block.
func (t *Tally) Result(message, block []byte, collect func(qualifier, value []byte)) (row, rest []byte, err error) {
	beside, first := uint64(0), true
	for len(message) > 0 {
		num, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return nil, nil, ErrMalformed
		}
		message = message[n:]
		switch {
		case num == 1 && kind == protowire.BytesType:
			b, n := protowire.ConsumeBytes(message)
			var c Cell
			if n < 0 || !parseCell(b, &c) {
				return nil, nil, ErrMalformed
			}
			message = message[n:]
			t.cell(first, &c, collect)
			row, first = c.Row, false
		case num == 2 && kind == protowire.VarintType:
			if beside, n = protowire.ConsumeVarint(message); n < 0 || beside > uint64(len(block)) {
				return nil, nil, ErrMalformed
			}
			message = message[n:]
		case num == 4 && kind == protowire.VarintType:
			var stale uint64
			if stale, n = protowire.ConsumeVarint(message); n < 0 {
				return nil, nil, ErrMalformed
			}
			t.Stale = t.Stale || stale != 0
			message = message[n:]
		default:
			if n = protowire.ConsumeFieldValue(num, kind, message); n < 0 {
				return nil, nil, ErrMalformed
			}
			message = message[n:]
		}
	}
	if beside == 0 {
		return row, block, nil
	}
	if !first {
		return nil, nil, ErrMalformed // cells in both places
	}
	return t.row(block, int(beside), collect)
}

// parseCell reads a Cell message.
func parseCell(b []byte, c *Cell) (ok bool) {
	for len(b) > 0 {
		num, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return false
		}
		b = b[n:]
		switch kind {
		case protowire.BytesType:
			v, n := protowire.ConsumeBytes(b)
			if n < 0 {
				return false
			}
			b = b[n:]
			switch int(num) {
			case 1:
				c.Row = v
			case 2:
				c.Family = v
			case 3:
				c.Qualifier = v
			case 6:
				c.Value = v
			}
		case protowire.VarintType:
			v, n := protowire.ConsumeVarint(b)
			if n < 0 {
				return false
			}
			b = b[n:]
			switch int(num) {
			case 4:
				c.Timestamp = int64(v)
			case 5:
				c.Type = CellType(v)
			}
		default:
			if n = protowire.ConsumeFieldValue(num, kind, b); n < 0 {
				return false
			}
			b = b[n:]
		}
	}
	return true
}

// Get reads a GetResponse.
func (t *Tally) Get(response, block []byte, collect func(qualifier, value []byte)) error {
	for len(response) > 0 {
		num, kind, n := protowire.ConsumeTag(response)
		if n < 0 {
			return ErrMalformed
		}
		response = response[n:]
		if num == 1 && kind == protowire.BytesType {
			result, n := protowire.ConsumeBytes(response)
			if n < 0 {
				return ErrMalformed
			}
			var err error
			if _, block, err = t.Result(result, block, collect); err != nil {
				return err
			}
			response = response[n:]
			continue
		}
		if n = protowire.ConsumeFieldValue(num, kind, response); n < 0 {
			return ErrMalformed
		}
		response = response[n:]
	}
	return nil
}
