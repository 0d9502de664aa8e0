//go:build race

package workload

// draws is how many operations the statistical tests draw: a tenth under the race detector, which makes each of them
// ten times as slow.
const draws = 100_000
