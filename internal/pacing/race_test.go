//go:build race

package pacing

// draws is about how many arrivals the statistical tests draw: fewer under the race detector, which is slow.
const draws = 100_000
