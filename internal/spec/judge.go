package spec

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/property"
)

// entry is a setting with the place where it was said.
type entry struct {
	key     property.Key // what it means: an alias is replaced by its property
	written string       // the name as the user wrote it
	value   string
	place   string
	rank    int  // of its source: a higher one wins
	order   int  // among all settings
	site    bool // from an hbase-site.xml
}

// judge collects what a submission says and what is wrong with it.
type judge struct {
	table    table
	given    map[string]entry // what won, by property
	bad      map[string]bool  // properties whose value is wrong
	order    int
	flags    int      // the rank of flags
	hooks    []string // that agents allow; nil where that is not known
	problems []finding
	warnings []finding
	inert    []finding // warnings of settings without an effect
	used     []int     // the orders of settings that could be inert and are not
	unsaid   int       // problems beyond the most
}

// The most problems and warnings that are told of: who hands in the wrong file gets one screen, not a book.
const (
	mostProblems = 40
	mostWarnings = 200
)

// finding is a problem or warning, with the order of the setting that it is about.
type finding struct {
	order int
	property.Problem
}

// judge is a new one. Those of the cases of one suite share a table.
func (t table) judge() *judge {
	return &judge{table: t, given: make(map[string]entry), bad: make(map[string]bool)}
}

func (j *judge) fail(e entry, format string, args ...any) {
	if len(j.problems) == mostProblems {
		j.unsaid++
		return
	}
	j.problems = append(j.problems, e.finding(format, args...))
}

func (j *judge) warn(e entry, format string, args ...any) {
	if len(j.warnings) < mostWarnings {
		j.warnings = append(j.warnings, e.finding(format, args...))
	}
}

func (e entry) finding(format string, args ...any) finding {
	return finding{e.order, property.Problem{Place: e.place, Key: property.PrintableName(e.written), Text: fmt.Sprintf(format, args...)}}
}

func (j *judge) err() error {
	if len(j.problems) == 0 {
		return nil
	}
	sortFindings(j.problems)
	problems := make(property.Problems, len(j.problems), len(j.problems)+1)
	for i, f := range j.problems {
		problems[i] = f.Problem
	}
	if j.unsaid > 0 {
		problems = append(problems, property.Problem{Text: fmt.Sprintf("and %d mistakes more; are these properties files?", j.unsaid)})
	}
	return problems
}

// sortedWarnings returns the warnings. Where there are problems, what was not given may be what was misspelt:
// nothing is said about it.
func (j *judge) sortedWarnings() []property.Warning {
	sortFindings(j.warnings)
	var warnings []property.Warning
	for _, f := range j.warnings {
		if f.order > 0 || len(j.problems) == 0 {
			warnings = append(warnings, property.Warning(f.Problem))
		}
	}
	return warnings
}

func sortFindings(list []finding) {
	slices.SortStableFunc(list, func(a, b finding) int { return cmp.Compare(a.order, b.order) })
}

// inOrder returns what is set, in the order in which it was said.
func (j *judge) inOrder() []string {
	return slices.SortedFunc(maps.Keys(j.given), func(a, b string) int {
		return cmp.Or(cmp.Compare(j.given[a].order, j.given[b].order), cmp.Compare(a, b))
	})
}

// judgeValues judges what won, writes it in canonical spelling and turns aliases into their properties.
func (j *judge) judgeValues() {
	for _, name := range j.inOrder() {
		e := j.given[name]
		if e.key.Status == property.Refused || e.key.Status == property.Idle {
			continue // only a run's target decides whether they matter
		}
		if e.key.Kind != property.Text && strings.TrimSpace(e.value) == "" {
			if byDefault := j.table.defaultOf(name); byDefault != "" {
				j.warn(e, "has no value: taken as not given, so it is %s", byDefault)
			}
			delete(j.given, name)
			continue
		}
		value, err := e.key.Canonical(e.value)
		if err != nil {
			j.bad[name] = true
			j.fail(e, "%s", err)
			delete(j.given, name)
			continue
		}
		if e.key.Status == property.Alias {
			if e.key.Reason != "" {
				j.warn(e, "is taken as %s=%s: %s", name, value, e.key.Reason)
			}
			e.key, _ = j.table.find(name)
		}
		e.value = value
		j.given[name] = e
	}
}

// value returns a property's value so far, or its default.
func (j *judge) value(name string) string {
	if e, ok := j.given[name]; ok {
		return e.value
	}
	return j.table.defaultOf(name)
}

// said returns the setting of a property, or one without a place where it was not set.
func (j *judge) said(name string) entry {
	if e, ok := j.given[name]; ok {
		return e
	}
	return entry{written: name}
}

// judgeTarget judges the properties that only some targets know, now that it is known which one is used.
func (j *judge) judgeTarget() {
	db := j.value("db")
	for _, name := range j.inOrder() {
		e := j.given[name]
		switch {
		case !e.key.Serves(db):
			j.warn(e, "has no effect: it is of target %s, and the target is %s", strings.Join(e.key.Targets, " or "), db)
		case e.key.Status == property.Refused && e.site:
			j.warn(e, "is ignored: %s", e.key.Reason)
		case e.key.Status == property.Refused:
			j.fail(e, "is not supported: %s", e.key.Reason)
		case e.key.Status == property.Idle && !strings.EqualFold(strings.TrimSpace(e.value), "false"):
			j.warn(e, "has no effect: %s", e.key.Reason)
		case e.key.Status == property.Reporting && e.key.Reason != "" && !e.idle():
			j.warn(e, "has no effect: %s", e.key.Reason)
		}
	}
	if _, ok := j.given["db"]; !ok && !j.bad["db"] {
		j.warn(entry{}, "no db is given: the target is %s, which stores nothing; write db=%s or the like to measure a system", defaultTarget, cmp.Or(j.table.targets.Example().Name, "NAME"))
	}
}

// judgeWords judges what a submission says beside its properties.
func (j *judge) judgeWords(s Submission) {
	last := entry{order: j.order + 1}
	complain := func(place, key string, err error) {
		if err != nil {
			last.place, last.written = place, key
			j.fail(last, "%s", err)
		}
	}
	complain("--name", "", property.Printable(s.Name))
	complain("--note", "", property.Printable(strings.NewReplacer("\n", "", "\t", "").Replace(s.Note)))
	for _, key := range slices.Sorted(maps.Keys(s.Tags)) {
		if strings.TrimSpace(key) == "" {
			complain("--tag", "", errors.New("a tag has no name; write name=value"))
		}
		complain("--tag", key, cmp.Or(property.Printable(key), property.Printable(s.Tags[key])))
	}
}
