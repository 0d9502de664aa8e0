package draw

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/search"
)

// Requested makes the charts that the file of a suite asks for (plan.Chart), in its order. A chart without values is left out.
func Requested(s result.Suite) []book.Chart {
	if s.Plan == nil {
		return nil
	}
	var out []book.Chart
	for _, c := range s.Plan.Charts {
		r := newRequest(s, c)
		if c.Kind == plan.TimeChart {
			out = append(out, r.overTime()...)
		} else {
			out = append(out, r.charts()...)
		}
	}
	return drawable(out...)
}

// request is a requested chart with its cases.
type request struct {
	plan.Chart
	suite result.Suite
	runs  map[string]*result.Run
	cases []result.Case
}

func newRequest(s result.Suite, c plan.Chart) *request {
	r := &request{Chart: c, suite: s, runs: make(map[string]*result.Run)}
	for i := range s.Runs {
		r.runs[s.Runs[i].ID] = &s.Runs[i]
	}
	for _, one := range s.Cases {
		if one.Fills || len(one.Runs) == 0 || len(c.Scenarios) > 0 && !slices.Contains(c.Scenarios, one.Scenario) {
			continue
		}
		if !slices.ContainsFunc(c.Only, func(o plan.Setting) bool { return !same(r.label(one, o.Key), o.Value) }) {
			r.cases = append(r.cases, one)
		}
	}
	return r
}

// same compares values, as numbers if both are numbers.
func same(a, b string) bool {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return a == b || errX == nil && errY == nil && x == y
}

// label is a label of a case: its scenario, target, the rows of its dataset, or a setting.
func (r *request) label(c result.Case, name string) string {
	switch name {
	case "scenario":
		return c.Scenario
	case "case":
		return c.Name
	case "target", "mode", "product":
		return c.Target
	case "dataset":
		return c.Dataset
	case plan.RowsOfDataset:
		for _, fill := range r.suite.Cases {
			if fill.Fills && fill.Dataset == c.Dataset && fill.Target == c.Target {
				return r.property(fill, "recordcount")
			}
		}
		return r.property(c, "recordcount")
	case "threads":
		if total := r.property(c, "threads.total"); total != "" && total != "0" {
			return total
		}
		return r.property(c, "threadcount")
	}
	return r.property(c, name)
}

func (r *request) property(c result.Case, name string) string {
	if v := setting(c, name); v != "" {
		return v
	}
	for _, id := range c.Runs {
		if run := r.runs[id]; run != nil && run.Resolved[name] != "" {
			return run.Resolved[name]
		}
	}
	return ""
}

// axisName is the name of the x axis: the requested one, or else the number in which the cases differ, or the scenario, or the case.
func (r *request) axisName() string {
	if r.X != "" {
		return r.X
	}
	keys := varying(r.cases)
	if x := axisOf(r.cases, keys); x != "" {
		return x
	}
	seen := make(map[string]bool)
	for _, c := range r.cases {
		if seen[c.Scenario+"\x00"+c.Target] {
			return "case"
		}
		seen[c.Scenario+"\x00"+c.Target] = true
	}
	return "scenario"
}

// charts are the charts of the cases: one for each pair of units.
func (r *request) charts() []book.Chart {
	x := r.axisName()
	places, categories, numbers := r.places(x)
	lines := len(numbers) > 0 && (r.Kind == plan.LinesChart || r.Kind == "" && (len(numbers) > 1 || len(r.Published) > 0))
	c := book.Chart{Title: r.Title, Kind: book.Bars, X: book.Axis{Title: axisTitle(x)}}
	note := ""
	if lines {
		c.Kind, c.X = book.Lines, settingAxis(x, numbers)
		if x == plan.RowsOfDataset {
			c.X.Title = "Rows of the dataset"
		}
	} else {
		c.X.Categories, note = firstOf(categories, mostBars, "categories")
		places = slices.DeleteFunc(places, func(p place) bool { return p.category >= mostBars })
	}
	groups := r.groups(places, x, lines)
	var all []onAxis
	if len(r.Telemetry) > 0 {
		all = r.telemetry(groups, lines)
	} else {
		all = r.figures(groups, x, lines)
	}
	published := slices.ContainsFunc(all, func(s onAxis) bool { return s.Published }) || len(r.Published) > 0
	text := how(r.cases, published)
	if len(r.Telemetry) > 0 {
		text = "Means over the measured phase of each run: " + strings.Join(r.Telemetry, ", ") + ". " + text
	}
	out := split(c, all)
	for i := range out {
		out[i].How = text + note
	}
	return r.finished(out)
}

// addFixed adds the limits and the published points that the file has.
func (r *request) addFixed(c *book.Chart) {
	for _, l := range r.Limits {
		c.Limits = append(c.Limits, book.Limit{Value: l.Value, Label: l.Label})
	}
	for _, p := range r.Published {
		name := p.Name + ", published"
		i := slices.IndexFunc(c.Series, func(s book.Series) bool { return s.Name == name })
		if i < 0 {
			i = len(c.Series)
			c.Series = append(c.Series, book.Series{Name: name, Style: book.Points, Published: true})
		}
		c.Series[i].X, c.Series[i].Y = append(c.Series[i].X, p.X), append(c.Series[i].Y, p.Y)
	}
}

func axisTitle(name string) string {
	switch name {
	case "mode":
		return "Target"
	case plan.RowsOfDataset:
		return "Rows of the dataset"
	case "scenario", "case", "target", "product", "dataset", "threads":
		return capital(name)
	}
	return settingAxis(name, nil).Title
}

// places puts the cases on the axis: by their numbers if all of them have one, and as categories.
func (r *request) places(x string) (out []place, categories []string, numbers []float64) {
	keys := distinguishing(r.cases, varying(r.cases))
	scenarios := make(map[string]bool)
	for _, c := range r.cases {
		scenarios[c.Scenario] = true
	}
	numeric := true
	for _, c := range r.cases {
		text := r.label(c, x)
		p := place{Case: c}
		v, err := strconv.ParseFloat(text, 64)
		if numeric = numeric && err == nil && !math.IsInf(v, 0) && !math.IsNaN(v); numeric {
			p.x = v
			if !slices.Contains(numbers, v) {
				numbers = append(numbers, v)
			}
		}
		switch {
		case x == "case":
			text = caseLabel(c, keys)
			if len(scenarios) > 1 && len(keys) > 0 {
				text = c.Scenario + ", " + text
			}
		case err == nil:
			text = search.ValueText(v)
		}
		if p.category = slices.Index(categories, text); p.category < 0 {
			p.category = len(categories)
			categories = append(categories, text)
		}
		out = append(out, p)
	}
	if !numeric {
		return out, categories, nil
	}
	slices.Sort(numbers)
	for i := range out { // categories in the order of their numbers
		out[i].category = slices.Index(numbers, out[i].x)
	}
	categories = categories[:0]
	for _, v := range numbers {
		categories = append(categories, search.ValueText(v))
	}
	slices.SortStableFunc(out, func(a, b place) int { return cmp.Compare(a.x, b.x) })
	return out, categories, numbers
}

// groups are the series of cases: by the requested name or by target, and by the other settings where cases would share a position.
func (r *request) groups(places []place, x string, lines bool) []group {
	targets := make(map[string]bool)
	for _, p := range places {
		targets[p.Target] = true
	}
	name := func(p place) string {
		switch {
		case r.By != "" && r.By != plan.EachServer:
			return r.label(p.Case, r.By)
		case len(targets) > 1 && x != "target" && x != "mode" && x != "product":
			return p.Target
		}
		return ""
	}
	at := func(p place) float64 {
		if lines {
			return p.x
		}
		return float64(p.category)
	}
	shared := make(map[string]bool) // names with several cases at a position
	seen := make(map[string]bool)
	for _, p := range places {
		key := name(p) + "\x00" + strconv.FormatFloat(at(p), 'g', -1, 64)
		shared[name(p)] = shared[name(p)] || seen[key]
		seen[key] = true
	}
	keys := slices.DeleteFunc(varying(r.cases), func(key string) bool { return key == x || key == r.By })
	l := layout{}
	for _, p := range places {
		in := name(p)
		if shared[in] {
			parts := []string{in, pairs(p.Case, keys)}
			if x != "scenario" && r.By != "scenario" && len(keys) == 0 {
				parts[1] = p.Scenario
			}
			in = strings.TrimSpace(strings.Join(parts, " "))
		}
		l.add(in, p)
	}
	return l.groups
}

// onAxis is a series with its y axis.
type onAxis struct {
	book.Series
	y book.Axis
}

// figures are the series of the requested figures, and the published ones beside them.
func (r *request) figures(groups []group, x string, lines bool) []onAxis {
	intervals := bounded(r.cases)
	var out []onAxis
	key := ""
	if lines {
		key = x
	}
	for _, name := range r.Y {
		col := newColumn(name)
		for _, g := range groups {
			title, verbatim := seriesName(g.name, col, len(r.Y) > 1)
			s := col.series(title, g.cases, intervals, position(lines))
			s.Verbatim = verbatim
			if anyKnown(s.Y) {
				out = append(out, onAxis{s, col.axis()})
			}
			if theirs, ok := col.publishedSeries(publishedName(title), g.cases, key); ok {
				out = append(out, onAxis{theirs, col.axis()})
			}
		}
	}
	return out
}

func position(lines bool) func(place) float64 {
	return func(p place) float64 {
		if lines {
			return p.x
		}
		return float64(p.category)
	}
}

// split makes charts of series: each has at most two units.
func split(c book.Chart, all []onAxis) []book.Chart {
	var out []book.Chart
	for _, s := range all {
		fits := func(one book.Chart) bool {
			return len(one.Y) < 2 || slices.ContainsFunc(one.Y, func(y book.Axis) bool { return y.Unit == s.y.Unit })
		}
		i := slices.IndexFunc(out, fits)
		if i < 0 {
			i = len(out)
			one := c
			one.Y, one.Series = nil, nil
			if i > 0 {
				one.Title += ": " + s.y.Title
			}
			out = append(out, one)
		}
		axis := slices.IndexFunc(out[i].Y, func(y book.Axis) bool { return y.Unit == s.y.Unit })
		if axis < 0 {
			axis = len(out[i].Y)
			out[i].Y = append(out[i].Y, s.y)
		}
		s.Axis = axis
		out[i].Series = append(out[i].Series, s.Series)
	}
	return out
}

// finished are charts with the fixed values of the file in the first of them, and with axes that suit their values.
func (r *request) finished(charts []book.Chart) []book.Chart {
	for i := range charts {
		if i == 0 {
			r.addFixed(&charts[i])
		}
		if charts[i].Kind == book.Lines {
			spread(&charts[i])
		}
		scaleAxes(&charts[i])
	}
	return charts
}

// scaleAxes gives axes of bytes a unit that suits their values, and shares their end.
func scaleAxes(c *book.Chart) {
	for a := range c.Y {
		most := 0.0
		for _, s := range c.Series {
			for _, y := range s.Y {
				if s.Axis == a && !math.IsNaN(y) {
					most = max(most, math.Abs(y))
				}
			}
		}
		switch per, ok := strings.CutPrefix(c.Y[a].Unit, "bytes"); {
		case ok:
			unit, scale := bytesUnit(most, per)
			c.Y[a].Unit = unit
			for i := range c.Series {
				if c.Series[i].Axis == a {
					scaleSeries(&c.Series[i], scale)
				}
			}
			for i := range c.Limits {
				if c.Limits[i].Axis == a {
					c.Limits[i].Value /= scale
				}
			}
		case c.Y[a].Unit == "%" && most <= 100:
			c.Y[a].Max = 100
		}
	}
}

func scaleSeries(s *book.Series, scale float64) {
	for _, values := range append([][]float64{s.Y, s.Low, s.High}, s.Runs...) {
		for i := range values {
			values[i] /= scale
		}
	}
}
