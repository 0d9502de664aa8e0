package suite

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/plan"
)

func chartKeys() []string {
	return []string{"title", "scenarios", "kind", "x", "y", "telemetry", "by", "only", "limits", "published"}
}

// charts reads the charts of the report. Package spec validates their names.
func (r *reader) charts(n *node, d *document) []Chart {
	var charts []Chart
	for _, one := range r.items("charts", n, maxCharts, "begin each chart with - title:") {
		charts = append(charts, r.chart(one, d.scenarioNames()))
	}
	return charts
}

// chart reads a chart; scenarios are the names of the file's scenarios.
func (r *reader) chart(n *node, scenarios []string) Chart {
	r.known(n, chartKeys())
	c := Chart{XAt: n.at, ByAt: n.at}
	c.Title, c.X, c.By = r.text("title", n.get("title")), r.text("x", n.get("x")), r.text("by", n.get("by"))
	if c.Title == "" {
		r.mistake(n.at, "title", "missing; give the chart a title")
	}
	if x := n.get("x"); x != nil {
		c.XAt = x.at
	}
	if by := n.get("by"); by != nil {
		c.ByAt = by.at
	}
	if kind := n.get("kind"); kind != nil {
		c.Kind = plan.ChartKind(r.choice("kind", kind, string(plan.LinesChart), string(plan.BarsChart), string(plan.TimeChart)))
	}
	c.Scenarios = slices.Clone(scenarios)
	if n.get("scenarios") != nil {
		c.Scenarios = nil
		for _, w := range r.several("scenarios", n) {
			if !slices.Contains(scenarios, w.text) {
				r.unknown(w.at, "scenarios", "scenario", w.text, scenarios)
			}
			c.Scenarios = append(c.Scenarios, w.text)
		}
	}
	switch y, telemetry := n.get("y"), n.get("telemetry"); {
	case y == nil && telemetry == nil:
		r.mistake(n.at, "y", "missing; list the figures that the chart shows, such as y: [throughput_ops], or telemetry: with figures of telemetry")
	case y != nil && telemetry != nil:
		r.mistake(telemetry.at, "telemetry", "cannot be combined with y; make a chart of each")
	case y != nil:
		for _, w := range r.atMost("y", n) {
			c.Y, c.YAt = append(c.Y, w.text), append(c.YAt, w.at)
		}
	default:
		for _, w := range r.atMost("telemetry", n) {
			c.Telemetry = append(c.Telemetry, r.sum(w))
		}
	}
	c.Only, c.OnlyAt = r.only(n.get("only"))
	for _, one := range r.maps("limits", n, "write - {value: 1500, label: what the disks can do}", "value", "label") {
		l := plan.ChartLimit{Value: r.number("value", one), Label: r.text("label", one.get("label"))}
		if l.Label == "" {
			r.mistake(one.at, "label", "missing; say what the limit is")
		}
		c.Limits = append(c.Limits, l)
	}
	for _, one := range r.maps("published", n, "write - {name: what it is, x: 40, y: 99}", "name", "x", "y") {
		p := plan.PublishedPoint{Name: r.text("name", one.get("name")), X: r.number("x", one), Y: r.number("y", one)}
		if p.Name == "" {
			r.mistake(one.at, "name", "missing; say what was published")
		}
		c.Published = append(c.Published, p)
	}
	return c
}

// sum reads figures of telemetry that are joined by +.
func (r *reader) sum(w word) string {
	parts := strings.Split(w.text, "+")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
		if parts[i] == "" || strings.ContainsAny(parts[i], " \t") {
			r.mistake(w.at, "telemetry", "invalid figure %s: want its name in docs/telemetry.md, or several joined by +", strconv.Quote(shorten(w.text)))
		}
	}
	return strings.Join(parts, " + ")
}

// only reads the values of the cases that a chart shows.
func (r *reader) only(n *node) (out []plan.Setting, at []Place) {
	if n == nil || !r.isMap("only", n) {
		return nil, nil
	}
	for _, f := range n.fields {
		if f.value.kind != null {
			out, at = append(out, plan.Setting{Key: f.name, Value: r.text(f.name, f.value)}), append(at, f.at)
		}
	}
	return out, at
}

// atMost is several, with a bound for charts.
func (r *reader) atMost(key string, of *node) []word {
	words := r.several(key, of)
	if len(words) > maxOfChart {
		r.mistake(of.get(key).at, key, "has %d entries; the maximum is %d", len(words), maxOfChart)
		return nil
	}
	return words
}

// maps reads a list of a chart, of maps with some keys.
func (r *reader) maps(key string, of *node, cure string, keys ...string) []*node {
	all := r.items(key, of.get(key), maxOfChart, cure)
	for _, one := range all {
		r.known(one, keys)
	}
	return all
}

// number reads a number of a map.
func (r *reader) number(key string, of *node) float64 {
	n := of.get(key)
	if n == nil {
		r.mistake(of.at, key, "missing; write a number")
		return 0
	}
	v, err := strconv.ParseFloat(n.text, 64)
	if n.kind != scalar || err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		r.mistake(n.at, key, "invalid number %s: want a number such as 1500", strconv.Quote(shorten(n.text)))
		return 0
	}
	return v
}
