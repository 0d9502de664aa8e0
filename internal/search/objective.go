package search

import (
	"fmt"
	"strings"
)

// Figure is what a term of an objective limits.
type Figure string

// The figures of an objective. Latencies are response times of successful operations.
const (
	Mean       Figure = "mean"
	Max        Figure = "max"
	P50        Figure = "p50"
	P90        Figure = "p90"
	P95        Figure = "p95"
	P99        Figure = "p99"
	P999       Figure = "p99.9"
	P9999      Figure = "p99.99"
	Errors     Figure = "errors"     // failed operations, as a share of all
	Throughput Figure = "throughput" // operations per second
)

// Figures are all figures, in the order in which a message lists them.
func Figures() []Figure {
	return []Figure{Mean, P50, P90, P95, P99, P999, P9999, Max, Errors, Throughput}
}

// Latency reports whether the figure is a time.
func (f Figure) Latency() bool { return f != Errors && f != Throughput }

// Term is one condition of an Objective.
type Term struct {
	Figure Figure
	Op     string // in capitals, such as READ; empty: every operation that the run has, each by itself
	// AtLeast is set for a lower limit (> and >=), which only a throughput has. Inclusive is set for <= and >=.
	AtLeast, Inclusive bool
	// Limit is in microseconds for a latency, a share (0.001 for 0.1 %) for errors, and operations per second for a
	// throughput.
	Limit float64
	text  string
}

// Holds reports whether a value of the figure, in the unit of Limit, keeps the term.
func (t Term) Holds(value float64) bool {
	switch {
	case t.Inclusive && value == t.Limit:
		return true
	case t.AtLeast:
		return value > t.Limit
	}
	return value < t.Limit
}

// String is the term as a user wrote it, in one spelling: "p99(READ) < 10ms".
func (t Term) String() string { return t.text }

// Objective is what a search keeps: all of its terms. The zero Objective has none, and everything keeps it.
type Objective struct{ terms []Term }

// Terms are the conditions, in the order in which they were written.
func (o Objective) Terms() []Term { return o.terms }

// String is the objective in one spelling, which ParseObjective reads; "" for the zero Objective.
func (o Objective) String() string {
	texts := make([]string, len(o.terms))
	for i, t := range o.terms {
		texts[i] = t.text
	}
	return strings.Join(texts, " and ")
}

// MarshalText is String.
func (o Objective) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (o *Objective) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*o = Objective{}
		return nil
	}
	read, err := ParseObjective(string(text))
	if err != nil {
		return fmt.Errorf("read objective: %w", err)
	}
	*o = read
	return nil
}
