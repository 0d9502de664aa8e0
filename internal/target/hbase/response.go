package hbase

import (
	"cmp"
	"errors"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/benchd/benchd/internal/target/hbase/rpc"
)

var errAnswer = errors.New("the answer cannot be understood")

// fields calls take for each field of a message: with v for a number, with b for bytes.
func fields(message []byte, take func(num int, v uint64, b []byte) error) error {
	for len(message) > 0 {
		num, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return errAnswer
		}
		message = message[n:]
		var v uint64
		var b []byte
		switch kind {
		case protowire.VarintType:
			v, n = protowire.ConsumeVarint(message)
		case protowire.BytesType:
			b, n = protowire.ConsumeBytes(message)
			if b == nil {
				b = []byte{}
			}
		case protowire.Fixed32Type, protowire.Fixed64Type, protowire.StartGroupType, protowire.EndGroupType:
			n = protowire.ConsumeFieldValue(num, kind, message)
		default:
			return errAnswer
		}
		if n < 0 {
			return errAnswer
		}
		message = message[n:]
		if err := take(int(num), v, b); err != nil {
			return err
		}
	}
	return nil
}

// processed reads whether the mutation of a MutateResponse was carried out.
func processed(response []byte) (bool, error) {
	yes := true
	err := fields(response, func(num int, v uint64, _ []byte) error {
		if num == 2 {
			yes = v != 0
		}
		return nil
	})
	return yes, err
}

// tally counts what was read.
type tally struct {
	rows  int
	bytes int64
}

// row takes in n cells of one row that stand beside the message, and returns what is behind them.
func (t *tally) row(cells []byte, n int, collect func(field, value []byte)) (row, rest []byte, err error) {
	var c cell
	for i := range n {
		if cells, err = nextCell(cells, &c); err != nil {
			return nil, nil, err
		}
		t.cell(i == 0, &c, collect)
	}
	return c.row, cells, nil
}

// cell takes in a cell; the first one of a row stands for the row.
func (t *tally) cell(first bool, c *cell, collect func(field, value []byte)) {
	if first {
		t.rows++
		t.bytes += int64(len(c.row))
	}
	t.bytes += int64(len(c.value))
	if collect != nil {
		collect(c.qualifier, c.value)
	}
}

// result reads a Result message, whose cells are within it or stand beside it, as the server pleases. It returns the
// row, and what is behind its cells.
func (t *tally) result(message, cells []byte, collect func(field, value []byte)) (row, rest []byte, err error) {
	beside, first := uint64(0), true
	for len(message) > 0 {
		num, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return nil, nil, errAnswer
		}
		message = message[n:]
		switch {
		case num == 1 && kind == protowire.BytesType:
			b, n := protowire.ConsumeBytes(message)
			var c cell
			if n < 0 || !within(b, &c) {
				return nil, nil, errAnswer
			}
			message = message[n:]
			t.cell(first, &c, collect)
			row, first = c.row, false
		case num == 2 && kind == protowire.VarintType:
			if beside, n = protowire.ConsumeVarint(message); n < 0 || beside > uint64(len(cells)) {
				return nil, nil, errAnswer
			}
			message = message[n:]
		default:
			if n = protowire.ConsumeFieldValue(num, kind, message); n < 0 {
				return nil, nil, errAnswer
			}
			message = message[n:]
		}
	}
	if beside == 0 {
		return row, cells, nil
	}
	if !first {
		return nil, nil, errAnswer // some of them within, and some beside
	}
	return t.row(cells, int(beside), collect)
}

// within reads a Cell message.
func within(b []byte, c *cell) bool {
	for len(b) > 0 {
		num, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return false
		}
		b = b[n:]
		if kind != protowire.BytesType {
			if n = protowire.ConsumeFieldValue(num, kind, b); n < 0 {
				return false
			}
			b = b[n:]
			continue
		}
		v, n := protowire.ConsumeBytes(b)
		if n < 0 {
			return false
		}
		b = b[n:]
		switch int(num) {
		case 1:
			c.row = v
		case 2:
			c.family = v
		case 3:
			c.qualifier = v
		case 6:
			c.value = v
		}
	}
	return true
}

// got reads a GetResponse.
func (t *tally) got(response, cells []byte, collect func(field, value []byte)) error {
	for len(response) > 0 {
		num, kind, n := protowire.ConsumeTag(response)
		if n < 0 {
			return errAnswer
		}
		response = response[n:]
		if num == 1 && kind == protowire.BytesType {
			result, n := protowire.ConsumeBytes(response)
			if n < 0 {
				return errAnswer
			}
			var err error
			if _, cells, err = t.result(result, cells, collect); err != nil {
				return err
			}
			response = response[n:]
			continue
		}
		if n = protowire.ConsumeFieldValue(num, kind, response); n < 0 {
			return errAnswer
		}
		response = response[n:]
	}
	return nil
}

// page is what one fetch of a scan has brought.
type page struct {
	rows         int
	last         []byte // the last row that is complete, within the answer
	part         []byte // the row that a limit of the server ended the page in; what came of it is not counted
	cursor       []byte // the row that the server had come to when a limit ended the page
	moreInRegion bool   // there may be more rows behind the last one in this region
	over         bool   // a filter says that there is nothing more anywhere

	parted bool   // the newest row is incomplete
	older  []byte // the row before it
	before tally  // without it
}

// scannedPage reads a ScanResponse.
func (t *tally) scannedPage(response, cells []byte) (page, error) {
	var p page
	err := fields(response, func(num int, v uint64, b []byte) error {
		switch {
		case num == 1 && b == nil:
			return t.scannedRow(&p, v, &cells)
		case num == 1:
			return packed(b, func(v uint64) error { return t.scannedRow(&p, v, &cells) })
		case num == 3:
			p.over = v == 0
		case num == 5:
			p.older, p.before = p.last, *t
			last, rest, err := t.result(b, cells, nil)
			if err != nil || last == nil {
				return cmp.Or(err, errAnswer)
			}
			p.last, cells = last, rest
			p.rows++
			return fields(b, func(num int, v uint64, _ []byte) error {
				if num == 5 {
					return p.flag(v)
				}
				return nil
			})
		case num == 7 && b == nil:
			return p.flag(v)
		case num == 7:
			return packed(b, p.flag)
		case num == 8:
			p.moreInRegion = v != 0
		case num == 12:
			return fields(b, func(num int, _ uint64, b []byte) error {
				if num == 1 {
					p.cursor = b
				}
				return nil
			})
		}
		return nil
	})
	if p.parted && p.rows > 0 {
		*t = p.before
		p.part, p.last = p.last, p.older
		p.rows--
	}
	return p, err
}

// packed calls take for each number of a packed field.
func packed(b []byte, take func(v uint64) error) error {
	for len(b) > 0 {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return errAnswer
		}
		b = b[n:]
		if err := take(v); err != nil {
			return err
		}
	}
	return nil
}

// flag takes in whether the next result is incomplete: only the last one can be.
func (p *page) flag(v uint64) error {
	if p.parted {
		return errAnswer
	}
	p.parted = v != 0
	return nil
}

func (t *tally) scannedRow(p *page, n uint64, cells *[]byte) error {
	if n == 0 || n > uint64(len(*cells)) {
		return errAnswer
	}
	p.older, p.before = p.last, *t
	var err error
	p.last, *cells, err = t.row(*cells, int(n), nil)
	p.rows++
	return err
}

// multiResult is how one action of a Multi ended.
type multiResult struct {
	result []byte // the message, or nil
	err    error
}

// multiAnswer reads a MultiResponse: a list of results for each region, in the order in which the regions were
// asked, and with an index for each action of a region. Take is called for each, or with index -1 for what holds for
// the whole region.
func multiAnswer(response []byte, take func(region, index int, r multiResult) error) error {
	region := -1
	return fields(response, func(num int, _ uint64, b []byte) error {
		if num != 1 {
			return nil
		}
		region++
		return fields(b, func(num int, _ uint64, b []byte) error {
			switch num {
			case 1:
				index, r, err := multiOne(b)
				if err != nil {
					return err
				}
				return take(region, index, r)
			case 2:
				e, err := exception(b)
				if err != nil {
					return err
				}
				return take(region, -1, multiResult{err: e})
			}
			return nil
		})
	})
}

func multiOne(b []byte) (index int, r multiResult, err error) {
	err = fields(b, func(num int, v uint64, b []byte) (err error) {
		switch num {
		case 1:
			if v > longestCellBytes {
				return errAnswer
			}
			index = int(v)
		case 2:
			r.result = b
		case 3:
			e, err := exception(b)
			r.err = e
			return err
		}
		return err
	})
	return index, r, err
}

// exception reads the NameBytesPair that tells of an exception.
func exception(b []byte) (*rpc.Exception, error) {
	var class string
	var printed []byte
	err := fields(b, func(num int, _ uint64, b []byte) error {
		switch num {
		case 1:
			class = string(b)
		case 2:
			printed = b
		}
		return nil
	})
	e := rpc.NewException(class, string(printed))
	e.DoNotRetry = rpc.Final(class) // the message has no field for it
	return e, err
}
