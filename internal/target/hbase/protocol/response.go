package protocol

import "cmp"

// Processed reads from a MutateResponse whether the mutation was carried out.
func Processed(response []byte) (bool, error) {
	yes := true
	err := fields(response, func(num int, v uint64, _ []byte) error {
		if num == 2 {
			yes = v != 0
		}
		return nil
	})
	return yes, err
}

// Page is the answer to one fetch of a scan.
type Page struct {
	Rows         int
	Last         []byte // the last row that is complete, within the answer
	Part         []byte // the row within which a limit of the server ended the page; its cells are not counted
	Cursor       []byte // the row that the server had reached when a limit ended the page
	MoreInRegion bool   // this region may have more rows
	Over         bool   // a filter has ended the whole scan

	parted bool   // the newest row is incomplete
	older  []byte // the row before the newest
	before Tally  // without the newest row
}

// Scan reads a ScanResponse.
func (t *Tally) Scan(response, block []byte) (Page, error) {
	var p Page
	err := fields(response, func(num int, v uint64, b []byte) error {
		switch {
		case num == 1 && b == nil:
			return t.scannedRow(&p, v, &block)
		case num == 1:
			return packed(b, func(v uint64) error { return t.scannedRow(&p, v, &block) })
		case num == 3:
			p.Over = v == 0
		case num == 5:
			p.older, p.before = p.Last, *t
			last, rest, err := t.Result(b, block, nil)
			if err != nil || last == nil {
				return cmp.Or(err, ErrMalformed)
			}
			p.Last, block = last, rest
			p.Rows++
			return fields(b, func(num int, v uint64, _ []byte) error {
				if num == 5 {
					return p.flag(v)
				}
				return nil
			})
		case num == 6:
			t.Stale = t.Stale || v != 0
		case num == 7 && b == nil:
			return p.flag(v)
		case num == 7:
			return packed(b, p.flag)
		case num == 8:
			p.MoreInRegion = v != 0
		case num == 12:
			return fields(b, func(num int, _ uint64, b []byte) error {
				if num == 1 {
					p.Cursor = b
				}
				return nil
			})
		}
		return nil
	})
	if p.parted && p.Rows > 0 {
		p.before.Stale = t.Stale
		*t = p.before
		p.Part, p.Last = p.Last, p.older
		p.Rows--
	}
	return p, err
}

// flag records whether the next result is incomplete: only the last one can be.
func (p *Page) flag(v uint64) error {
	if p.parted {
		return ErrMalformed
	}
	p.parted = v != 0
	return nil
}

func (t *Tally) scannedRow(p *Page, n uint64, block *[]byte) error {
	if n == 0 || n > uint64(len(*block)) {
		return ErrMalformed
	}
	p.older, p.before = p.Last, *t
	var err error
	p.Last, *block, err = t.row(*block, int(n), nil)
	p.Rows++
	return err
}

// MultiResult is the result of one action of a Multi: the Result message, which may be nil, or an error.
type MultiResult struct {
	Result []byte
	Err    error
}

// maxIndex is the largest index of an action.
const maxIndex = 256 << 20

// Multi reads a MultiResponse: a list of results for each region, in the order of the request's regions, with the index of the
// action within its region. It calls take for each result, and with index -1 for an error of a whole region.
func Multi(response []byte, take func(region, index int, r MultiResult) error) error {
	region := -1
	return fields(response, func(num int, _ uint64, b []byte) error {
		if num != 1 {
			return nil
		}
		region++
		return fields(b, func(num int, _ uint64, b []byte) error {
			switch num {
			case 1:
				index, r, err := parseMultiResult(b)
				if err != nil {
					return err
				}
				return take(region, index, r)
			case 2:
				e, err := parsePair(b)
				if err != nil {
					return err
				}
				return take(region, -1, MultiResult{Err: e})
			}
			return nil
		})
	})
}

func parseMultiResult(b []byte) (index int, r MultiResult, err error) {
	err = fields(b, func(num int, v uint64, b []byte) (err error) {
		switch num {
		case 1:
			if v > maxIndex {
				return ErrMalformed
			}
			index = int(v)
		case 2:
			r.Result = b
		case 3:
			e, err := parsePair(b)
			r.Err = e
			return err
		}
		return err
	})
	return index, r, err
}
