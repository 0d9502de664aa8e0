package suite

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/plan"
)

// The properties that the keys of a scenario set.
const (
	actionsProperty = "actions"
	beforeProperty  = "before.run"
	searchPrefix    = "search."
)

// SearchKeys are the keys of a scenario's search. Each sets the property of this name after "search.".
func SearchKeys() []string {
	return []string{"vary", "from", "to", "keep", "tolerance", "confirm", "probes"}
}

// axis is one dimension of a scenario: a property, or a list of cases whose values vary together.
type axis struct {
	points []point
}

type point struct {
	given  []Setting
	agents int
	// full are the values of the suite if a trial replaces them; published lines are found by them.
	full []Setting
}

// scenarios reads the list of scenarios.
func (r *reader) scenarios(d *document, root, full *node) {
	n := root.get("scenarios")
	switch {
	case n == nil:
		r.mistake(root.at, "scenarios", "missing; a suite needs at least one scenario, such as - {name: read only, properties: {readproportion: 1}}")
		return
	case n.kind != list:
		r.mistake(n.at, "scenarios", "want a list, got %s; begin each scenario with - name:", n.kind)
		return
	}
	seen := make(map[string]Place)
	for i, one := range n.items {
		if !r.isMap("scenarios", one) {
			if one.kind == null {
				r.mistake(one.at, "scenarios", "has an empty entry; remove it")
			}
			continue
		}
		whole := one
		if list := full.get("scenarios"); list != nil && i < len(list.items) {
			whole = list.items[i]
		}
		s := r.scenario(d, one, whole)
		if before, again := seen[s.name]; again && s.name != "" {
			r.mistake(s.at, "name", "duplicate scenario name %s, first at %s; give each scenario its own name", strconv.Quote(s.name), before)
			s.bad = true
		}
		seen[s.name] = s.at
		d.scenarios = append(d.scenarios, s)
	}
	if len(d.scenarios) == 0 && len(n.items) == 0 {
		r.mistake(n.at, "scenarios", "is empty; a suite needs at least one scenario")
	}
}

// scenario reads a scenario. Whole is the same scenario without a trial.
func (r *reader) scenario(d *document, n, whole *node) scenario {
	r.known(n, scenarioKeys())
	s := scenario{
		name:     r.text("name", n.get("name")),
		at:       n.at,
		settings: r.settings(n.get("properties"), OfScenario),
		repeats:  r.count("repeats", n.get("repeats"), 1, MaxRepeats),
		agents:   r.count("agents", n.get("agents"), 0, maxAgents),
	}
	if name := n.get("name"); name != nil {
		s.at = name.at
	}
	if strings.TrimSpace(s.name) == "" {
		r.mistake(n.at, "name", "missing; give the scenario a name")
		s.bad = true
	}
	r.text("note", n.get("note"))
	if name := n.get("dataset"); name != nil {
		s.dataset = r.find(d.datasets, "dataset", word{r.text("dataset", name), name.at})
		s.bad = s.bad || s.dataset == nil
	}
	s.targets = []*group{&d.targets[0]}
	if list := n.get("targets"); list != nil {
		s.targets = nil
		for _, w := range r.words("targets", list) {
			t := r.find(d.targets, "target", w)
			switch {
			case t == nil:
				s.bad = true
			case slices.Contains(s.targets, t):
				r.mistake(w.at, "targets", "duplicate target %s; remove one of them", strconv.Quote(shorten(w.text)))
			default:
				s.targets = append(s.targets, t)
			}
		}
		if len(s.targets) == 0 {
			s.bad = true
		}
	}
	s.perTarget = r.perTarget(n.get("per-target"), s.targets)
	s.settings = append(s.settings, r.workerGroups(n.get("groups"))...)
	s.settings = append(s.settings, r.actions(n.get("actions"))...)
	s.settings = append(s.settings, r.before(n.get("before"))...)
	s.settings = append(s.settings, r.search(n.get("search"))...)
	if of := n.get("search"); of != nil && of.kind == mapping && of.get("vary") == nil {
		r.mistake(of.at, "vary", "missing; write what the search varies, vary: rate or vary: threads")
	}
	s.axes = r.axes(n, whole)
	s.published = r.published(n.get("published"))
	return s
}

// workerGroups turns the groups of workers of a scenario into the properties of each, and the property with their names.
func (r *reader) workerGroups(n *node) []Setting {
	if n == nil || !r.isMap("groups", n) {
		return nil
	}
	var out []Setting
	var names []string
	for _, f := range n.fields {
		if f.value.kind == null { // a trial removes a group this way
			continue
		}
		if r.isMap(f.name, f.value) {
			out = append(out, r.prefixed(plan.GroupPrefix+f.name+".", f.value, OfScenario)...)
		}
		names = append(names, f.name)
		// Each is validated at its own place.
		r.given = append(r.given, Setting{Key: plan.GroupsProperty, Value: f.name, Named: n.at, At: f.at, Level: OfScenario})
	}
	if len(names) == 0 {
		return nil
	}
	return append(out, Setting{Key: plan.GroupsProperty, Value: strings.Join(names, ","), Named: n.at, At: n.at, Level: OfScenario})
}

// perTarget reads the properties of a scenario's cases on single targets. With targets nil, only the settings are validated.
func (r *reader) perTarget(n *node, targets []*group) map[string][]Setting {
	if n == nil || !r.isMap("per-target", n) {
		return nil
	}
	out := make(map[string][]Setting, len(n.fields))
	var known []string
	for _, t := range targets {
		known = append(known, t.name)
	}
	for _, f := range n.fields {
		if targets != nil && !slices.Contains(known, f.name) {
			r.unknown(f.at, "", "target of the scenario", f.name, known)
		}
		out[f.name] = r.settings(f.value, OfScenarioTarget)
	}
	return out
}

// before turns a list of actions before measuring into the property.
func (r *reader) before(n *node) []Setting {
	if n == nil {
		return nil
	}
	out := []Setting{{beforeProperty, strings.Join(r.texts("before", n), ","), n.at, n.at, OfScenario, Place{}}}
	r.given = append(r.given, out...)
	return out
}

// search turns the keys of a search into properties.
func (r *reader) search(n *node) []Setting {
	if n == nil || !r.isMap("search", n) {
		return nil
	}
	r.known(n, SearchKeys())
	var out []Setting
	for _, f := range n.fields {
		if !slices.Contains(SearchKeys(), f.name) || f.value.kind == null { // a trial removes a setting by null
			continue
		}
		if f.value.kind != scalar {
			r.mistake(f.value.at, f.name, "want a single value, got %s", f.value.kind)
			continue
		}
		out = append(out, Setting{searchPrefix + f.name, f.value.text, f.at, f.value.at, OfScenario, Place{}})
	}
	r.given = append(r.given, out...)
	return out
}

// actions turns a list of actions into the property.
func (r *reader) actions(n *node) []Setting {
	if n == nil {
		return nil
	}
	if n.kind == scalar {
		one := Setting{actionsProperty, n.text, n.at, n.at, OfScenario, Place{}}
		r.given = append(r.given, one)
		return []Setting{one}
	}
	if n.kind != list {
		r.mistake(n.at, "actions", "want a list, got %s; write - {at: 60s, do: major_compact}", n.kind)
		return nil
	}
	var all []string
	for _, one := range n.items {
		if !r.isMap("actions", one) {
			continue
		}
		r.known(one, []string{"at", "do"})
		when, do := r.text("at", one.get("at")), r.text("do", one.get("do"))
		switch {
		case when == "":
			r.mistake(one.at, "at", "missing; write the time of the action since the start of measuring, such as at: 60s")
		case do == "":
			r.mistake(one.at, "do", "missing; write the action, such as do: major_compact")
		case strings.Contains(do, ";"):
			r.mistake(one.get("do").at, "do", "contains a semicolon; write each action as its own entry")
		default:
			text, at := when+" "+do, one.get("do").at
			if _, err := time.ParseDuration(when); err != nil {
				at = one.get("at").at // the mistake is in the time
			}
			all = append(all, text)
			// Each is validated at its own place.
			r.given = append(r.given, Setting{actionsProperty, text, n.at, at, OfScenario, Place{}})
		}
	}
	if len(all) == 0 {
		return nil
	}
	return []Setting{{actionsProperty, strings.Join(all, "; "), n.at, n.at, OfScenario, Place{}}}
}

// axes reads the axes of a scenario: its matrix, then its list of cases.
func (r *reader) axes(n, whole *node) []axis {
	var axes []axis
	if m := n.get("matrix"); m != nil && r.isMap("matrix", m) {
		if len(m.fields) > maxAxes {
			r.mistake(m.at, "matrix", "has %d axes; the maximum is %d", len(m.fields), maxAxes)
			return nil
		}
		for _, f := range m.fields {
			if f.value.kind != list || len(f.value.items) == 0 {
				if f.value.kind != null { // a trial removes an axis this way
					r.mistake(f.value.at, f.name, "want a list of values, such as [10, 20]")
				}
				continue
			}
			full := whole.get("matrix").get(f.name)
			var a axis
			for i, item := range f.value.items {
				p := r.point([]field{{f.name, f.at, item}})
				if full != nil && len(full.items) == len(f.value.items) {
					p.full = []Setting{{Key: f.name, Value: full.items[i].text}}
				}
				a.points = append(a.points, p)
			}
			axes = append(axes, a)
		}
	}
	cases := n.get("cases")
	switch {
	case cases == nil:
		return axes
	case cases.kind != list:
		r.mistake(cases.at, "cases", "want a list, got %s; write - {threadcount: 10, recordcount: 1000}", cases.kind)
		return axes
	}
	var a axis
	full := whole.get("cases")
	for i, item := range cases.items {
		if item.kind == null || !r.isMap("cases", item) {
			continue
		}
		p := r.point(item.fields)
		if full != nil && len(full.items) == len(cases.items) {
			for _, f := range full.items[i].fields {
				p.full = append(p.full, Setting{Key: f.name, Value: f.value.text})
			}
		}
		a.points = append(a.points, p)
	}
	if len(a.points) > 0 {
		axes = append(axes, a)
	}
	return axes
}

// point reads one point of an axis.
func (r *reader) point(fields []field) point {
	var p point
	for _, f := range fields {
		if f.name == agentsAxis {
			p.agents = r.count(f.name, f.value, 0, maxAgents)
			continue
		}
		r.meansNull(f.name, f.value)
		if f.value.kind != scalar {
			r.mistake(f.value.at, f.name, "want a single value, got %s", f.value.kind)
			continue
		}
		s := Setting{f.name, f.value.text, f.at, f.value.at, OfCase, f.value.start}
		p.given = append(p.given, s)
		r.given = append(r.given, s)
	}
	return p
}

const (
	agentsAxis = "agents"
	maxAgents  = 10_000
)
