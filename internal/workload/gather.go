package workload

import (
	"slices"

	"github.com/benchd/benchd/internal/keyspace"
)

// gather draws the rows of a worker's MultiRows. The first is drawn like any requested row. The others are drawn until they differ
// from each other and are in the same place as the first, such as the region of a table: that is the request distribution, given
// the place. Their draws are a stream of their own, because their number depends on the places.
type gather struct {
	g       *Generator
	chooser chooser
	numbers []int64 // of the current rows
	op      *Op
	again   func(holds func(key []byte) bool) bool

	// place returns a function that reports whether a key is in the same place as another; nil if all rows are in one, or if
	// that is unknown.
	place func(key []byte) func(key []byte) bool
}

// newGather makes the gather of a worker of a run.
func newGather(g *Generator, draws, again keyspace.Rand, worker int) *gather {
	share := &g.s.share
	t := &gather{
		g: g, chooser: g.s.requests.chooser(g.inserts, share.rank(g.s.index, worker), share.all, draws, again),
		numbers: make([]int64, 0, g.s.cfg.MultiRowSize),
	}
	t.again = t.regather
	return t
}

// Place sets the function by which the rows of a MultiRow are drawn in one place: it returns, for the key of the first row, whether
// another key is in the same place, or nil if that is unknown. It is set before the first Next.
func (g *Generator) Place(place func(key []byte) func(key []byte) bool) {
	if g.gather != nil {
		g.gather.place = place
	}
}

// fill fills in a MultiRow.
func (t *gather) fill(op *Op) {
	g, size := t.g, t.g.s.cfg.MultiRowSize
	op.Keys = g.rows.keys[:size]
	op.Fields = g.s.fields
	if !g.s.cfg.WriteAllFields {
		op.Fields = g.oneField()
	}
	op.Gather, t.op = t.again, op
	t.numbers = append(t.numbers[:0], g.chooser.next())
	g.rows.keys[0] = g.rows.names.Append(g.rows.keys[0][:0], t.numbers[0])
	var holds func(key []byte) bool
	if t.place != nil {
		holds = t.place(op.Keys[0])
	}
	draws := 0
	for i := 1; i < size; i++ {
		t.numbers = append(t.numbers, -1)
		if !t.replace(i, holds, &draws) {
			holds, draws = nil, 0 // the target calls Gather, and reports that there are no such rows
			t.replace(i, nil, &draws)
		}
	}
	for i, key := range op.Keys {
		g.rows.fill(key, op.Fields, i*len(op.Fields))
	}
	op.Values = g.rows.cells[:size*len(op.Fields)]
}

// regather is the Gather of an Op.
func (t *gather) regather(holds func(key []byte) bool) bool {
	draws := 0
	for i := 1; i < len(t.op.Keys); i++ {
		if holds(t.op.Keys[i]) {
			continue
		}
		if !t.replace(i, holds, &draws) {
			return false
		}
		if rows := &t.g.rows; rows.integrity { // other values do not depend on the key
			rows.fill(t.op.Keys[i], t.op.Fields, i*len(t.op.Fields))
		}
	}
	return true
}

// replace draws row i. The draws of an operation are bounded by patience. The second half of them is uniform: the distribution may have
// too few rows in this place.
func (t *gather) replace(i int, holds func(key []byte) bool, draws *int) bool {
	rows := &t.g.rows
	for ; *draws < patience; *draws++ {
		var n int64
		if *draws < patience/2 {
			n = t.chooser.next()
		} else {
			n = t.chooser.old()
		}
		if slices.Contains(t.numbers, n) {
			continue
		}
		rows.keys[i] = rows.names.Append(rows.keys[i][:0], n)
		if holds == nil || holds(rows.keys[i]) {
			t.numbers[i] = n
			return true
		}
	}
	return false
}
