package figure

import "strings"

// Unit is one in which times are written.
type Unit struct {
	Suffix, Name string
	Second       float64 // as many of them are a second; 0 where there is no unit of time
}

// Units are those that the names of columns end with.
func Units() []Unit {
	return []Unit{{"_us", "µs", 1e6}, {"_ms", "ms", 1e3}, {"_s", "s", 1}}
}

// Split parts the unit of time from a name, if it has one.
func Split(name string) (base string, unit Unit) {
	for _, u := range Units() {
		if b, ok := strings.CutSuffix(name, u.Suffix); ok {
			return b, u
		}
	}
	return name, Unit{}
}

// UnitOf is the unit of a figure by its name; empty where it only counts.
func UnitOf(name string) string {
	if _, u := Split(name); u.Second > 0 {
		return u.Name
	}
	switch {
	case strings.HasSuffix(name, "_ops") && name != "failed_ops" && name != "not_found_ops", strings.HasPrefix(name, "qps_"):
		return "ops/s"
	}
	return ""
}
