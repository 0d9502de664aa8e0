//go:build race

package pacing

// draws is the approximate number of arrivals in the statistical tests: fewer under the race detector, which is slow.
const draws = 100_000
