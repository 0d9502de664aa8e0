package stats_test

import (
	"fmt"

	"github.com/benchd/benchd/internal/stats"
)

// Three repeats of a case have a mean with its confidence interval.
func ExampleRepeats() {
	s := stats.Repeats([]float64{9800, 10_000, 10_200})
	fmt.Printf("%.0f ± %.0f, 95 %% from %.0f to %.0f\n", *s.Mean, *s.StdDev, *s.Low, *s.High)
	// Output: 10000 ± 200, 95 % from 9503 to 10497
}

// Percentiles are not averaged: they have a median.
func ExamplePercentiles() {
	s := stats.Percentiles([]float64{2.1, 9.5, 2.3})
	fmt.Println(s.Mean == nil, *s.Median, s.Min, s.Max)
	// Output: true 2.3 2.1 9.5
}
