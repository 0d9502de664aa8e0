//go:build !race

package workload

// draws is the number of operations in the statistical tests.
const draws = 1_000_000
