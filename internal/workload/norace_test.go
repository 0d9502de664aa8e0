//go:build !race

package workload

// draws is how many operations the statistical tests draw.
const draws = 1_000_000
