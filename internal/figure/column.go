// Package figure knows what the columns of a suite's tables may be called.
//
//  1. Parse reads a name: what tells rows apart, a figure of a whole run, or a figure of one operation. Anything else is a
//     setting of the cases, or only a report knows it.
//  2. MissingRequirement says what a case would need, so that it had the figure.
//  3. Base and Unit part a name from its unit, because a figure may be asked for in another one.
//
// Package compare fills the columns, and package spec judges before anything runs whether there will be something to fill
// them with.
package figure

import (
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/workload"
)

// Class is what a column holds.
type Class int

// The classes.
const (
	Other       Class = iota // a setting of the cases, or what only a report tells of
	Identity                 // what tells rows apart: scenario, run, client
	OfRun                    // a figure of a whole run: throughput_ops, total_ms
	OfOperation              // a figure of one operation: read_avg_ms, rmw_count
)

// Column is a column's name taken apart.
type Column struct {
	Name  string
	Class Class

	// Of an operation's figure: what it is of, which one, and whether it is of the service time.
	Op      workload.Kind
	Stat    string
	Service bool
}

// Count is the figure of an operation that has no unit of time.
const Count = "count"

// Identities are the names of columns that tell rows apart and are no settings.
func Identities() []string {
	return []string{
		"scenario", "case", "run", "repeat", "target", "mode", "product", "dataset", "agents", "clients", "client", "threads",
		"loop", "status",
	}
}

// timesOfRun are the figures of a run that are times, without their unit; runtime is YCSB's word for total.
func timesOfRun() []string { return []string{"total", "runtime", "gc_total", "recovery"} }

// plainOfRun are the other figures of a run.
func plainOfRun() []string {
	return []string{
		"throughput_ops", "offered_ops", "ops", "failed_ops", "not_found_ops", "qps_low", "qps_high", "qps_worst", "gc_total_count",
		"verify_count", "verify_failed_count",
		"regions", "regions_after", "region_servers_before", "region_servers_after", "regions_stuck_in_transition",
	}
}

// Stats are the figures of an operation.
func Stats() []string {
	return []string{Count, "avg", "min", "max", "p50", "p90", "p95", "p99", "p999", "p9999"}
}

// Of is what the names of an operation's figures begin with: read, insert, rmw …
func Of(op string) string {
	if op == workload.ReadModifyWrite.String() {
		return "rmw"
	}
	return strings.ReplaceAll(strings.ToLower(op), "-", "_")
}

// drawn are the operations that a run is asked to issue. The rest are parts of others, and in no table.
func drawn() []workload.Kind {
	var kinds []workload.Kind
	for k := range workload.NumKinds {
		if k != workload.Verify && k != workload.Cleanup {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// Parse reads the name of a column.
func Parse(name string) Column {
	c := Column{Name: name}
	base, unit := Split(name)
	timed := unit.Second > 0
	switch {
	case slices.Contains(Identities(), name):
		c.Class = Identity
	case slices.Contains(plainOfRun(), name), timed && slices.Contains(timesOfRun(), base):
		c.Class = OfRun
	default:
		c = c.operation(base, timed)
	}
	return c
}

// operation reads what can only be a figure of an operation.
func (c Column) operation(base string, timed bool) Column {
	at := strings.LastIndexByte(base, '_')
	if at < 0 || !slices.Contains(Stats(), base[at+1:]) || timed == (base[at+1:] == Count) {
		return c
	}
	op, service := strings.CutSuffix(base[:at], "_service")
	for _, k := range drawn() {
		if Of(k.String()) == op {
			c.Class, c.Op, c.Stat, c.Service = OfOperation, k, base[at+1:], service
		}
	}
	return c
}

// Measured reports whether benchd has such figures.
func (c Column) Measured() bool { return c.Class == OfRun || c.Class == OfOperation }

// OfAgent reports whether the part of one agent in a run has the figure, too.
func (c Column) OfAgent() bool {
	if base, _ := Split(c.Name); c.Class == OfRun {
		return base == "total" || base == "runtime"
	}
	return c.Class == OfOperation && !c.Service && slices.Contains([]string{Count, "avg", "min", "max", "p50", "p95", "p99"}, c.Stat)
}

// LooksLikeFigure reports whether a name is built as those of figures are, whoever has them.
func (c Column) LooksLikeFigure() bool {
	base, _ := Split(c.Name)
	last := base[strings.LastIndexByte(base, '_')+1:]
	return c.Measured() || last != base && (last == "ops" || slices.Contains(Stats(), last) || isRank(last))
}

// IsPercentile reports whether a figure is a percentile: read_p99_us.
func IsPercentile(name string) bool {
	base, unit := Split(name)
	last := base[strings.LastIndexByte(base, '_')+1:]
	return unit.Second > 0 && last != base && isRank(last)
}

// isRank reports whether a word is p and a number.
func isRank(word string) bool {
	return len(word) > 1 && word[0] == 'p' && strings.Trim(word[1:], "0123456789") == ""
}

// Names are all names of figures and of what tells rows apart.
func Names() []string {
	names := append(Identities(), plainOfRun()...)
	timed := timesOfRun()
	for _, k := range drawn() {
		for _, service := range []string{"", "_service"} {
			for _, stat := range Stats() {
				if name := Of(k.String()) + service + "_" + stat; stat == Count {
					names = append(names, name)
				} else {
					timed = append(timed, name)
				}
			}
		}
	}
	for _, name := range timed {
		for _, u := range Units() {
			names = append(names, name+u.Suffix)
		}
	}
	return names
}
