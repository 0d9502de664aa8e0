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

// Share is the weight of one kind of operation.
type Share struct {
	Kind     Kind
	Property string // with the value
	Value    float64
}

// Shares lists the proportions in YCSB's order, which affects only the sequence of a seed.
func (p *Proportions) Shares() []Share {
	return []Share{
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
		{MultiRow, "multirowproportion", p.MultiRow},
	}
}

// Sum returns the sum of all proportions.
func (p *Proportions) Sum() float64 {
	var sum float64
	for _, s := range p.Shares() {
		sum += s.Value
	}
	return sum
}

func newMix(p *Proportions) mix {
	sum := p.Sum()
	var m mix
	var upto float64
	for _, s := range p.Shares() {
		if s.Value <= 0 {
			continue
		}
		upto += s.Value
		m.kinds = append(m.kinds, s.Kind)
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
