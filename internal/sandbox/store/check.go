package store

import (
	"fmt"

	"github.com/benchd/benchd/internal/sandbox/filter"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

// Check is a condition on a row: a comparison of one column's latest value or, if Filter is set, that the filter passes
// some cell.
type Check struct {
	Row               []byte
	Family, Qualifier []byte
	Compare           filter.Op
	Comparator        filter.Comparator
	Times             protocol.TimeRange
	Filter            filter.Filter
}

// CheckAndMutate applies all mutations, atomically, if the condition holds. They must be of the condition's row. out,
// if not nil, gets the results of an Increment or Append.
func (r *Region) CheckAndMutate(c *Check, ms []*Mutation, out *Result) (matched bool, err error) {
	if err := r.serves(c.Row); err != nil {
		return false, err
	}
	for _, m := range ms {
		if string(m.Row) != string(c.Row) {
			return false, fmt.Errorf("%w: a condition on row %q with a mutation of row %q", ErrBadRequest, c.Row, m.Row)
		}
	}
	if len(ms) == 0 {
		return false, fmt.Errorf("%w: a condition on row %q without a mutation", ErrBadRequest, c.Row)
	}
	err = r.atomically(ms, func(w *writer) (bool, error) {
		matched, err = c.holds(w)
		return matched, err
	}, out)
	return matched && err == nil, err
}

func (c *Check) holds(w *writer) (bool, error) {
	get := Get{Row: c.Row, Read: Read{Times: c.Times, Filter: c.Filter}}
	if c.Filter == nil || len(c.Family) > 0 {
		get.Columns = []Columns{{Family: string(c.Family), Qualifiers: [][]byte{c.Qualifier}}}
	}
	var found Result
	if err := w.read(&get, &found); err != nil {
		return false, err
	}
	if c.Filter != nil {
		return len(found.Cells) > 0, nil
	}
	return c.matches(found.Cells), nil
}

// matches follows HBase's rules: an empty expected value means "no value", and a missing value equals nothing else.
func (c *Check) matches(found []protocol.Cell) bool {
	expectsNone := c.Comparator == nil || len(c.Comparator.Value()) == 0
	switch {
	case expectsNone && len(found) == 0:
		return c.Compare != filter.NotEqual
	case expectsNone:
		return (len(found[0].Value) == 0) == (c.Compare != filter.NotEqual)
	case len(found) == 0:
		return false
	default:
		return c.Compare.Holds(c.Comparator.Compare(found[0].Value))
	}
}
