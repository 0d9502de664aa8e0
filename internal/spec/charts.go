package spec

import (
	"slices"

	"github.com/benchd/benchd/internal/figure"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/spec/suite"
	"github.com/benchd/benchd/internal/suggest"
)

// chartsOf returns the charts of a suite for reports.
func chartsOf(read *suite.Suite) []plan.Chart {
	var charts []plan.Chart
	for _, c := range read.Charts {
		charts = append(charts, c.Chart)
	}
	return charts
}

// validateCharts validates all charts. Whole reports that the suite was read without mistakes.
func (r *suiteResolver) validateCharts(read *suite.Suite, cases []plan.Case, whole bool) {
	of := casesByScenario(cases)
	lacking := lackingIn(of)
	for _, c := range read.Charts {
		one := r.columnsOf(read, of, suite.Table{Table: plan.Table{Title: c.Title, Scenarios: c.Scenarios, Columns: c.Y}, At: c.YAt}, lacking, whole)
		one.key = "y"
		for i, name := range c.Y {
			if column := r.table.figures.Parse(name); column.Class == figure.Identity || r.isProperty(name) {
				r.report(&r.problems, entry{written: "y", place: c.YAt[i].String(), order: c.YAt[i].Order()}.finding(
					"%s is not a figure; use it as x or by, and list figures such as throughput_ops or read_p99_us", property.Quote(name)))
			} else {
				one.checkColumn(column, c.YAt[i])
			}
		}
		r.validateAxis("x", c.X, []string{plan.RowsOfDataset}, c.XAt)
		r.validateAxis("by", c.By, []string{plan.EachServer}, c.ByAt)
		r.validateChart(c)
		for i, s := range c.Only {
			r.validateOnly(c, s, c.OnlyAt[i], of, one.settled && !one.lenient)
		}
	}
}

// validateChart validates combinations of the keys of a chart.
func (r *suiteResolver) validateChart(c suite.Chart) {
	at := entry{written: "charts", place: c.XAt.String(), order: c.XAt.Order()}
	if c.Kind == plan.TimeChart {
		switch {
		case len(c.Telemetry) == 0 && len(c.Y) > 0:
			r.report(&r.problems, at.finding("kind time shows telemetry; list its figures with telemetry instead of y, or use kind lines or bars"))
		case c.X != "":
			r.report(&r.problems, at.finding("kind time has the time as its x axis; remove x"))
		case c.By != "" && c.By != plan.EachServer:
			r.report(&r.problems, at.finding("kind time has a series for each server; remove by"))
		}
	}
	if c.By == plan.EachServer && len(c.Telemetry) == 0 {
		at.place, at.order = c.ByAt.String(), c.ByAt.Order()
		r.report(&r.problems, at.finding("by server needs figures of telemetry; list them with telemetry instead of y"))
	}
}

// labelsOnAxis are the labels of cases that an axis or a series of a chart can be.
func labelsOnAxis() []string {
	return []string{"scenario", "case", "target", "mode", "product", "dataset", "threads"}
}

// validateAxis validates the name of an axis: a label, a property, or one of more names.
func (r *suiteResolver) validateAxis(key, name string, more []string, at suite.Place) {
	known := slices.Concat(labelsOnAxis(), more)
	if name == "" || slices.Contains(known, name) || name == "agents" || r.isProperty(name) {
		return
	}
	here := entry{written: key, place: at.String(), order: at.Order()}
	if near := suggest.Nearest(name, slices.Concat(known, r.table.names())); near != "" {
		r.report(&r.problems, here.finding("unknown name %s; did you mean %s?", property.Quote(name), near))
		return
	}
	r.report(&r.problems, here.finding("unknown name %s: want scenario, case, target, threads, %s or a property", property.Quote(name), more[0]))
}

// validateOnly reports a value that no case of a chart has.
func (r *suiteResolver) validateOnly(c suite.Chart, s plan.Setting, at suite.Place, of map[string][]plan.Case, settled bool) {
	here := entry{written: "only", place: at.String(), order: at.Order()}
	if !r.isProperty(s.Key) && s.Key != "target" && s.Key != "agents" {
		r.validateAxis("only", s.Key, []string{"target"}, at)
		return
	}
	if !settled {
		return
	}
	for _, name := range c.Scenarios {
		for _, one := range of[name] {
			if s.Key == "target" && one.Target == s.Value || slices.Contains(one.Axes, s) || one.Properties[s.Key] == s.Value {
				return
			}
		}
	}
	r.report(&r.problems, here.finding("no case of the chart's scenarios has %s=%s; correct it, or remove it", s.Key, s.Value))
}
