package result

import "github.com/benchd/benchd/internal/figure"

// sameRows is the largest ratio between the rows of an operation in cases that are compared by operations.
const sameRows = 1.01

// ThroughputOf returns the name and the unit of the throughput by which cases are compared: operations, or rows where the operations of
// some insert larger batches than those of others.
func ThroughputOf(cases ...Case) (name, unit string) {
	least, most := 0.0, 0.0
	for _, c := range cases {
		ops, rows := c.mean(figure.Throughput), c.mean(figure.RowThroughput)
		if ops <= 0 {
			continue // it has no complete run
		}
		if rows <= 0 {
			return figure.Throughput, figure.Vocabulary{}.UnitOf(figure.Throughput)
		}
		if each := rows / ops; least == 0 {
			least, most = each, each
		} else {
			least, most = min(least, each), max(most, each)
		}
	}
	name = figure.Throughput
	if most > least*sameRows {
		name = figure.RowThroughput
	}
	return name, figure.Vocabulary{}.UnitOf(name)
}

// mean is the mean of a figure; 0 if there is none.
func (c Case) mean(name string) float64 {
	for _, f := range c.Figures {
		if f.Name == name && f.Mean != nil {
			return *f.Mean
		}
	}
	return 0
}
