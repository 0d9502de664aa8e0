// Package spec turns what a user submits into a plan.Suite, and judges it whole before anything happens:
//
//  1. read the properties files, as Java does, and remember where each setting was said;
//  2. let later files win over earlier ones, -p over files and flags over all;
//  3. judge each name and each value by the table of the Reader's Keys, and write values in one spelling;
//  4. settle what excludes each other, and fill in every default;
//  5. judge what must fit together.
//
// A Reader does so for the targets whose descriptions it was made with. The cases of a suite file, which package suite reads,
// go through steps 2 to 5 one by one.
//
// All that is wrong is collected and reported at once, as Problems, each with its place, its key and its cure.
// Resolve does steps 3 to 5 again from the settings that an agent is sent, with the same result.
package spec

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/property"
)

// Parse judges a submission and returns it as a suite: the one of its suite file, or one of a single case. The error is
// of type Problems. A suite's target must be one that the Reader knows.
func (r *Reader) Parse(s Submission) (*plan.Suite, []property.Warning, error) {
	if s.Suite != nil {
		return r.parseSuite(s)
	}
	j := r.table.judge()
	j.take(s)
	one := j.judgeCase(s, nil)
	j.warnings = append(j.warnings, j.inert...)
	j.judgeWords(s)
	if err := j.err(); err != nil {
		return nil, j.sortedWarnings(), err
	}
	one.Name = s.Name
	if one.Name == "" {
		one.Name = defaultName(s, one.Settings)
	}
	one.Repeats = 1
	return &plan.Suite{Name: one.Name, Note: s.Note, Tags: maps.Clone(s.Tags), Cases: []plan.Case{one}}, j.sortedWarnings(), nil
}

// judgeCase judges all that was taken for one case and returns what it means. Adapt, if there is one, has a look at the
// values before they are put together.
func (j *judge) judgeCase(s Submission, adapt func()) (one plan.Case) {
	j.supply(s.Supplied)
	j.hooks = s.Hooks
	j.judgeValues()
	if adapt != nil {
		adapt()
	}
	j.attach(s.Attachments)
	j.settleInserts()
	one.Properties, one.Settings = j.settle()
	j.judgeTarget()
	j.judgeTogether(one.Settings)
	j.judgeOperations(one.Settings)
	return one
}

// Resolve returns what resolved properties mean: those of a plan.Case or plan.Shard. The error is of type
// Problems. Settings that are missing have their defaults.
func (r *Reader) Resolve(properties map[string]string) (plan.Settings, error) {
	j := r.table.judge()
	for _, key := range slices.Sorted(maps.Keys(properties)) {
		j.set(entry{written: key, value: properties[key]})
	}
	j.supply(nil)
	j.judgeValues()
	j.attach(nil)
	_, settings := j.settle()
	j.judgeTarget()
	j.judgeTogether(settings)
	if err := j.err(); err != nil {
		return plan.Settings{}, err
	}
	return settings, nil
}

// Needs names the files whose contents a submission must carry as Attachments. Of a submission with mistakes it
// tells what it can.
func (r *Reader) Needs(s Submission) []string {
	if s.Suite != nil {
		return r.needsOfSuite(s)
	}
	j := r.table.judge()
	j.take(s)
	j.judgeValues()
	return j.needs()
}

// needs names the files whose contents the settings need.
func (j *judge) needs() []string {
	var names []string
	if _, filled := j.given[HistogramContent]; !filled && j.value("fieldlengthdistribution") == "histogram" {
		names = append(names, j.value("fieldlengthhistogram"))
	}
	for _, a := range j.target().Attachments {
		if name := j.fileOf(a); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// defaultName is the last file's name, or else what is done to what.
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
