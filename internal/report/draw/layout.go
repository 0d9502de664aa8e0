package draw

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/search"
)

// leastOnAxis is how many different numbers an axis has; fewer are categories.
const leastOnAxis = 3

// layout arranges cases: on an axis of numbers if they differ in one, in groups by the other settings, and as categories.
type layout struct {
	x          string    // the setting on the axis; empty if the cases do not differ in a number
	values     []float64 // on the axis, ascending
	groups     []group   // by target and the settings that do not follow from the axis
	targets    []string  // in the order of the cases
	categories []string  // names of the cases without their targets, in their order
}

// group is the cases that form a series.
type group struct {
	name  string // empty if it is the only one
	cases []place
}

// place is a case with its position: its number on the axis, and the index of its category.
type place struct {
	result.Case
	x        float64
	category int
}

// lay arranges the cases of a scenario.
func lay(cases []result.Case) layout {
	l := layout{}
	keys := varying(cases)
	for _, c := range cases {
		if !slices.Contains(l.targets, c.Target) {
			l.targets = append(l.targets, c.Target)
		}
	}
	l.x = axisOf(cases, keys)
	var others []string // that form groups
	for _, key := range keys {
		if key != l.x && (l.x == "" || !follows(cases, key, l.x)) {
			others = append(others, key)
		}
	}
	distinct := distinguishing(cases, keys)
	for _, c := range cases {
		name := caseLabel(c, distinct)
		p := place{Case: c, category: slices.Index(l.categories, name)}
		if p.category < 0 {
			p.category = len(l.categories)
			l.categories = append(l.categories, name)
		}
		in := ""
		if len(l.targets) > 1 {
			in = c.Target
		}
		if l.x != "" {
			p.x, _ = settingNumber(c, l.x)
			in = strings.TrimSpace(in + " " + pairs(c, others))
			if !slices.Contains(l.values, p.x) {
				l.values = append(l.values, p.x)
			}
		}
		l.add(in, p)
	}
	slices.Sort(l.values)
	if l.x != "" {
		for i := range l.groups {
			slices.SortStableFunc(l.groups[i].cases, func(a, b place) int { return cmp.Compare(a.x, b.x) })
		}
	}
	return l
}

func (l *layout) add(name string, p place) {
	i := slices.IndexFunc(l.groups, func(g group) bool { return g.name == name })
	if i < 0 {
		i = len(l.groups)
		l.groups = append(l.groups, group{name: name})
	}
	l.groups[i].cases = append(l.groups[i].cases, p)
}

// varying are the settings in which cases differ, in the order of the matrix.
func varying(cases []result.Case) []string {
	var keys []string
	first := make(map[string]string)
	for i, c := range cases {
		for _, a := range c.Axes {
			before, seen := first[a.Key]
			if !seen {
				first[a.Key] = a.Value
			}
			if (seen && before != a.Value || !seen && i > 0) && !slices.Contains(keys, a.Key) {
				keys = append(keys, a.Key)
			}
		}
	}
	return keys
}

// axisOf is the setting for the x axis: one with leastOnAxis numbers or more. Threads come first, then rates, then the others; among
// equals the one with the most values, and then the first. Empty if there is none.
func axisOf(cases []result.Case, keys []string) string {
	best, bestRank, most := "", math.MaxInt, 0
	for _, key := range keys {
		values := make(map[float64]bool)
		for _, c := range cases {
			v, ok := settingNumber(c, key)
			if !ok {
				values = nil
				break
			}
			values[v] = true
		}
		if rank := axisRank(key); len(values) >= leastOnAxis && (rank < bestRank || rank == bestRank && len(values) > most) {
			best, bestRank, most = key, rank, len(values)
		}
	}
	return best
}

func axisRank(key string) int {
	switch key {
	case "threadcount", "threads.total", "threads":
		return 0
	case "rate", "target":
		return 1
	}
	return 2
}

// follows reports whether the value of a setting is the same in all cases with the same value of another one.
func follows(cases []result.Case, key, of string) bool {
	value := make(map[string]string)
	for _, c := range cases {
		x, y := setting(c, of), setting(c, key)
		if before, seen := value[x]; seen && before != y {
			return false
		}
		value[x] = y
	}
	return true
}

func setting(c result.Case, key string) string {
	for _, a := range c.Axes {
		if a.Key == key {
			return a.Value
		}
	}
	return ""
}

// settingNumber is the value of a setting as a number.
func settingNumber(c result.Case, key string) (float64, bool) {
	v, err := strconv.ParseFloat(strings.TrimSpace(setting(c, key)), 64)
	return v, err == nil && !math.IsInf(v, 0) && !math.IsNaN(v)
}

func pairs(c result.Case, keys []string) string {
	var parts []string
	for _, key := range keys {
		parts = append(parts, key+"="+setting(c, key))
	}
	return strings.Join(parts, " ")
}

// distinguishing are the settings that distinguish cases, without those that follow from one before them: as many rows as operations is one
// number.
func distinguishing(cases []result.Case, keys []string) []string {
	var out []string
	for _, key := range keys {
		if !slices.ContainsFunc(out, func(before string) bool { return follows(cases, key, before) }) {
			out = append(out, key)
		}
	}
	return out
}

// caseLabel is the name of a case among those of its scenario: the values in which they differ.
func caseLabel(c result.Case, keys []string) string {
	parts := make([]string, 0, len(keys))
	for _, key := range keys {
		value := cmp.Or(setting(c, key), "–")
		if v, ok := settingNumber(c, key); ok {
			value = search.ValueText(v)
		}
		switch {
		case axisRank(key) == 0:
			value += " threads"
		case key == "recordcount":
			value += " rows"
		case len(keys) > 1:
			value = key + "=" + value
		}
		parts = append(parts, value)
	}
	if len(parts) == 0 {
		return c.Scenario
	}
	return strings.Join(parts, ", ")
}
