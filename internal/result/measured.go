package result

import "github.com/benchd/benchd/internal/latency"

// Measured is the sum of what all agents have measured in a phase so far.
type Measured struct {
	Phase       string
	Rows, Bytes uint64
	Series      []latency.Series  // in the order of a result
	Retries     map[string]uint64 // by cause
}

// Measured returns the merged windows, phase by phase. The histograms are the Builder's own: the caller must not change
// them, nor read them once another window is added.
func (b *Builder) Measured() []Measured {
	var out []Measured
	for _, p := range b.order {
		if !p.begun() {
			continue
		}
		out = append(out, Measured{Phase: p.info.Name, Rows: p.rows, Bytes: p.bytes, Series: p.totals.series(), Retries: p.retries})
	}
	return out
}
