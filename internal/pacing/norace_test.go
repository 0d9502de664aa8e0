//go:build !race

package pacing

// draws is the approximate number of arrivals in the statistical tests.
const draws = 1_000_000
