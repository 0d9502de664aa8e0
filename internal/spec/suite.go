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
	"github.com/benchd/benchd/internal/search"
	"github.com/benchd/benchd/internal/spec/suite"
	"github.com/benchd/benchd/internal/workload"
)

// optionsOrder is the order of findings about the command line: after those about files.
const optionsOrder = 1 << 60

// suiteResolver validates a suite file: each setting by itself, then each case like a properties file. A mistake that
// several cases share is reported once.
type suiteResolver struct {
	submission Submission
	table      table
	base       int // the rank of a suite's own settings, above those of an hbase-site.xml
	problems   []finding
	warnings   []finding
	reported   map[property.Problem]bool
	broken     map[suite.Place]bool // lists of actions with a mistake that has been reported
	lengths    map[string]workload.Config
	tables     map[string][]owner // the cases that insert into each table
	invalid    map[string]bool    // scenarios with mistakes in their cases
	inert      []finding          // settings without an effect in one case
	used       map[int]bool       // the orders of settings with an effect in another case
	databases  []string           // of the file's cases
}

// owner identifies cases that insert into a table and share its rows.
type owner struct {
	dataset, target string
	at              suite.Place
}

func (r *Reader) parseSuite(s Submission) (*plan.Suite, []property.Warning, error) {
	t := r.table
	read, mistakes := suite.Read(t.input(s))
	res := &suiteResolver{
		submission: s, table: t, base: len(s.Files),
		reported: make(map[property.Problem]bool), broken: make(map[suite.Place]bool), lengths: make(map[string]workload.Config),
		tables: make(map[string][]owner), invalid: make(map[string]bool), used: make(map[int]bool),
	}
	for _, m := range mistakes {
		res.report(&res.problems, finding{m.At.Order(), property.Problem{Place: m.At.String(), Key: printableKey(m.Key), Text: m.Text}})
	}
	res.validateOptions()
	res.validateSettings(read.Given)
	res.databases = databasesOf(read.Cases)
	res.warnOfDatabase()
	cases := res.resolveCases(read.Cases)
	res.validateTables(read, cases, len(mistakes) == 0)
	res.validateCharts(read, cases, len(mistakes) == 0)
	for _, f := range res.inert {
		if !res.used[f.order] {
			res.used[f.order] = true // once, although it has no effect on several databases
			res.report(&res.warnings, f)
		}
	}
	out := res.finish(read, cases)
	if len(res.problems) == len(mistakes) { // the lengths of the runs are valid
		res.validateSchedule(read, out)
	}
	sum := t.newResolver()
	sum.problems, sum.warnings = res.problems, res.warnings
	if len(sum.problems) > mostOfSuite {
		sortFindings(sum.problems)
		sum.omitted = len(sum.problems) - mostOfSuite
		sum.problems = sum.problems[:mostOfSuite]
	}
	if err := sum.err(); err != nil {
		return nil, sum.sortedWarnings(), err
	}
	return out, sum.sortedWarnings(), nil
}

// MaxAttachment bounds a file that is attached to a submission.
const MaxAttachment = maxFile

// mostOfSuite bounds the problems that are reported for a suite.
const mostOfSuite = 100

// input returns the input of package suite.
func (t table) input(s Submission) suite.Input {
	in := suite.Input{
		Name: s.Suite.Name, Content: s.Suite.Content, Attachments: s.Attachments, Trial: s.Trial,
		Property: func(name string) string {
			name = strings.TrimSpace(name)
			k, ok := t.find(name)
			if !ok || k.Status != property.Alias {
				return name
			}
			if group, _, of := splitGroup(name); of {
				return plan.GroupPrefix + group + "." + k.Of
			}
			return k.Of
		},
		Shown: t.shown,
	}
	for _, v := range s.Variables {
		in.Variables = append(in.Variables, suite.Variable{Name: v.Key, Value: v.Value, Origin: v.Origin})
	}
	return in
}

// shown returns the value of a property as a message can show it. A value that will be refused may contain a secret.
func (t table) shown(name, value string) string {
	k, _ := t.find(strings.TrimSpace(name))
	if _, err := k.Canonical(value); err != nil && (k.Kind == property.Secret || strings.Contains(value, "@")) {
		return "(not shown)"
	}
	return value
}

// report adds a finding unless it has been reported.
func (r *suiteResolver) report(to *[]finding, f finding) {
	if !r.reported[f.Problem] {
		r.reported[f.Problem] = true
		*to = append(*to, f)
	}
}

// validateOptions reports options that cannot be combined with a suite file.
func (r *suiteResolver) validateOptions() {
	for _, f := range r.submission.Files {
		if !f.site() {
			r.report(&r.problems, finding{optionsOrder, property.Problem{Place: "-P", Text: fmt.Sprintf("%s is a properties file, which cannot be combined with a suite file; move its settings to properties: in the suite, or set them with -p", property.Quote(f.Name))}})
		}
	}
	for _, group := range [][]Setting{r.submission.Properties, r.submission.Flags} {
		for _, s := range group {
			if name := strings.TrimSpace(s.Key); name == "phase" || name == "dotransactions" {
				r.report(&r.problems, finding{optionsOrder, property.Problem{
					Place: cmp.Or(s.Origin, "-p"), Key: name,
					Text: "the datasets and scenarios of a suite decide what is loaded and run; remove it",
				}})
			}
		}
	}
}

// validateSettings validates each setting of the file by itself, even if no case uses it.
func (r *suiteResolver) validateSettings(settings []suite.Setting) {
	for _, s := range settings {
		name := strings.TrimSpace(s.Key)
		e := entry{written: s.Key, value: s.Value, place: s.Named.String(), order: s.Named.Order()}
		key, ok := r.table.find(name)
		if text := r.table.misnamed(name); text != "" {
			r.report(&r.problems, e.finding("%s", text))
			continue
		}
		if !ok {
			r.unknown(e, name)
			continue
		}
		e.place, e.order, e.start = s.At.String(), s.At.Order(), s.Start
		if key.Status == property.Refused || key.Status == property.Idle || key.Kind != property.Text && strings.TrimSpace(s.Value) == "" {
			continue // reported for each case
		}
		if _, err := key.Canonical(s.Value); err != nil {
			for one := range each(err) {
				r.report(&r.problems, e.moved(one).finding("%s", one))
			}
			r.broken[s.Named] = r.broken[s.Named] || s.Named != s.At && (name == ActionsProperty || name == plan.GroupsProperty)
		}
	}
}

// unknown reports an unknown property. In a suite a property of another binding is a mistake too.
func (r *suiteResolver) unknown(e entry, name string) {
	prefix := r.table.foreign(name)
	switch near := r.table.near(name); {
	case prefix != "":
		r.report(&r.problems, e.finding("unknown property: properties with the prefix %s belong to a YCSB binding that is not used here; remove it", prefix))
	case near != "":
		r.report(&r.problems, e.finding("unknown property; did you mean %s?", near))
	default:
		r.report(&r.problems, e.finding("unknown property, and no property has a similar name; remove it"))
	}
}

// resolveCases resolves the cases. It omits a case that fills a dataset if the first case that uses the dataset loads it
// itself.
func (r *suiteResolver) resolveCases(read []suite.Case) []plan.Case {
	cases := make([]plan.Case, 0, len(read))
	for i, c := range read {
		one := r.resolveCase(c)
		if n := len(cases); i > 0 && n > 0 && cases[n-1].Fills && !c.Fills && one.Settings.Load && one.Settings.Workload.InsertStart == 0 {
			cases = cases[:n-1]
		}
		cases = append(cases, one)
	}
	return cases
}

// resolveCase resolves one case.
func (r *suiteResolver) resolveCase(c suite.Case) plan.Case {
	one := r.table.newResolver()
	one.takeFiles(r.submission)
	for _, group := range c.Given {
		for _, s := range group {
			if _, ok := r.table.find(strings.TrimSpace(s.Key)); !ok || r.broken[s.At] { // already reported
				r.invalid[c.Scenario] = true
			} else {
				one.set(entry{written: s.Key, value: r.table.beside(s), place: s.At.String(), order: s.At.Order(), rank: r.base + int(s.Level), start: s.Start})
			}
		}
	}
	one.order = optionsOrder
	top := r.base + int(suite.Levels)
	one.takeOptions(r.submission, top)
	if db := one.given["db"]; len(r.databases) > 1 && db.rank >= one.flags-1 {
		one.withoutForeign(strings.TrimSpace(db.value))
	}
	one.moved(r.base)
	one.goOnInserting()
	if c.Fills {
		key, _ := r.table.find("phase")
		one.given["phase"] = entry{key: key, written: "phase", value: "load", place: c.At.String(), order: c.At.Order(), rank: top + 2}
	}
	resolved := one.resolveCase(r.submission, func() { one.adapt(c, r.base) })
	if resolved.Search != nil && c.Repeats > 1 {
		one.fail(entry{place: c.At.String(), order: c.At.Order(), written: "repeats"}, "a search repeats its probes itself: remove repeats, or set search.confirm, the number of runs that confirm the answer")
	}
	r.collect(c, one)
	r.invalid[c.Scenario] = r.invalid[c.Scenario] || len(one.problems) > 0
	c.Properties, c.Settings, c.Search = resolved.Properties, resolved.Settings, resolved.Search
	r.share(&c.Case)
	r.warnOfTable(c)
	return c.Case
}

// databasesOf lists the databases that a suite file sets for its cases.
func databasesOf(cases []suite.Case) []string {
	var out []string
	for _, c := range cases {
		db := defaultTarget
		for _, group := range c.Given {
			for _, s := range group {
				if strings.TrimSpace(s.Key) == "db" {
					db = s.Value
				}
			}
		}
		if !slices.Contains(out, db) {
			out = append(out, db)
		}
	}
	return out
}

// withoutForeign drops the file's settings that belong to other databases than the one that an option has chosen.
func (r *resolver) withoutForeign(db string) {
	for name, e := range r.given {
		if e.rank < r.flags-1 && !e.key.Serves(db) {
			delete(r.given, name)
		}
	}
}

// warnOfDatabase warns if an option replaces the different databases of the file's targets by one: the result names the targets as the
// file does.
func (r *suiteResolver) warnOfDatabase() {
	if len(r.databases) < 2 {
		return
	}
	for _, group := range [][]Setting{r.submission.Properties, r.submission.Flags} {
		for _, s := range group {
			if strings.TrimSpace(s.Key) == "db" {
				r.report(&r.warnings, finding{optionsOrder, property.Problem{
					Place: cmp.Or(s.Origin, "-p"), Key: "db",
					Text: fmt.Sprintf("replaces the databases of the suite, %s, by %s: the result has the names of its targets, and no figure of those databases", strings.Join(r.databases, ", "), property.Quote(s.Value)),
				}})
			}
		}
	}
}

// warnOfTable warns if cases of different datasets or targets insert into the same table.
func (r *suiteResolver) warnOfTable(c suite.Case) {
	p, s := c.Properties, c.Settings
	t, _ := r.table.targets.Find(s.DB)
	if !t.Stores {
		return
	}
	if !s.Load && s.Workload.Proportions.Insert <= 0 {
		return
	}
	mine := owner{c.Dataset, c.Target, c.At}
	words := []string{s.DB, p["table"]}
	for _, name := range t.Address {
		words = append(words, p[name])
	}
	key := strings.Join(words, "\n")
	for _, other := range r.tables[key] {
		if other.dataset == mine.dataset && other.target == mine.target {
			return
		}
		e := entry{place: c.At.String(), order: c.At.Order()}
		r.report(&r.warnings, e.finding("inserts into table %s, as does %s, which has another dataset or target: they overwrite each other's rows; give both the same dataset and target, or give each its own table",
			p["table"], other.at))
	}
	r.tables[key] = append(r.tables[key], mine)
}

// collect adds the findings of a case. A finding without a place gets that of the case.
func (r *suiteResolver) collect(c suite.Case, one *resolver) {
	r.inert = append(r.inert, one.inert...)
	for _, order := range one.used {
		r.used[order] = true
	}
	for _, list := range []struct {
		to   *[]finding
		from []finding
	}{{&r.problems, one.problems}, {&r.warnings, one.warnings}} {
		for _, f := range list.from {
			if f.Place == "" {
				f.Place, f.order = c.At.String(), c.At.Order()
			}
			r.report(list.to, f)
		}
	}
}

// share lets cases share one copy of a histogram or sample of field lengths.
func (r *suiteResolver) share(c *plan.Case) {
	w := &c.Settings.Workload
	content := c.Properties[HistogramContent] + c.Properties[SizesContent]
	if content == "" || w.FieldLengthHistogram == nil && w.ValueSizes == nil {
		return
	}
	content = string(w.FieldLengthDistribution) + content
	if have, ok := r.lengths[content]; ok {
		w.FieldLengthHistogram, w.ValueSizes = have.FieldLengthHistogram, have.ValueSizes
		return
	}
	r.lengths[content] = *w
}

// moved drops the address that a suite file sets if the command line selects another target: the address belongs to the
// suite's target. An address from the command line, whose rank is below base or that of an option, is kept.
func (r *resolver) moved(base int) {
	db, ok := r.given["db"]
	t, _ := r.table.targets.Find(db.value)
	if !ok || !t.Embedded.Possible() || db.rank < r.flags-1 {
		return
	}
	for _, name := range t.Address {
		if e, ok := r.given[name]; ok && base <= e.rank && e.rank < r.flags-1 {
			delete(r.given, name)
		}
	}
}

// adapt drops settings of the suite that do not apply to a case: only the settings of its dataset bound and pace a case
// that fills it, and a case that uses a dataset does not repeat the actions of filling it.
func (r *resolver) adapt(c suite.Case, base int) {
	ofDataset := base + int(suite.OfDataset)
	if e, ok := r.given["threadcount"]; ok && e.rank == ofDataset && r.value(searchVary) == string(search.Threads) {
		delete(r.given, "threadcount") // it is for the fill
	}
	if c.Fills {
		r.withoutSearch()
		for _, name := range ofRuns() {
			if e, ok := r.given[name]; ok && e.rank != ofDataset {
				delete(r.given, name)
			}
		}
		return
	}
	if c.Dataset != "" && r.value("phase") == "run" {
		for _, name := range append(r.table.targets.Filling(), plan.AfterLoadProperty) {
			if e, ok := r.given[name]; ok && e.rank <= ofDataset {
				delete(r.given, name)
			}
		}
	}
}

// ofRuns are the properties of measuring.
func ofRuns() []string {
	return []string{
		"duration", "target", "rate", "arrival", "warmup", "warmup.ops", "warmup.until", "operationcount",
		ActionsProperty, plan.BeforeRunProperty,
	}
}

// beside returns the value of a setting. A file name is resolved relative to the suite file that contains it.
func (t table) beside(s suite.Setting) string {
	if k, _ := t.find(strings.TrimSpace(s.Key)); k.File && s.Value != "" {
		return suite.Beside(s.At.File(), s.Value)
	}
	return s.Value
}

// Includes lists the attached files that a submission's suite file includes.
func (r *Reader) Includes(s Submission) []string {
	if s.Suite == nil {
		return nil
	}
	attached, _ := suite.Includes(r.table.input(s))
	return attached
}

// needsOfSuite lists the files that a suite includes, and those that its settings name.
func (r *Reader) needsOfSuite(s Submission) []string {
	t := r.table
	in := t.input(s)
	_, names := suite.Includes(in)
	if len(names) > 0 {
		return names // they may change every other name
	}
	read, _ := suite.Read(in)
	for _, c := range read.Cases {
		one := t.newResolver()
		for _, group := range c.Given {
			for _, setting := range group {
				one.set(entry{written: setting.Key, value: t.beside(setting), order: 1, rank: int(setting.Level)})
			}
		}
		one.takeOptions(s, int(suite.Levels))
		one.validateValues()
		for _, name := range one.needs() {
			if _, ok := s.Attachments[name]; !ok && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// finish builds the plan of the suite.
func (r *suiteResolver) finish(read *suite.Suite, cases []plan.Case) *plan.Suite {
	s := r.submission
	name := cmp.Or(s.Name, read.Name, strings.TrimSuffix(path.Base(s.Suite.Name), path.Ext(s.Suite.Name)))
	tags := maps.Clone(read.Tags)
	if tags == nil && len(s.Tags) > 0 {
		tags = make(map[string]string, len(s.Tags))
	}
	maps.Copy(tags, s.Tags)
	words := r.table.newResolver()
	words.order = optionsOrder
	words.validateLabels(s)
	for _, f := range words.problems {
		r.report(&r.problems, f)
	}
	return &plan.Suite{
		Name: name, Note: cmp.Or(s.Note, read.Note), Tags: tags, Cases: cases,
		Order: read.Order, OnFailure: read.OnFailure, Trial: s.Trial, Tables: tablesOf(read), Charts: chartsOf(read),
	}
}

func printableKey(key string) string {
	if key == "" {
		return ""
	}
	return property.PrintableName(key)
}
