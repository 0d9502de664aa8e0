package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/result"
)

// NotHeldError reports that a format cannot be made of a foreign result.
type NotHeldError struct{ Run, Format, What string }

// Error names what the result does not have.
func (e *NotHeldError) Error() string {
	return fmt.Sprintf("run %s is foreign: format %s needs %s, and the archive does not have them; they may be in the files that it was imported from", e.Run, e.Format, e.What)
}

// someFiles is how many files of a foreign result are named.
const someFiles = 6

// foreignSuite is foreignText of the runs of a suite.
func foreignSuite(runs []result.Run) string {
	var all result.Run
	for _, run := range runs {
		f := run.Provenance.Foreign
		if f == nil {
			continue
		}
		if all.Provenance.Foreign == nil {
			first := *f
			first.Files = nil
			all.Provenance.Foreign = &first
		}
		all.Provenance.Foreign.Files = append(all.Provenance.Foreign.Files, f.Files...)
	}
	return foreignText(all)
}

// foreignText describes where a foreign result comes from and what of it is unknown; empty for a run of benchd.
func foreignText(run result.Run) string {
	f := run.Provenance.Foreign
	if f == nil {
		return ""
	}
	var names []string
	for i, file := range f.Files {
		if i == someFiles {
			names = append(names, fmt.Sprintf("and %d more", len(f.Files)-i))
			break
		}
		names = append(names, printable(file.Name))
	}
	text := fmt.Sprintf("measured by %s, imported from %s; %s", printable(f.String()), strings.Join(names, ", "), latencyText(f.Latency))
	if len(f.Stated) > 0 {
		text += "; stated by the user: " + printable(strings.Join(f.Stated, ", "))
	}
	return text + "; not known: whether the client was the limit, and the hosts"
}

func latencyText(latency string) string {
	switch latency {
	case result.ServiceLatency:
		return "latencies are service times"
	case result.ResponseLatency:
		return "latencies are response times"
	}
	return "with response and service times"
}

// foreignYCSB configures the output of a foreign result: with the percentiles that it has.
func foreignYCSB(run result.Run, f *result.Foreign) YCSB {
	y := YCSB{Clock: OpClock, Type: HdrHistogram, Exporter: Text}
	switch f.Latency {
	case result.ResponseLatency:
		y.Clock = IntendedClock
	case result.BothLatencies:
		y.Clock = BothClocks
	}
	have := make(map[float64]bool)
	for _, phase := range run.Phases {
		for _, c := range phase.Combined {
			for name, us := range c.Percentiles {
				if p, err := strconv.ParseFloat(name, 64); err == nil && us != nil {
					have[p] = true
				}
			}
			for _, p := range []float64{50, 90, 95, 99, 99.9, 99.99} {
				if us, _ := c.Percentile(p); us != nil {
					have[p] = true
				}
			}
		}
	}
	y.Percentiles = slices.Sorted(maps.Keys(have))
	return y
}
