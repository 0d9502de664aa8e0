package search

import (
	"math"
	"strconv"
)

// ValueText is a value as texts have it, with thousands separators: 12,400.
func ValueText(v float64) string {
	text := strconv.FormatFloat(v, 'f', -1, 64)
	whole := strconv.FormatFloat(math.Trunc(v), 'f', -1, 64)
	out := text[len(whole):]
	for len(whole) > 3 {
		out = "," + whole[len(whole)-3:] + out
		whole = whole[:len(whole)-3]
	}
	return whole + out
}
