package figure

import (
	"strings"

	"github.com/benchd/benchd/internal/workload"
)

// Unit is a unit of time.
type Unit struct {
	Suffix, Name string
	Second       float64 // how many of them are a second; 0 if it is not a unit of time
}

func microseconds() Unit { return Unit{"_us", "µs", 1e6} }
func milliseconds() Unit { return Unit{"_ms", "ms", 1e3} }
func seconds() Unit      { return Unit{"_s", "s", 1} }

// Units are the units of time that names of columns end with.
func Units() []Unit { return []Unit{microseconds(), milliseconds(), seconds()} }

// Split separates the unit of time from a name, if it has one.
func Split(name string) (base string, unit Unit) {
	for _, u := range Units() {
		if b, ok := strings.CutSuffix(name, u.Suffix); ok {
			return b, u
		}
	}
	return name, Unit{}
}

// UnitOf is the unit of a figure by its name; empty for counts.
func (v Vocabulary) UnitOf(name string) string {
	if _, u := Split(name); u != (Unit{}) {
		return u.Name
	}
	if group, own := workload.SplitGroup(name); group != "" {
		name = own
	}
	if f, ok := find(v.OfRuns(), name); ok {
		return f.Unit
	}
	if strings.HasSuffix(name, "_ops") || strings.HasPrefix(name, "qps_") { // published figures
		return perSecond
	}
	return ""
}
