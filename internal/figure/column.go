package figure

import (
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/workload"
)

// Class is the kind of a column's contents.
type Class int

// The classes.
const (
	Other       Class = iota // a setting of the cases, or a value that only published lines have
	Identity                 // identifies a row: scenario, run, client
	OfRun                    // a figure of a whole run: throughput_ops, total_ms
	OfOperation              // a figure of one operation: read_avg_ms, rmw_count
)

// Column is the parsed name of a column.
type Column struct {
	Name  string
	Class Class

	// For an operation's figure: its operation, which figure it is, and whether it is of the service time.
	Op      workload.Kind
	Stat    string
	Service bool
	// Group is the group of workers that the figure is of; empty for one of the whole run.
	Group string
	// Figure is the vocabulary's entry for a figure of a whole run; nil otherwise.
	Figure *Figure
}

// Identities are the names of columns that identify rows and are not settings.
func Identities() []string {
	return []string{
		"scenario", "case", "run", "repeat", "target", "mode", "product", "dataset", "agents", "clients", "client", "threads",
		"loop", "status",
	}
}

// Parse parses the name of a column.
func (v Vocabulary) Parse(name string) Column {
	c := Column{Name: name}
	if slices.Contains(Identities(), name) {
		c.Class = Identity
		return c
	}
	if f, ok := find(v.OfRuns(), name); ok {
		c.Class, c.Figure = OfRun, &f
		return c
	}
	if group, own := workload.SplitGroup(name); group != "" {
		return c.ofGroup(group, own)
	}
	return c.operation(name)
}

// ofGroup parses the name of a figure of a group of workers: reads.read_p99_us, reads.throughput_ops.
func (c Column) ofGroup(group, own string) Column {
	if f, ok := find(ofGroups(), own); ok {
		c.Class, c.Figure, c.Group = OfRun, &f, group
		return c
	}
	if c = c.operation(own); c.Class == OfOperation {
		c.Group = group
	}
	return c
}

// operation parses a name that can only be a figure of an operation.
func (c Column) operation(name string) Column {
	base, unit := Split(name)
	at := strings.LastIndexByte(base, '_')
	if at < 0 {
		return c
	}
	stat, ok := findStat(base[at+1:])
	if timed := unit != (Unit{}); !ok || timed == (stat.Name == Count) {
		return c
	}
	op, ofService := strings.CutSuffix(base[:at], service)
	for _, k := range drawn() {
		if Of(k.String()) == op {
			c.Class, c.Op, c.Stat, c.Service = OfOperation, k, stat.Name, ofService
		}
	}
	return c
}

// Measured reports whether benchd has such figures.
func (c Column) Measured() bool { return c.Class == OfRun || c.Class == OfOperation }

// OfAgent reports whether one agent's part in a run has the figure, too.
func (c Column) OfAgent() bool {
	if c.Figure != nil {
		return c.Figure.OfAgent
	}
	stat, ok := findStat(c.Stat)
	return ok && stat.OfAgent && !c.Service
}

// Over is how a row over several runs represents the figure.
func (c Column) Over() Over {
	if c.Figure != nil {
		return c.Figure.Over
	}
	stat, _ := findStat(c.Stat)
	return stat.Over
}

// LooksLikeFigure reports whether a name has the form of a figure's name, whether or not benchd has that figure.
func (c Column) LooksLikeFigure() bool {
	base, _ := Split(c.Name)
	last := base[strings.LastIndexByte(base, '_')+1:]
	_, isStat := findStat(last)
	return c.Measured() || last != base && (last == "ops" || isStat || isRank(last))
}

// IsPercentile reports whether a name has the form of a percentile's name: read_p99_us.
func IsPercentile(name string) bool {
	base, unit := Split(name)
	last := base[strings.LastIndexByte(base, '_')+1:]
	return unit != (Unit{}) && last != base && isRank(last)
}

// IsStat reports whether each operation has a figure of that name.
func IsStat(name string) bool {
	_, ok := findStat(name)
	return ok
}

// isRank reports whether a word is p and a number.
func isRank(word string) bool {
	return len(word) > 1 && word[0] == 'p' && strings.Trim(word[1:], "0123456789") == ""
}

// Names are the names of all figures and of all columns that identify rows.
func (v Vocabulary) Names() []string {
	names := Identities()
	var timed []string
	for _, f := range v.OfRuns() {
		switch {
		case f.Time == (Unit{}):
			names = append(names, f.Name)
		case f.Also != "":
			timed = append(timed, f.Name, f.Also)
		default:
			timed = append(timed, f.Name)
		}
	}
	for _, k := range drawn() {
		for _, clock := range []string{"", service} {
			for _, s := range Stats() {
				if name := Of(k.String()) + clock + "_" + s.Name; s.Name == Count {
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

// Title is the name of a figure in reports, without its unit: insert_p999_us is "insert p99.9".
func Title(name string) string {
	if group, own := workload.SplitGroup(name); group != "" {
		return group + " " + Title(own)
	}
	base, _ := Split(name)
	words := strings.Split(base, "_")
	if words[0] == "throughput" || words[0] == "offered" {
		words = words[:1]
	}
	for i, word := range words {
		if s, ok := findStat(word); ok {
			words[i] = s.Title
		} else if word == "qps" {
			words[i] = "throughput,"
		}
	}
	return strings.Join(words, " ")
}
