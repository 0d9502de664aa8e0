package svg

import (
	"math"
	"strconv"
	"strings"
)

// measure is a unit in which values are shown: value / by name.
type measure struct {
	by   float64
	name string
}

// measures are the units in which values of a unit can be shown, the smallest first. Each is used from its value `from` on.
type step struct {
	measure
	from float64
}

// family are the units that a unit can become, and whether they differ by more than a prefix for thousands.
func family(unit string) (steps []step, times bool) {
	names := []string{"ns", "µs", "ms", "s"}
	if unit == "us" {
		unit = "µs"
	}
	for i, name := range names[:3] {
		if unit == name {
			by := 1.0
			for _, larger := range names[i:] {
				steps = append(steps, step{measure{by, larger}, by})
				by *= 1000
			}
			return steps, true
		}
	}
	switch {
	case unit == "B" || unit == "B/s" || unit == "bytes" || unit == "bytes/s":
		_, per, _ := strings.Cut(unit, "/")
		if per != "" {
			per = "/" + per
		}
		by := 1.0
		for _, name := range []string{"B", "kB", "MB", "GB", "TB", "PB"} {
			steps = append(steps, step{measure{by, name + per}, by})
			by *= 1000
		}
		return steps, true
	case unit == "%" || unit == "s":
		return []step{{measure{1, unit}, 0}}, false
	case strings.HasSuffix(unit, "/s") || unit == "ops" || unit == "rows" || unit == "operations":
		return []step{{measure{1, unit}, 0}, {measure{1e3, "k " + unit}, 1e4}, {measure{1e6, "M " + unit}, 1e7}, {measure{1e9, "G " + unit}, 1e10}}, false
	}
	space := " "
	if unit == "" {
		space = ""
	}
	return []step{{measure{1, unit}, 0}, {measure{1e6, "M" + space + unit}, 1e7}, {measure{1e9, "G" + space + unit}, 1e10}}, false
}

// measureOf is the unit for values up to greatest.
func measureOf(unit string, greatest float64) measure {
	steps, _ := family(unit)
	return largest(steps, greatest)
}

func largest(steps []step, greatest float64) measure {
	m := steps[0].measure
	for _, s := range steps[1:] {
		if greatest >= s.from {
			m = s.measure
		}
	}
	return m
}

// elapsed is the unit of an axis over time of a length in seconds.
func elapsed(seconds float64) measure {
	return largest([]step{{measure{1, "s"}, 0}, {measure{60, "min"}, 300}, {measure{3600, "h"}, 4 * 3600}, {measure{86400, "d"}, 4 * 86400}}, seconds)
}

// figure is a value with its unit and three digits: 83.5 k ops/s, 1.23 ms.
func figure(value float64, unit string) string {
	m := measureOf(unit, math.Abs(value))
	return strings.TrimRight(digits(value/m.by)+" "+m.name, " ")
}

// digits formats a number with three digits, and all digits of larger numbers.
func digits(v float64) string {
	switch a := math.Abs(v); {
	case a == 0:
		return "0"
	case a >= 99.95:
		return grouped(v, 0)
	case a >= 9.995:
		return trimmed(grouped(v, 1))
	case a >= 0.0995:
		return trimmed(grouped(v, 2))
	}
	return strconv.FormatFloat(v, 'g', 2, 64)
}

func trimmed(s string) string {
	if strings.Contains(s, ".") {
		return strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// grouped formats a number with separators of thousands.
func grouped(v float64, decimals int) string {
	if math.Abs(v) >= 1e15 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	whole, fraction, _ := strings.Cut(s, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "−", whole[1:]
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if strings.Trim(whole+fraction, "0,") == "" {
		sign = ""
	}
	if fraction != "" {
		whole += "." + fraction
	}
	return sign + whole
}

// power formats a tick of a logarithmic axis: 0.1, 10, 1,000, 10k, 1M.
func power(v float64) string {
	for _, s := range []struct {
		by   float64
		name string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if v >= 0.9999*s.by && (s.by > 1e3 || v >= 9999) {
			return trimmed(strconv.FormatFloat(v/s.by, 'g', 3, 64)) + s.name
		}
	}
	if v >= 0.9999 {
		return grouped(v, 0)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}
