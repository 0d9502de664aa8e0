// Package spec turns a submission into a plan.Suite, and validates all of it before anything runs:
//
//  1. read the properties files, as Java does, and remember the place of each setting;
//  2. apply precedence: later files over earlier ones, -p over files, flags over everything;
//  3. validate each name and each value against the Reader's Keys, and write values in canonical spelling;
//  4. resolve settings that exclude each other, and fill in the defaults;
//  5. validate combinations of settings.
//
// A Reader does so for the targets whose descriptions it was made with. Each case of a suite file, which package suite reads,
// goes through steps 2 to 5.
//
// All mistakes are collected and reported at once, as Problems, each with its place, its key and its cure.
// Resolve repeats steps 3 to 5 for the settings that an agent receives, with the same result.
package spec

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/property"
)

// Parse validates a submission and returns it as a suite: that of its suite file, or a suite of a single case. The error
// is of type Problems. The target must be one that the Reader knows.
func (r *Reader) Parse(s Submission) (*plan.Suite, []property.Warning, error) {
	if s.Suite != nil {
		return r.parseSuite(s)
	}
	res := r.table.newResolver()
	res.take(s)
	var cases []plan.Case
	if res.loadsFirst() {
		cases, res = r.loadAndSearch(s)
	} else {
		cases = []plan.Case{res.resolveCase(s, nil)}
		res.warnings = append(res.warnings, res.inert...)
	}
	res.validateLabels(s)
	if err := res.err(); err != nil {
		return nil, res.sortedWarnings(), err
	}
	one := &cases[len(cases)-1]
	one.Name, one.Repeats = cmp.Or(s.Name, defaultName(s, one.Settings)), 1
	if len(cases) > 1 {
		cases[0].Name = loadCase
		if one.Name == loadCase {
			cases[0].Name = loadCase + " rows"
		}
	}
	return &plan.Suite{Name: one.Name, Note: s.Note, Tags: maps.Clone(s.Tags), Cases: cases}, res.sortedWarnings(), nil
}

// resolveCase resolves the settings of one case. Adapt, if not nil, may change the values before they are combined.
func (r *resolver) resolveCase(s Submission, adapt func()) (one plan.Case) {
	r.supply(s.Supplied)
	r.hooks = s.Hooks
	r.validateValues()
	if adapt != nil {
		adapt()
	}
	r.attach(s.Attachments)
	r.settleInserts()
	one.Properties, one.Settings = r.settle()
	if one.Search = (values{one.Properties, r.table.targets}).search(); one.Search != nil {
		for _, name := range searchProperties() { // agents of earlier releases do not know them
			delete(one.Properties, name)
		}
	}
	r.validateTarget()
	r.validateCombinations(one.Settings)
	if one.Settings = r.resolveGroups(one.Properties, one.Settings, true); len(one.Settings.Groups) == 0 {
		r.validateOperations(one.Settings)
	}
	return one
}

// Resolve returns the settings of resolved properties, such as those of a plan.Case or plan.Shard. Missing properties have
// their defaults. The error is of type Problems.
func (r *Reader) Resolve(properties map[string]string) (plan.Settings, error) {
	res := r.table.newResolver()
	for _, key := range slices.Sorted(maps.Keys(properties)) {
		res.set(entry{written: key, value: properties[key]})
	}
	res.supply(nil)
	res.validateValues()
	res.attach(nil)
	resolved, settings := res.settle()
	res.validateTarget()
	res.validateCombinations(settings)
	settings = res.resolveGroups(resolved, settings, false)
	if err := res.err(); err != nil {
		return plan.Settings{}, err
	}
	return settings, nil
}

// Needs lists the files that a submission must carry as Attachments. For a submission with mistakes the list may be
// incomplete.
func (r *Reader) Needs(s Submission) []string {
	if s.Suite != nil {
		return r.needsOfSuite(s)
	}
	res := r.table.newResolver()
	res.take(s)
	res.validateValues()
	return res.needs()
}

// needs lists the files that the settings name.
func (r *resolver) needs() []string {
	var names []string
	for _, f := range lengthFiles() {
		if name := f.needed(r); name != "" {
			names = append(names, name)
		}
	}
	if _, filled := r.given[TraceCard]; !filled && r.value(TraceFile) != "" {
		names = append(names, r.value(TraceFile))
	}
	for _, a := range r.target().Attachments {
		if name := r.fileOf(a); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// defaultName is the name of the last file, or else that of the target and its phases.
func defaultName(s Submission, settings plan.Settings) string {
	files := slices.DeleteFunc(slices.Clone(s.Files), File.site)
	if len(files) > 0 {
		name := path.Base(strings.ReplaceAll(files[len(files)-1].Name, `\`, "/"))
		name = strings.TrimSuffix(name, path.Ext(name))
		if name != "" && name != "." && name != "/" && property.Printable(name) == nil {
			return name
		}
	}
	phases := "run"
	switch {
	case settings.Load && settings.Run:
		phases = "load and run"
	case settings.Load:
		phases = "load"
	}
	return fmt.Sprintf("%s %s", settings.DB, phases)
}
