package figure

import (
	"strings"

	"github.com/benchd/benchd/internal/workload"
)

// Stat is an entry of the vocabulary: a figure that each operation has, for its response time and, in an open loop, for
// its service time.
type Stat struct {
	Name       string  // of a column: avg, p999
	Title      string  // in reports: avg, p99.9
	Percentile float64 // 0 to 100; 0 if it is not a percentile
	OfAgent    bool    // one agent's part in a run has it, too
	Over       Over
	Read       func(*Latency) *float64 // returns nil if there are too few samples (law 6)
}

// Count is the figure of an operation that has no unit of time.
const Count = "count"

// Stats are the figures of an operation; all but Count are times, in microseconds.
func Stats() []Stat {
	return []Stat{
		{Name: Count, Title: Count, OfAgent: true, Read: func(l *Latency) *float64 { return counted(l.Count) }},
		{Name: "avg", Title: "avg", OfAgent: true, Read: func(l *Latency) *float64 { return &l.Mean }},
		{Name: "min", Title: "min", OfAgent: true, Over: Least, Read: func(l *Latency) *float64 { return &l.Min }},
		{Name: "max", Title: "max", OfAgent: true, Over: Greatest, Read: func(l *Latency) *float64 { return &l.Max }},
		percentile("p50", "p50", 50, true),
		percentile("p90", "p90", 90, false),
		percentile("p95", "p95", 95, true),
		percentile("p99", "p99", 99, true),
		percentile("p999", "p99.9", 99.9, false),
		percentile("p9999", "p99.99", 99.99, false),
	}
}

func percentile(name, title string, p float64, ofAgent bool) Stat {
	return Stat{Name: name, Title: title, Percentile: p, OfAgent: ofAgent, Over: Median, Read: func(l *Latency) *float64 { return l.Percentile(p) }}
}

// Percentiles are the percentiles among Stats.
func Percentiles() []Stat {
	var out []Stat
	for _, s := range Stats() {
		if s.Percentile > 0 {
			out = append(out, s)
		}
	}
	return out
}

// findStat returns the figure of an operation of that name.
func findStat(name string) (Stat, bool) {
	for _, s := range Stats() {
		if s.Name == name {
			return s, true
		}
	}
	return Stat{}, false
}

// service follows an operation's name in the names of its service times.
const service = "_service"

// Of is the prefix of the names of an operation's figures: read, insert, rmw …
func Of(op string) string {
	if group, own := workload.SplitGroup(op); group != "" {
		return workload.InGroup(group, Of(own))
	}
	if op == workload.ReadModifyWrite.String() {
		return "rmw"
	}
	return strings.ReplaceAll(strings.ToLower(op), "-", "_")
}

// drawn are the operations that a workload can request. The rest are parts of others, and in no table.
func drawn() []workload.Kind {
	var kinds []workload.Kind
	for k := range workload.NumKinds {
		if k != workload.Verify && k != workload.Cleanup {
			kinds = append(kinds, k)
		}
	}
	return kinds
}
