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
	"github.com/benchd/benchd/internal/spec/suite"
	"github.com/benchd/benchd/internal/workload"
)

// optionsOrder is where the command line's settings come in the order of what is told: behind all files.
const optionsOrder = 1 << 60

// suiteJudge judges a suite file: each setting by itself, then each case as a properties file is judged. What several
// cases have wrong is told once.
type suiteJudge struct {
	submission Submission
	table      table
	base       int // the rank of a suite's own settings; those of an hbase-site.xml go below
	problems   []finding
	warnings   []finding
	told       map[property.Problem]bool
	broken     map[suite.Place]bool // lists of actions, one of which is a mistake that has been told
	histograms map[string]workload.Config
	tables     map[string][]owner // who inserts into each table
	ill        map[string]bool    // scenarios whose cases have mistakes
	inert      []finding          // settings without an effect in one case
	used       map[int]bool       // the orders of those that have one in another
}

// owner is cases that insert and know of each other's rows.
type owner struct {
	dataset, target string
	at              suite.Place
}

func (r *Reader) parseSuite(s Submission) (*plan.Suite, []property.Warning, error) {
	t := r.table
	read, mistakes := suite.Read(t.input(s))
	j := &suiteJudge{
		submission: s, table: t, base: len(s.Files),
		told: make(map[property.Problem]bool), broken: make(map[suite.Place]bool), histograms: make(map[string]workload.Config),
		tables: make(map[string][]owner), ill: make(map[string]bool), used: make(map[int]bool),
	}
	for _, m := range mistakes {
		j.tell(&j.problems, finding{m.At.Order(), property.Problem{Place: m.At.String(), Key: printableKey(m.Key), Text: m.Text}})
	}
	j.judgeOptions()
	j.judgeSaid(read.Said)
	cases := j.judgeCases(read.Cases)
	j.judgeTables(read, cases, len(mistakes) == 0)
	for _, f := range j.inert {
		if !j.used[f.order] {
			j.tell(&j.warnings, f)
		}
	}
	out := j.finish(read, cases)
	sum := t.judge()
	sum.problems, sum.warnings = j.problems, j.warnings
	if len(sum.problems) > mostOfSuite {
		sortFindings(sum.problems)
		sum.unsaid = len(sum.problems) - mostOfSuite
		sum.problems = sum.problems[:mostOfSuite]
	}
	if err := sum.err(); err != nil {
		return nil, sum.sortedWarnings(), err
	}
	return out, sum.sortedWarnings(), nil
}

// MaxAttachment bounds a file that is handed in with a submission.
const MaxAttachment = maxFile

// mostOfSuite bounds the problems that are told of a suite.
const mostOfSuite = 100

// input is what package suite reads.
func (t table) input(s Submission) suite.Input {
	in := suite.Input{
		Name: s.Suite.Name, Content: s.Suite.Content, Attachments: s.Attachments, Trial: s.Trial,
		Property: func(name string) string {
			name = strings.TrimSpace(name)
			if k, ok := t.find(name); ok && k.Status == property.Alias {
				return k.Of
			}
			return name
		},
	}
	for _, v := range s.Variables {
		in.Variables = append(in.Variables, suite.Variable{Name: v.Key, Value: v.Value, Origin: v.Origin})
	}
	return in
}

// tell keeps a finding that was not told before.
func (j *suiteJudge) tell(to *[]finding, f finding) {
	if !j.told[f.Problem] {
		j.told[f.Problem] = true
		*to = append(*to, f)
	}
}

// judgeOptions judges what may not stand beside a suite file.
func (j *suiteJudge) judgeOptions() {
	for _, f := range j.submission.Files {
		if !f.site() {
			j.tell(&j.problems, finding{optionsOrder, property.Problem{Place: "-P", Text: fmt.Sprintf("%s is a properties file, and a suite file says all that such files say; put its settings under properties: or set them with -p", property.Quote(f.Name))}})
		}
	}
	for _, group := range [][]Setting{j.submission.Properties, j.submission.Flags} {
		for _, s := range group {
			if name := strings.TrimSpace(s.Key); name == "phase" || name == "dotransactions" {
				j.tell(&j.problems, finding{optionsOrder, property.Problem{
					Place: cmp.Or(s.Origin, "-p"), Key: name,
					Text: "a suite's datasets and scenarios say what is loaded and what is run; leave it out",
				}})
			}
		}
	}
}

// judgeSaid judges each setting of the file by itself, also where no case uses it.
func (j *suiteJudge) judgeSaid(said []suite.Setting) {
	for _, s := range said {
		name := strings.TrimSpace(s.Key)
		e := entry{written: s.Key, value: s.Value, place: s.Named.String(), order: s.Named.Order()}
		key, ok := j.table.find(name)
		if !ok {
			j.unknown(e, name)
			continue
		}
		e.place, e.order = s.At.String(), s.At.Order()
		if key.Status == property.Refused || key.Status == property.Idle || key.Kind != property.Text && strings.TrimSpace(s.Value) == "" {
			continue // cases tell
		}
		if _, err := key.Canonical(s.Value); err != nil {
			j.tell(&j.problems, e.finding("%s", err))
			j.broken[s.Named] = j.broken[s.Named] || s.Named != s.At && name == ActionsProperty
		}
	}
}

// unknown tells of a property that nobody knows. In a suite one of another binding's is a mistake too.
func (j *suiteJudge) unknown(e entry, name string) {
	prefix := foreign(name)
	switch near := j.table.near(name); {
	case prefix != "":
		j.tell(&j.problems, e.finding("unknown property: those that begin with %s belong to a binding of YCSB that is not used here; leave it out", prefix))
	case near != "":
		j.tell(&j.problems, e.finding("unknown property; did you mean %s?", near))
	default:
		j.tell(&j.problems, e.finding("unknown property, and none has a name like it; leave it out"))
	}
}

// judgeCases judges the cases, and leaves out those that fill what their first user fills itself.
func (j *suiteJudge) judgeCases(read []suite.Case) []plan.Case {
	cases := make([]plan.Case, 0, len(read))
	for i, c := range read {
		one := j.judgeCase(c)
		if n := len(cases); i > 0 && n > 0 && cases[n-1].Fills && !c.Fills && one.Settings.Load && one.Settings.Workload.InsertStart == 0 {
			cases = cases[:n-1]
		}
		cases = append(cases, one)
	}
	return cases
}

// judgeCase judges one case.
func (j *suiteJudge) judgeCase(c suite.Case) plan.Case {
	one := j.table.judge()
	one.takeFiles(j.submission)
	for _, group := range c.Said {
		for _, s := range group {
			if _, ok := j.table.find(strings.TrimSpace(s.Key)); !ok || j.broken[s.At] { // it has been told
				j.ill[c.Scenario] = true
			} else {
				one.set(entry{written: s.Key, value: j.table.beside(s), place: s.At.String(), order: s.At.Order(), rank: j.base + int(s.Level)})
			}
		}
	}
	one.order = optionsOrder
	top := j.base + int(suite.Levels)
	one.takeOptions(j.submission, top)
	one.moved(j.base)
	one.goOnInserting()
	if c.Fills {
		key, _ := j.table.find("phase")
		one.given["phase"] = entry{key: key, written: "phase", value: "load", place: c.At.String(), order: c.At.Order(), rank: top + 2}
	}
	judged := one.judgeCase(j.submission, func() { one.adapt(c, j.base) })
	j.collect(c, one)
	j.ill[c.Scenario] = j.ill[c.Scenario] || len(one.problems) > 0
	c.Properties, c.Settings = judged.Properties, judged.Settings
	j.share(&c.Case)
	j.warnOfTable(c)
	return c.Case
}

// warnOfTable tells of a table into which cases insert that know nothing of each other's rows.
func (j *suiteJudge) warnOfTable(c suite.Case) {
	p, s := c.Properties, c.Settings
	t, _ := j.table.targets.Find(s.DB)
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
	for _, other := range j.tables[key] {
		if other.dataset == mine.dataset && other.target == mine.target {
			return
		}
		e := entry{place: c.At.String(), order: c.At.Order()}
		j.tell(&j.warnings, e.finding("inserts into table %s, as what stands at %s does, which is of another dataset or target: they write over each other's rows; let both be of one, or give each a table of its own",
			p["table"], other.at))
	}
	j.tables[key] = append(j.tables[key], mine)
}

// collect takes over what a case's judge found. What has no place gets the case's.
func (j *suiteJudge) collect(c suite.Case, one *judge) {
	j.inert = append(j.inert, one.inert...)
	for _, order := range one.used {
		j.used[order] = true
	}
	for _, list := range []struct {
		to   *[]finding
		from []finding
	}{{&j.problems, one.problems}, {&j.warnings, one.warnings}} {
		for _, f := range list.from {
			if f.Place == "" {
				f.Place, f.order = c.At.String(), c.At.Order()
			}
			j.tell(list.to, f)
		}
	}
}

// share lets cases have one copy of what is large.
func (j *suiteJudge) share(c *plan.Case) {
	content := c.Properties[HistogramContent]
	if content == "" {
		return
	}
	if have, ok := j.histograms[content]; ok {
		c.Settings.Workload.FieldLengthHistogram = have.FieldLengthHistogram
		return
	}
	j.histograms[content] = c.Settings.Workload
}

// moved gives up the address that a suite file has for a target when the command line names another target: it is not that
// one's. An address on the command line itself, whose ranks are below base or those of options, is never given up.
func (j *judge) moved(base int) {
	db, ok := j.given["db"]
	t, _ := j.table.targets.Find(db.value)
	if !ok || !t.Embedded.Possible() || db.rank < j.flags-1 {
		return
	}
	for _, name := range t.Address {
		if e, ok := j.given[name]; ok && base <= e.rank && e.rank < j.flags-1 {
			delete(j.given, name)
		}
	}
}

// adapt leaves out what a suite says for all its cases and one of them cannot mean: a case that fills a dataset is bounded
// and paced only by what the dataset says, and what is done to a table when it is filled is not done again by those that
// use it.
func (j *judge) adapt(c suite.Case, base int) {
	ofDataset := base + int(suite.OfDataset)
	if c.Fills {
		for _, name := range ofRuns() {
			if e, ok := j.given[name]; ok && e.rank != ofDataset {
				delete(j.given, name)
			}
		}
		return
	}
	if c.Dataset != "" && j.value("phase") == "run" {
		for _, name := range append(j.table.targets.Filling(), plan.AfterLoadProperty) {
			if e, ok := j.given[name]; ok && e.rank <= ofDataset {
				delete(j.given, name)
			}
		}
	}
}

// ofRuns are the properties that say how a run measures.
func ofRuns() []string {
	return []string{
		"duration", "target", "rate", "arrival", "warmup", "warmup.ops", "warmup.until", "operationcount",
		ActionsProperty, plan.BeforeRunProperty,
	}
}

// beside is a setting's value; a file's name is relative to the suite file that names it.
func (t table) beside(s suite.Setting) string {
	if k, _ := t.find(strings.TrimSpace(s.Key)); k.File && s.Value != "" {
		return suite.Beside(s.At.File(), s.Value)
	}
	return s.Value
}

// Includes names the attached files that a submission's suite file includes.
func (r *Reader) Includes(s Submission) []string {
	if s.Suite == nil {
		return nil
	}
	attached, _ := suite.Includes(r.table.input(s))
	return attached
}

// needsOfSuite names the files that a suite includes, and those that its settings name.
func (r *Reader) needsOfSuite(s Submission) []string {
	t := r.table
	in := t.input(s)
	_, names := suite.Includes(in)
	if len(names) > 0 {
		return names // they may change all else
	}
	read, _ := suite.Read(in)
	for _, c := range read.Cases {
		one := t.judge()
		for _, group := range c.Said {
			for _, said := range group {
				one.set(entry{written: said.Key, value: t.beside(said), order: 1, rank: int(said.Level)})
			}
		}
		one.takeOptions(s, int(suite.Levels))
		one.judgeValues()
		for _, name := range one.needs() {
			if _, ok := s.Attachments[name]; !ok && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// finish puts the suite together.
func (j *suiteJudge) finish(read *suite.Suite, cases []plan.Case) *plan.Suite {
	s := j.submission
	name := cmp.Or(s.Name, read.Name, strings.TrimSuffix(path.Base(s.Suite.Name), path.Ext(s.Suite.Name)))
	tags := maps.Clone(read.Tags)
	if tags == nil && len(s.Tags) > 0 {
		tags = make(map[string]string, len(s.Tags))
	}
	maps.Copy(tags, s.Tags)
	words := j.table.judge()
	words.order = optionsOrder
	words.judgeWords(s)
	for _, f := range words.problems {
		j.tell(&j.problems, f)
	}
	return &plan.Suite{
		Name: name, Note: cmp.Or(s.Note, read.Note), Tags: tags, Cases: cases,
		Order: read.Order, OnFailure: read.OnFailure, Trial: s.Trial, Tables: tablesOf(read),
	}
}

func printableKey(key string) string {
	if key == "" {
		return ""
	}
	return property.PrintableName(key)
}
