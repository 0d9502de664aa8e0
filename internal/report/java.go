package report

import (
	"math"
	"strconv"
	"strings"
)

// javaDouble formats x as Java's Double.toString does: always with a point, in scientific notation outside of 10⁻³ to
// 10⁷.
func javaDouble(x float64) string {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 1):
		return "Infinity"
	case math.IsInf(x, -1):
		return "-Infinity"
	}
	if a := math.Abs(x); x == 0 || a >= 1e-3 && a < 1e7 {
		return pointed(strconv.FormatFloat(x, 'f', -1, 64))
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', -1, 64), "e")
	sign := strings.TrimPrefix(exponent[:1], "+")
	return pointed(mantissa) + "E" + sign + strings.TrimLeft(exponent[1:], "0")
}

func pointed(digits string) string {
	if strings.Contains(digits, ".") {
		return digits
	}
	return digits + ".0"
}

// javaDecimal formats x as Java's DecimalFormat "#.##" does: at most two decimals, and no trailing zeros.
func javaDecimal(x float64) string {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 1):
		return "∞"
	case math.IsInf(x, -1):
		return "-∞"
	}
	text := strconv.FormatFloat(x, 'f', 2, 64)
	return strings.TrimRight(strings.TrimRight(text, "0"), ".")
}

// ordinal formats a percentile as in the names of YCSB's figures: 1st, 50th, 99.9.
func ordinal(p float64) string {
	if p != math.Trunc(p) {
		return javaDouble(p)
	}
	n := int64(p)
	suffix := "th"
	if teen := n % 100; teen < 11 || teen > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.FormatInt(n, 10) + suffix
}
