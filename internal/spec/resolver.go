package spec

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/keyspace"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/spec/suite"
)

// entry is a setting with its place.
type entry struct {
	key     property.Key // an alias is replaced by its property
	written string       // the name as the user wrote it
	value   string
	place   string
	rank    int         // of its source: a higher one wins
	order   int         // among all settings
	site    bool        // from an hbase-site.xml
	start   suite.Place // of the first character of the value; the zero Place if it is unknown
}

// resolver collects the settings of a submission and the mistakes in it.
type resolver struct {
	table    table
	given    map[string]entry     // the winning setting of each property
	bad      map[string]bool      // properties with an invalid value
	groups   map[string]*resolver // of the settings of each group of workers
	listed   entry                // the list of groups, if it has mistakes
	prefix   string               // of the names of settings, for a group
	order    int
	flags    int      // the rank of flags
	hooks    []string // that agents allow; nil if unknown
	problems []finding
	warnings []finding
	inert    []finding // warnings about settings without an effect
	used     []int     // the orders of settings that could be inert but are not
	omitted  int       // problems beyond the maximum
}

// Bounds on the problems and warnings that are reported: submitting the wrong file gives one screen of messages.
const (
	mostProblems = 40
	mostWarnings = 200
)

// finding is a problem or warning, with the order of its setting.
type finding struct {
	order int
	property.Problem
}

// newResolver makes a resolver. The cases of one suite share a table.
func (t table) newResolver() *resolver {
	return &resolver{table: t, given: make(map[string]entry), bad: make(map[string]bool)}
}

func (r *resolver) fail(e entry, format string, args ...any) {
	if len(r.problems) == mostProblems {
		r.omitted++
		return
	}
	r.problems = append(r.problems, e.finding(format, args...))
}

// failEach reports each of the errors that are joined in err.
func (r *resolver) failEach(e entry, err error) {
	for one := range each(err) {
		r.fail(e.moved(one), "%s", one)
	}
}

// moved returns the entry with the place of a mistake within its value, if that is known.
func (e entry) moved(err error) entry {
	var mistake *keyspace.TemplateError
	if e.start.Known() && errors.As(err, &mistake) {
		at := e.start.Right(mistake.Column - 1)
		e.place, e.order = at.String(), at.Order()
	}
	return e
}

// each iterates over the errors that are joined in err, or over err itself.
func each(err error) iter.Seq[error] {
	return func(yield func(error) bool) {
		list, ok := err.(interface{ Unwrap() []error })
		if !ok {
			yield(err)
			return
		}
		for _, one := range list.Unwrap() {
			if !yield(one) {
				return
			}
		}
	}
}

func (r *resolver) warn(e entry, format string, args ...any) {
	if len(r.warnings) < mostWarnings {
		r.warnings = append(r.warnings, e.finding(format, args...))
	}
}

func (e entry) finding(format string, args ...any) finding {
	return finding{e.order, property.Problem{Place: e.place, Key: property.PrintableName(e.written), Text: fmt.Sprintf(format, args...)}}
}

func (r *resolver) err() error {
	if len(r.problems) == 0 {
		return nil
	}
	sortFindings(r.problems)
	problems := make(property.Problems, len(r.problems), len(r.problems)+1)
	for i, f := range r.problems {
		problems[i] = f.Problem
	}
	if r.omitted > 0 {
		problems = append(problems, property.Problem{Text: fmt.Sprintf("and %d more mistakes; are these properties files?", r.omitted)})
	}
	return problems
}

// sortedWarnings returns the warnings. If there are problems, it omits warnings about missing settings: the setting may
// be one with a misspelled name.
func (r *resolver) sortedWarnings() []property.Warning {
	sortFindings(r.warnings)
	var warnings []property.Warning
	for _, f := range r.warnings {
		if f.order > 0 || len(r.problems) == 0 {
			warnings = append(warnings, property.Warning(f.Problem))
		}
	}
	return warnings
}

func sortFindings(list []finding) {
	slices.SortStableFunc(list, func(a, b finding) int { return cmp.Compare(a.order, b.order) })
}

// inOrder returns the names of the properties that are set, in the order of their settings.
func (r *resolver) inOrder() []string {
	return slices.SortedFunc(maps.Keys(r.given), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.given[a].order, r.given[b].order), cmp.Compare(a, b))
	})
}

// validateValues validates the winning values, writes them in canonical spelling and replaces aliases by their properties.
func (r *resolver) validateValues() {
	for _, name := range r.inOrder() {
		e := r.given[name]
		if e.key.Status == property.Refused || e.key.Status == property.Idle {
			continue // the target of the run decides whether they matter
		}
		if e.key.Kind != property.Text && strings.TrimSpace(e.value) == "" {
			if byDefault := r.table.defaultOf(name); byDefault != "" {
				r.warn(e, "is empty; the default applies: %s", byDefault)
			}
			delete(r.given, name)
			continue
		}
		value, err := e.key.Canonical(e.value)
		if err != nil {
			r.bad[name] = true
			if name == plan.GroupsProperty {
				r.listed = e
			}
			r.failEach(e, err)
			delete(r.given, name)
			continue
		}
		if e.key.Status == property.Alias {
			if e.key.Reason != "" {
				r.warn(e, "is read as %s=%s: %s", name, value, e.key.Reason)
			}
			e.key, _ = r.table.find(name)
		}
		e.value = value
		r.given[name] = e
	}
}

// off reports whether a property without an effect is switched off, so that nobody expects one.
func off(value string) bool {
	value = strings.TrimSpace(value)
	return value == "0" || strings.EqualFold(value, "false")
}

// value returns the current value of a property, or its default.
func (r *resolver) value(name string) string {
	if e, ok := r.given[name]; ok {
		return e.value
	}
	return r.table.defaultOf(name)
}

// setting returns the setting of a property, or one without a place if the property is not set.
func (r *resolver) setting(name string) entry {
	if e, ok := r.given[name]; ok {
		return e
	}
	return entry{written: r.prefix + name}
}

// validateTarget validates the properties that only some targets have.
func (r *resolver) validateTarget() {
	db := r.value("db")
	for _, name := range r.inOrder() {
		e := r.given[name]
		switch {
		case !e.key.Serves(db): // another case of a suite may have such a target
			r.inert = append(r.inert, e.finding("has no effect: it belongs to target %s, and the target is %s", strings.Join(e.key.Targets, " or "), db))
		case len(e.key.Targets) > 0 && e.key.Status == property.Honoured:
			r.used = append(r.used, e.order)
		case e.key.Status == property.Refused && e.site:
			r.warn(e, "is ignored: %s", e.key.Reason)
		case e.key.Status == property.Refused:
			r.fail(e, "is not supported: %s", e.key.Reason)
		case e.key.Status == property.Idle && !off(e.value):
			r.warn(e, "has no effect: %s", e.key.Reason)
		case e.key.Status == property.Reporting && e.key.Reason != "" && !e.idle():
			r.warn(e, "has no effect: %s", e.key.Reason)
		}
	}
	if _, ok := r.given["db"]; !ok && !r.bad["db"] {
		r.warn(entry{}, "db is not set: the target is %s, which stores nothing; set db, such as db=%s, to measure a system", defaultTarget, cmp.Or(r.table.targets.Example().Name, "NAME"))
	}
}

// validateLabels validates the name, the note and the tags of a submission.
func (r *resolver) validateLabels(s Submission) {
	last := entry{order: r.order + 1}
	complain := func(place, key string, err error) {
		if err != nil {
			last.place, last.written = place, key
			r.fail(last, "%s", err)
		}
	}
	complain("--name", "", property.Printable(s.Name))
	complain("--note", "", printableNote(s.Note))
	for _, key := range slices.Sorted(maps.Keys(s.Tags)) {
		if strings.TrimSpace(key) == "" {
			complain("--tag", "", errors.New("missing name of a tag; write name=value"))
		}
		complain("--tag", key, cmp.Or(property.Printable(key), property.Printable(s.Tags[key])))
	}
}

// printableNote validates a note, which can have several lines.
func printableNote(note string) error {
	return property.Printable(strings.NewReplacer("\n", "", "\t", "").Replace(note))
}
