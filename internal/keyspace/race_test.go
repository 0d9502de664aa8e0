//go:build race

package keyspace

// draws is how many numbers the statistical tests draw. The race detector makes a draw ten times as slow and finds
// nothing in code that shares nothing, so that a tenth will do.
const draws = 100_000
