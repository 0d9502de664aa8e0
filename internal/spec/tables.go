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

// tablesOf returns the tables of a suite for reports.
func tablesOf(read *suite.Suite) []plan.Table {
	var tables []plan.Table
	for _, t := range read.Tables {
		tables = append(tables, t.Table)
	}
	return tables
}

// tableValidator validates the columns of one table: a case of the table's scenarios must have the value, or a published line
// must contain it.
type tableValidator struct {
	*suiteResolver
	suite.Table
	key       string // that lists the columns: columns, or y of a chart
	lacking   func(scenario string, c figure.Column) string
	published map[string]bool // the published names of its scenarios
	bare      map[string]bool // the same, reduced by bare
	clients   bool            // it has a line for each agent
	settled   bool            // the cases of its scenarios are valid
	lenient   bool            // the command line changes the cases
}

// validateTables validates all tables. Whole reports that the suite was read without mistakes.
func (r *suiteResolver) validateTables(read *suite.Suite, cases []plan.Case, whole bool) {
	of := casesByScenario(cases)
	lacking := lackingIn(of)
	shown := make(map[string]map[string]bool) // columns by scenario
	for _, t := range read.Tables {
		one := r.columnsOf(read, of, t, lacking, whole)
		for _, name := range t.Scenarios {
			if shown[name] == nil {
				shown[name] = make(map[string]bool)
			}
			for _, c := range t.Columns {
				shown[name][c] = true
			}
		}
		for i, name := range t.Columns {
			one.checkColumn(r.table.figures.Parse(name), t.At[i])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(read.Published)) {
		names := read.Published[name]
		r.validatePublished(names[:min(len(names), mostPublished)], of[name], shown[name])
	}
}

// casesByScenario are the cases that measure, by their scenarios.
func casesByScenario(cases []plan.Case) map[string][]plan.Case {
	of := make(map[string][]plan.Case)
	for _, c := range cases {
		if !c.Fills {
			of[c.Scenario] = append(of[c.Scenario], c)
		}
	}
	return of
}

// columnsOf returns the validator of the columns of a table.
func (r *suiteResolver) columnsOf(read *suite.Suite, of map[string][]plan.Case, t suite.Table, lacking func(string, figure.Column) string, whole bool) *tableValidator {
	one := &tableValidator{
		suiteResolver: r, Table: t, key: "columns", lacking: lacking, published: make(map[string]bool), bare: make(map[string]bool),
		clients: slices.Contains(t.Columns, "client"), settled: whole, lenient: r.submission.Trial || r.changed(),
	}
	for _, name := range t.Scenarios {
		one.settled = one.settled && len(of[name]) > 0 && !r.invalid[name]
		for _, p := range read.Published[name] {
			one.published[p.Text], one.bare[bare(p.Text)] = true, true
		}
	}
	return one
}

// mostPublished bounds the names that are validated in a scenario's published lines.
const mostPublished = 200

// lackingIn returns a function that reports what the cases of a scenario lack for a column, or "" if one of them lacks
// nothing. It caches results, because tables repeat columns and there may be thousands of cases.
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

// changed reports whether the command line changes the operations of cases. In that case an empty column is not a mistake
// in the file.
func (r *suiteResolver) changed() bool {
	for _, s := range slices.Concat(r.submission.Properties, r.submission.Flags) {
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

// what is validated: a table, or a chart.
func (v *tableValidator) what() string {
	if v.key == "y" {
		return "chart"
	}
	return "table"
}

func (v *tableValidator) checkColumn(c figure.Column, at suite.Place) {
	here := entry{written: v.key, place: at.String(), order: at.Order()}
	published := v.hasPublished(c.Name)
	switch {
	case c.Class == figure.Other && !published && !v.isProperty(c.Name):
		v.unknownColumn(c.Name, here)
	case c.Class == figure.Other && published && !v.isProperty(c.Name):
		if near := suggest.Close(c.Name, v.table.figures.Names()); near != "" {
			v.report(&v.warnings, here.finding("%s is not a figure of benchd, so the column shows only published values; did you mean %s?", property.Quote(c.Name), near))
		}
	case published:
	case v.clients && c.Measured() && !c.OfAgent():
		v.report(&v.problems, here.finding("%s stays empty: a table with the column client has a line per agent, and the part of an agent has only total_ms and the count, mean, minimum, maximum, p50, p95 and p99 of its operations; remove it, or move it to a table without client", property.Quote(c.Name)))
	case v.settled:
		v.reportMissing(c, here)
	}
}

// reportMissing reports a column that no case has a value for.
func (v *tableValidator) reportMissing(c figure.Column, here entry) {
	lack := ""
	for _, scenario := range v.Scenarios {
		if lack = v.lacking(scenario, c); lack == "" {
			return
		}
	}
	if key, ok := v.table.find(c.Name); ok && key.Status == property.Alias {
		v.report(&v.problems, here.finding("%s is an alias of %s; write %[2]s", property.Quote(c.Name), key.Of))
		return
	}
	to := &v.problems
	if v.lenient {
		to = &v.warnings
	}
	v.report(to, here.finding("%s stays empty: no case of the %s's scenarios %s; remove it, or add a scenario that does", property.Quote(c.Name), v.what(), lack))
}

// unknownColumn reports a name that is neither a figure, nor a property, nor published.
func (v *tableValidator) unknownColumn(name string, here entry) {
	near := ""
	if len(v.problems) < mostOfSuite { // the rest are only counted
		near = suggest.Nearest(name, slices.Concat(v.table.figures.Names(), slices.Sorted(maps.Keys(v.published)), v.table.names()))
	}
	base, _ := figure.Split(name)
	switch {
	case figure.IsPercentile(name) && near != "" && !figure.IsStat(base[strings.LastIndexByte(base, '_')+1:]):
		v.report(&v.problems, here.finding("unknown column %s; did you mean %s? (the percentiles are p50, p90, p95, p99, p999 and p9999)", property.Quote(name), near))
	case near != "":
		v.report(&v.problems, here.finding("unknown column %s; did you mean %s?", property.Quote(name), near))
	default:
		v.report(&v.problems, here.finding("unknown column %s: want a figure (such as throughput_ops, read_avg_ms, read_p99_us, total_s), a property, or a name in a published line of the %s's scenarios", property.Quote(name), v.what()))
	}
}

func (r *suiteResolver) isProperty(name string) bool {
	key, ok := r.table.find(name)
	return ok && key.Status != property.Refused && key.Status != property.Idle
}

// validatePublished warns about names in published lines that no table shows and that resemble a known name.
func (r *suiteResolver) validatePublished(names []suite.Name, cases []plan.Case, shown map[string]bool) {
	figures, bares := r.table.figures.Names(), make(map[string]bool)
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
		c := r.table.figures.Parse(n.Text)
		switch {
		case c.Class != figure.Other, n.Text == "at", shown[n.Text], axes[n.Text], r.isProperty(n.Text), len(r.warnings) >= mostWarnings:
			continue
		case n.Text != bare(n.Text) && bares[bare(n.Text)]:
			continue // as text, or as bounds
		}
		if near := suggest.Close(n.Text, known); near != "" {
			e := entry{written: "published", place: n.At.String(), order: n.At.Order()}
			r.report(&r.warnings, e.finding("no table shows %s; did you mean %s?", property.Quote(n.Text), near))
		}
	}
}

// hasPublished reports whether published lines have a value for a column: the figure, perhaps in another unit, as text, or its
// bounds.
func (v *tableValidator) hasPublished(name string) bool {
	base, _ := figure.Split(name)
	return v.published[name] || v.bare[strings.TrimSuffix(base, "_ops")]
}

// bare returns the common part of the names of a figure, its bounds and its text.
func bare(name string) string {
	base, _ := figure.Split(name)
	for _, suffix := range []string{"_ops", "_text", "_low", "_high", "_about"} {
		if b, ok := strings.CutSuffix(base, suffix); ok {
			return b
		}
	}
	return base
}
