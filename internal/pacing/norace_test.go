//go:build !race

package pacing

// draws is about how many arrivals the statistical tests draw.
const draws = 1_000_000
