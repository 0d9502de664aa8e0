package spec

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/plan"
)

// entry is a setting with the place where it was said.
type entry struct {
	key     Key    // what it means: an alias is replaced by its property
	written string // the name as the user wrote it
	value   string
	place   string
	rank    int // of its source: a higher one wins
	order   int // among all settings
}

// judge collects what a submission says and what is wrong with it.
type judge struct {
	table    table
	given    map[string]entry // what won, by property
	bad      map[string]bool  // properties whose value is wrong
	order    int
	problems []finding
	warnings []finding
}

// finding is a problem or warning, with the order of the setting that it is about.
type finding struct {
	order int
	Problem
}

func newJudge() *judge {
	return &judge{table: newTable(), given: make(map[string]entry), bad: make(map[string]bool)}
}

func (j *judge) fail(e entry, format string, args ...any) {
	j.problems = append(j.problems, finding{e.order, Problem{Place: e.place, Key: e.written, Text: fmt.Sprintf(format, args...)}})
}

func (j *judge) warn(e entry, format string, args ...any) {
	j.warnings = append(j.warnings, finding{e.order, Problem{Place: e.place, Key: e.written, Text: fmt.Sprintf(format, args...)}})
}

func (j *judge) err() error {
	if len(j.problems) == 0 {
		return nil
	}
	sortFindings(j.problems)
	problems := make(Problems, len(j.problems))
	for i, f := range j.problems {
		problems[i] = f.Problem
	}
	return problems
}

// sortedWarnings returns the warnings. Where there are problems, what was not given may be what was misspelt:
// nothing is said about it.
func (j *judge) sortedWarnings() []Warning {
	sortFindings(j.warnings)
	var warnings []Warning
	for _, f := range j.warnings {
		if f.order > 0 || len(j.problems) == 0 {
			warnings = append(warnings, Warning(f.Problem))
		}
	}
	return warnings
}

func sortFindings(list []finding) {
	slices.SortStableFunc(list, func(a, b finding) int { return cmp.Compare(a.order, b.order) })
}

// take reads all that a submission sets, from what wins least to what wins most.
func (j *judge) take(s Submission) {
	total := 0
	for _, f := range s.Files {
		if total += len(f.Content); total > 4*maxFile {
			j.fail(entry{place: f.Name}, "is too much with the files before it: all together may have %d bytes", 4*maxFile)
			break
		}
	}
	for rank, f := range s.Files {
		properties, problems := readProperties(f.Name, f.Content)
		for _, p := range properties {
			j.set(entry{written: p.key, value: p.value, place: placeOf(f.Name, p.line), rank: rank})
		}
		for _, p := range problems {
			j.problems = append(j.problems, finding{j.order, p})
		}
	}
	for i, group := range [][]Setting{s.Properties, s.Flags} {
		for _, setting := range group {
			place := setting.Origin
			if place == "" {
				place = "-p"
			}
			j.set(entry{written: setting.Key, value: setting.Value, place: place, rank: len(s.Files) + i})
		}
	}
}

// set judges a setting's name and keeps the setting if it wins.
func (j *judge) set(e entry) {
	j.order++
	e.order = j.order
	name := strings.TrimSpace(e.written)
	key, ok := j.table.find(name)
	if !ok {
		j.unknown(e, name)
		return
	}
	property := key.Name
	if key.Status == Alias {
		property = key.Of
	}
	e.key = key
	if before, ok := j.given[property]; ok && before.rank == e.rank {
		j.setAgain(before, e)
	}
	j.given[property] = e
}

func (j *judge) setAgain(before, e entry) {
	one, errOne := before.key.canonical(before.value)
	other, errOther := e.key.canonical(e.value)
	switch {
	case errOne == nil && errOther == nil && one == other:
	case before.key.Name != e.key.Name:
		j.fail(e, "means the same as %s (%s); give one of them", before.written, before.place)
	case before.value != e.value:
		j.warn(before, "is set again, to %s (%s), which wins", quote(e.value), e.place)
	}
}

func (j *judge) unknown(e entry, name string) {
	if strings.HasPrefix(name, "htrace.") {
		j.warn(e, "has no effect: it concerns tracing in YCSB's JVM")
		return
	}
	if prefix := foreign(name); prefix != "" {
		j.warn(e, "has no effect: properties that begin with %s belong to a binding of YCSB that is not used here", prefix)
		return
	}
	e.written = printableName(e.written)
	if near := j.table.near(name); near != "" {
		j.fail(e, "unknown property; did you mean %s?", near)
		return
	}
	j.fail(e, "unknown property, and none has a name like it; leave it out")
}

// printableName is a name as a message can show it.
func printableName(name string) string {
	if printable(name) != nil || len(name) > 60 {
		return quote(name)
	}
	return name
}

// judgeValues judges what won, writes it in canonical spelling and turns aliases into their properties.
func (j *judge) judgeValues() {
	for property, e := range j.given {
		if e.key.Status == Refused || e.key.Status == Idle {
			continue // only a run's target decides whether they matter
		}
		if e.key.Kind != Text && strings.TrimSpace(e.value) == "" {
			if byDefault := j.table.defaultOf(property); byDefault != "" {
				j.warn(e, "has no value: taken as not given, so it is %s", byDefault)
			}
			delete(j.given, property)
			continue
		}
		value, err := e.key.canonical(e.value)
		if err != nil {
			j.bad[property] = true
			j.fail(e, "%s", err)
			delete(j.given, property)
			continue
		}
		if e.key.Status == Alias {
			if e.key.Reason != "" {
				j.warn(e, "is taken as %s=%s: %s", property, value, e.key.Reason)
			}
			e.key, _ = j.table.find(property)
		}
		e.value = value
		j.given[property] = e
	}
}

// value returns a property's value so far, or its default.
func (j *judge) value(property string) string {
	if e, ok := j.given[property]; ok {
		return e.value
	}
	return j.table.defaultOf(property)
}

// said returns the setting of a property, or one without a place where it was not set.
func (j *judge) said(property string) entry {
	if e, ok := j.given[property]; ok {
		return e
	}
	return entry{written: property}
}

// attach puts the content of the file that fieldlengthhistogram names among the settings.
func (j *judge) attach(attachments map[string][]byte) {
	if j.value("fieldlengthdistribution") != "histogram" {
		if e, ok := j.given[HistogramContent]; ok {
			j.warn(e, "has no effect without fieldlengthdistribution=histogram")
			delete(j.given, HistogramContent)
		}
		return
	}
	if _, ok := j.given[HistogramContent]; ok || j.bad["fieldlengthhistogram"] || j.bad[HistogramContent] {
		return
	}
	name := j.value("fieldlengthhistogram")
	content, ok := attachments[name]
	if !ok {
		j.fail(j.said("fieldlengthhistogram"), "the content of file %s was not handed in; is there such a file where you submit from?", quote(name))
		return
	}
	text, err := decodeText(content)
	if err == nil {
		_, err = ParseHistogram(text)
	}
	if err != nil {
		j.fail(j.said("fieldlengthhistogram"), "file %s: %s", quote(name), err)
		return
	}
	key, _ := j.table.find(HistogramContent)
	j.given[HistogramContent] = entry{key: key, written: HistogramContent, value: text, place: name}
}

// settle resolves what excludes each other and returns every setting of this run's target with its value, and
// what they mean.
func (j *judge) settle() (map[string]string, plan.Settings) {
	j.rivals("threadcount", "threads.total")
	j.rivals("target", "rate")
	j.settleArrival()
	j.settleRecords()
	db := j.value("db")
	properties := make(map[string]string)
	for _, k := range j.table.keys {
		if k.Status != Honoured && k.Status != Reporting || !k.serves(db) {
			continue
		}
		if v := j.value(k.Name); v != "" || k.Default != "" {
			properties[k.Name] = v
		}
	}
	// Settings are read with all defaults, those of no value too.
	return properties, values(properties).settings()
}

// rivals are two properties of which only one can hold: the one that was said in the stronger source.
func (j *judge) rivals(a, b string) {
	x, inX := j.given[a]
	y, inY := j.given[b]
	if !inX || !inY || j.idle(x) || j.idle(y) {
		return
	}
	if x.rank == y.rank {
		j.fail(y, "excludes %s (%s); give one of them", x.written, cmp.Or(x.place, "set too"))
		return
	}
	if x.rank > y.rank {
		x, y = y, x
	}
	j.warn(x, "is given up for %s (%s)", y.written, y.place)
	delete(j.given, x.key.Name)
}

// idle reports whether a setting says no more than its default does.
func (j *judge) idle(e entry) bool { return e.value == e.key.Default }

// settleArrival makes rate and arrival agree: a rate means an open loop.
func (j *judge) settleArrival() {
	rate, hasRate := j.given["rate"]
	arrival, hasArrival := j.given["arrival"]
	hasRate = hasRate && rate.value != ""
	open := hasArrival && arrival.value != "closed"
	switch {
	case j.bad["rate"] || j.bad["arrival"]:
	case hasRate && !hasArrival:
		key, _ := j.table.find("arrival")
		j.given["arrival"] = entry{key: key, written: "arrival", value: "fixed", place: rate.place, rank: rate.rank, order: rate.order}
		j.warn(rate, "without arrival: taken as an open loop, arrival=fixed")
	case hasRate && !open && arrival.rank > rate.rank:
		j.warn(rate, "is given up for arrival=closed (%s)", arrival.place)
		delete(j.given, "rate")
	case hasRate && !open:
		j.fail(rate, "is of an open loop, and arrival=closed says that there is none; write arrival=fixed or arrival=poisson, or target for a closed loop that is throttled")
	case open && !hasRate:
		cure := "write how many operations per second, such as rate=1000"
		if target := j.value("target"); target != "0" {
			cure = fmt.Sprintf("target is of a closed loop; write rate=%s instead of it", target)
		}
		j.fail(arrival, "%s needs a rate: %s", arrival.value, cure)
	}
}

// settleRecords does what YCSB does where a run is not told how many rows there are: it draws from 2^31-1.
func (j *judge) settleRecords() {
	if j.value("recordcount") != "0" || j.bad["recordcount"] || j.value("phase") != "run" {
		return
	}
	const all = "2147483647"
	e := j.said("recordcount")
	e.key, _ = j.table.find("recordcount")
	e.value = all
	j.warn(e, "not given: rows are drawn from %s as in YCSB; say how many the table has", all)
	j.given["recordcount"] = e
}

// judgeTarget judges the properties that only some targets know, now that it is known which one is used.
func (j *judge) judgeTarget(available []string) {
	db := j.value("db")
	if len(available) > 0 && !j.bad["db"] && !slices.Contains(available, db) {
		j.fail(j.said("db"), "target %q is not built into this benchd; it has %s", db, strings.Join(available, ", "))
	}
	for _, e := range j.given {
		switch {
		case !e.key.serves(db):
			j.warn(e, "has no effect: it is of target %s, and the target is %s", strings.Join(e.key.Targets, " or "), db)
		case e.key.Status == Refused:
			j.fail(e, "is not supported: %s", e.key.Reason)
		case e.key.Status == Idle && !strings.EqualFold(strings.TrimSpace(e.value), "false"):
			j.warn(e, "has no effect: %s", e.key.Reason)
		case e.key.Status == Reporting && !j.idle(e):
			j.warn(e, "shapes only what is printed in YCSB's form (-o ycsb)")
		}
	}
	if _, ok := j.given["db"]; !ok && !j.bad["db"] {
		j.warn(entry{}, "no db is given: the target is null, which stores nothing; write db=hbase or the like to measure a system")
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
	complain("--name", "", printable(s.Name))
	complain("--note", "", printable(strings.NewReplacer("\n", "", "\t", "").Replace(s.Note)))
	for _, key := range slices.Sorted(maps.Keys(s.Tags)) {
		if strings.TrimSpace(key) == "" {
			complain("--tag", "", errors.New("a tag has no name; write name=value"))
		}
		complain("--tag", printableName(key), cmp.Or(printable(key), printable(s.Tags[key])))
	}
}
