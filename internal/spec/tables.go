package spec

import (
	"maps"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/figure"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/spec/suite"
	"github.com/benchd/benchd/internal/suggest"
)

// tablesOf are the tables of a suite, as reports know them.
func tablesOf(read *suite.Suite) []plan.Table {
	var tables []plan.Table
	for _, t := range read.Tables {
		tables = append(tables, t.Table)
	}
	return tables
}

// tableJudge judges the columns of one table: each is to be something that a case of the table's scenarios has, or that
// was published of one.
type tableJudge struct {
	*suiteJudge
	suite.Table
	lacking   func(scenario string, c figure.Column) string
	published map[string]bool // what was published of them, by its names
	bare      map[string]bool // and by what is bare of them
	clients   bool            // it has a line for each agent
	settled   bool            // what its cases do is known
	lenient   bool            // what they do is not what the file says of them
}

// judgeTables judges all tables. Whole is a suite of which everything could be made out.
func (j *suiteJudge) judgeTables(read *suite.Suite, cases []plan.Case, whole bool) {
	of := make(map[string][]plan.Case)
	for _, c := range cases {
		if !c.Fills {
			of[c.Scenario] = append(of[c.Scenario], c)
		}
	}
	lacking := lackingIn(of)
	shown := make(map[string]map[string]bool) // columns by scenario
	for _, t := range read.Tables {
		one := tableJudge{
			suiteJudge: j, Table: t, lacking: lacking, published: make(map[string]bool), bare: make(map[string]bool), clients: slices.Contains(t.Columns, "client"),
			settled: whole, lenient: j.submission.Trial || j.changed(),
		}
		for _, name := range t.Scenarios {
			one.settled = one.settled && len(of[name]) > 0 && !j.ill[name]
			for _, p := range read.Published[name] {
				one.published[p.Text], one.bare[bare(p.Text)] = true, true
			}
			if shown[name] == nil {
				shown[name] = make(map[string]bool)
			}
			for _, c := range t.Columns {
				shown[name][c] = true
			}
		}
		for i, name := range t.Columns {
			one.judge(j.table.figures.Parse(name), t.At[i])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(read.Published)) {
		names := read.Published[name]
		j.judgePublished(names[:min(len(names), mostPublished)], of[name], shown[name])
	}
}

// mostPublished bounds the names of a scenario's published lines that are judged.
const mostPublished = 200

// lackingIn tells what the cases of a scenario lack for a column; empty where one of them lacks nothing. Tables ask for the
// same again and again, and there may be thousands of cases.
func lackingIn(of map[string][]plan.Case) func(scenario string, c figure.Column) string {
	known := make(map[[2]string]string)
	return func(scenario string, c figure.Column) string {
		key := [2]string{scenario, c.Name}
		lack, ok := known[key]
		for i := 0; !ok && i < len(of[scenario]); i++ {
			lack = c.MissingRequirement(of[scenario][i])
			ok = lack == ""
		}
		known[key] = lack
		return lack
	}
}

// changed reports whether the command line says of cases what they do: then a column that stays empty is not the file's
// mistake.
func (j *suiteJudge) changed() bool {
	for _, s := range slices.Concat(j.submission.Properties, j.submission.Flags) {
		switch name := strings.TrimSpace(s.Key); name {
		case "rate", "target", "arrival", "db", "workload", "phase", "dotransactions", ActionsProperty:
			return true
		default:
			if strings.HasSuffix(name, "proportion") {
				return true
			}
		}
	}
	return false
}

func (j *tableJudge) judge(c figure.Column, at suite.Place) {
	here := entry{written: "columns", place: at.String(), order: at.Order()}
	told := j.said(c.Name)
	switch {
	case c.Class == figure.Other && !told && !j.isProperty(c.Name):
		j.unknownColumn(c.Name, here)
	case c.Class == figure.Other && told && !j.isProperty(c.Name):
		if near := suggest.Close(c.Name, j.table.figures.Names()); near != "" {
			j.tell(&j.warnings, here.finding("%s is no figure of benchd's, so that only what was published is shown; did you mean %s?", property.Quote(c.Name), near))
		}
	case told:
	case j.clients && c.Measured() && !c.OfAgent():
		j.tell(&j.problems, here.finding("%s stays empty: a table with the column client has a line for each agent, and of an agent's part of a run there are only total_ms and counts, means, least and greatest and p50, p95 and p99 of its operations; leave it out, or put it into a table without client", property.Quote(c.Name)))
	case j.settled:
		j.judgeLack(c, here)
	}
}

// judgeLack tells of a column that no case has anything for.
func (j *tableJudge) judgeLack(c figure.Column, here entry) {
	lack := ""
	for _, scenario := range j.Scenarios {
		if lack = j.lacking(scenario, c); lack == "" {
			return
		}
	}
	if key, ok := j.table.find(c.Name); ok && key.Status == property.Alias {
		j.tell(&j.problems, here.finding("%s is another name of %s; write that", property.Quote(c.Name), key.Of))
		return
	}
	to := &j.problems
	if j.lenient {
		to = &j.warnings
	}
	j.tell(to, here.finding("%s stays empty: no case of the table's scenarios %s; leave it out, or add a scenario that does", property.Quote(c.Name), lack))
}

// unknownColumn tells of a name that nothing gives.
func (j *tableJudge) unknownColumn(name string, here entry) {
	near := ""
	if len(j.problems) < mostOfSuite { // the rest are only counted
		near = suggest.Nearest(name, slices.Concat(j.table.figures.Names(), slices.Sorted(maps.Keys(j.published)), j.table.names()))
	}
	base, _ := figure.Split(name)
	switch {
	case figure.IsPercentile(name) && near != "" && !figure.IsStat(base[strings.LastIndexByte(base, '_')+1:]):
		j.tell(&j.problems, here.finding("unknown column %s; did you mean %s? (of percentiles there are p50, p90, p95, p99, p999 and p9999)", property.Quote(name), near))
	case near != "":
		j.tell(&j.problems, here.finding("unknown column %s; did you mean %s?", property.Quote(name), near))
	default:
		j.tell(&j.problems, here.finding("unknown column %s: it is no figure (such as throughput_ops, read_avg_ms, read_p99_us, total_s), no property, and in no published line of the table's scenarios", property.Quote(name)))
	}
}

func (j *suiteJudge) isProperty(name string) bool {
	key, ok := j.table.find(name)
	return ok && key.Status != property.Refused && key.Status != property.Idle
}

// judgePublished warns of names in published lines that nothing shows, and that are nearly those of something.
func (j *suiteJudge) judgePublished(names []suite.Name, cases []plan.Case, shown map[string]bool) {
	figures, bares := j.table.figures.Names(), make(map[string]bool)
	for _, name := range figures {
		bares[bare(name)] = true
	}
	axes := make(map[string]bool)
	for _, one := range cases {
		for _, a := range one.Axes {
			axes[a.Key] = true
		}
	}
	known := slices.Concat(figures, []string{"at"}, slices.Sorted(maps.Keys(axes)), slices.Sorted(maps.Keys(shown)))
	for _, n := range names {
		c := j.table.figures.Parse(n.Text)
		switch {
		case c.Class != figure.Other, n.Text == "at", shown[n.Text], axes[n.Text], j.isProperty(n.Text), len(j.warnings) >= mostWarnings:
			continue
		case n.Text != bare(n.Text) && bares[bare(n.Text)]:
			continue // in words, or as bounds
		}
		if near := suggest.Close(n.Text, known); near != "" {
			e := entry{written: "published", place: n.At.String(), order: n.At.Order()}
			j.tell(&j.warnings, e.finding("no table shows %s; did you mean %s?", property.Quote(n.Text), near))
		}
	}
}

// said reports whether published lines have something for a column: the figure, perhaps in another unit, in words, or its
// bounds.
func (j *tableJudge) said(name string) bool {
	base, _ := figure.Split(name)
	return j.published[name] || j.bare[strings.TrimSuffix(base, "_ops")]
}

// bare is what a figure, its bounds and what is said of it in words have in common.
func bare(name string) string {
	base, _ := figure.Split(name)
	for _, suffix := range []string{"_ops", "_text", "_low", "_high", "_about"} {
		if b, ok := strings.CutSuffix(base, suffix); ok {
			return b
		}
	}
	return base
}
