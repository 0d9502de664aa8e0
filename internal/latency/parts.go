package latency

import "fmt"

// Parts is a sum of histograms, some of which are also summed by part. It costs nothing beside its parts: the sum is made when it is read. The zero
// value is empty and ready for use.
//
// Parts must not be read by several goroutines at once.
type Parts struct {
	totals totals // of all samples
	rest   Batch  // what is in no part
	parts  []*Batch
	sum    Histogram
	summed bool // sum has all samples
}

// New adds a part. Only Merge may change it.
func (p *Parts) New() *Batch {
	part := new(Batch)
	p.parts = append(p.parts, part)
	return part
}

// Merge adds all samples of o, also to a part of p unless that is nil. On an error nothing is changed.
func (p *Parts) Merge(o *Histogram, part *Batch) error {
	sum, err := p.totals.plus(&o.totals)
	if err != nil {
		return fmt.Errorf("merge histogram: %w", err)
	}
	if part == nil {
		part = &p.rest
	}
	if err := part.Merge(o); err != nil {
		return err
	}
	p.totals, p.summed = sum, false
	return nil
}

// Count returns how many samples there are.
func (p *Parts) Count() uint64 { return p.totals.count }

// Histogram returns the sum. It is p's own: it may be read until p changes.
func (p *Parts) Histogram() *Histogram {
	if len(p.parts) == 0 {
		return p.rest.Histogram()
	}
	if !p.summed {
		p.sum.Reset()
		p.sum.addBuckets(p.rest.Histogram())
		for _, part := range p.parts {
			p.sum.addBuckets(part.Histogram())
		}
		p.sum.totals, p.summed = p.totals, true
	}
	return &p.sum
}
