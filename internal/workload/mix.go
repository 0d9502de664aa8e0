package workload

import (
	"slices"

	"github.com/benchd/benchd/internal/keyspace"
)

// mix draws the kind of the next operation by its proportion.
type mix struct {
	kinds []Kind
	upto  []float64 // upper end of each kind's part of [0, 1)
}

// weights are the proportions in YCSB's order, which decides about nothing but the sequence of a seed.
func (p *Proportions) weights() []weight {
	return []weight{
		{Read, "readproportion", p.Read},
		{Update, "updateproportion", p.Update},
		{Insert, "insertproportion", p.Insert},
		{Scan, "scanproportion", p.Scan},
		{ReadModifyWrite, "readmodifywriteproportion", p.ReadModifyWrite},
		{Delete, "deleteproportion", p.Delete},
		{Increment, "incrementproportion", p.Increment},
		{Append, "appendproportion", p.Append},
		{MultiGet, "multigetproportion", p.MultiGet},
		{CheckAndPut, "checkandputproportion", p.CheckAndPut},
	}
}

type weight struct {
	kind     Kind
	property string
	value    float64
}

func newMix(p *Proportions) mix {
	var sum float64
	for _, w := range p.weights() {
		sum += w.value
	}
	var m mix
	var upto float64
	for _, w := range p.weights() {
		if w.value <= 0 {
			continue
		}
		upto += w.value
		m.kinds = append(m.kinds, w.kind)
		m.upto = append(m.upto, upto/sum)
	}
	return m
}

func (m *mix) draw(r *keyspace.Rand) Kind {
	last := len(m.kinds) - 1
	if last == 0 {
		return m.kinds[0]
	}
	u := r.Float64()
	for i, upto := range m.upto[:last] {
		if u < upto {
			return m.kinds[i]
		}
	}
	return m.kinds[last]
}

// has reports whether any of kinds can be drawn.
func (m *mix) has(kinds ...Kind) bool {
	return slices.ContainsFunc(kinds, func(k Kind) bool { return slices.Contains(m.kinds, k) })
}
