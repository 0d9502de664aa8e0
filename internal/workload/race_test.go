//go:build race

package workload

// draws is the number of operations in the statistical tests: a tenth under the race detector, which makes each of them
// ten times as slow.
const draws = 100_000
