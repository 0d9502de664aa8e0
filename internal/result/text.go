package result

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Thousands formats a number with thousands separators, as all texts of results do: 1,234,567.
func Thousands(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}

func countsText(issued, recorded, merged uint64) string {
	return fmt.Sprintf("%s issued, %s recorded, %s merged", Thousands(issued), Thousands(recorded), Thousands(merged))
}

// RateText formats operations per second, with decimals only for small rates.
func RateText(x float64) string {
	if x < 100 {
		return trimmed(x, 3)
	}
	return Thousands(uint64(math.Round(x)))
}

// percentText is a share in percent with about two significant digits: "0.1 %", "43 %", "100 %". Only 1 is "100 %", and
// only 0 is "0 %".
func percentText(share float64) string {
	p := 100 * share
	switch {
	case p > 0 && p < 0.01:
		return "less than 0.01 %"
	case p > 99 && p < 100:
		p = 99
	case p >= 10:
		p = math.Round(p)
	}
	return trimmed(p, 2) + " %"
}

// lengthText is a latency in the unit that suits it, with two or three significant digits: "1.02 ms".
func lengthText(d time.Duration) string {
	unit, name := time.Second, " s"
	switch {
	case d < time.Microsecond:
		unit, name = time.Nanosecond, " ns"
	case d < time.Millisecond:
		unit, name = time.Microsecond, " µs"
	case d < time.Second:
		unit, name = time.Millisecond, " ms"
	}
	return trimmed(float64(d)/float64(unit), 3) + name
}

// trimmed formats x ≥ 0 with digits significant digits, as far as they are decimals, and without trailing zeros.
func trimmed(x float64, digits int) string {
	before := len(strconv.FormatInt(int64(x), 10))
	if x < 1 {
		before = 0
	}
	text := strconv.FormatFloat(x, 'f', max(digits-before, 0), 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// MicroText is a latency in microseconds in the unit that suits it.
func MicroText(us float64) string { return lengthText(time.Duration(us * float64(time.Microsecond))) }
