//go:build !race

package keyspace

// draws is how many numbers the statistical tests draw.
const draws = 1_000_000
