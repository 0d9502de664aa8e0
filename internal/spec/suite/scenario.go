package suite

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// The properties that a scenario's keys stand for.
const (
	actionsProperty = "actions"
	beforeProperty  = "before.run"
)

// axis is what varies together: one property, or the entries of a list of cases. Each point says what it sets.
type axis struct {
	points []point
}

type point struct {
	said   []Setting
	agents int
	// full is what the suite itself says where a trial is laid over it: what was published is found by it.
	full []Setting
}

// scenarios reads the list of scenarios.
func (r *reader) scenarios(d *document, root, full *node) {
	n := root.get("scenarios")
	switch {
	case n == nil:
		r.mistake(root.at, "scenarios", "there are none: a suite has at least one, such as - {name: read only, properties: {readproportion: 1}}")
		return
	case n.kind != list:
		r.mistake(n.at, "scenarios", "is to be a list, and this is %s; begin each scenario with - name:", n.kind)
		return
	}
	seen := make(map[string]Place)
	for i, one := range n.items {
		if !r.isMap("scenarios", one) {
			if one.kind == null {
				r.mistake(one.at, "scenarios", "has an empty entry; leave it out")
			}
			continue
		}
		whole := one
		if list := full.get("scenarios"); list != nil && i < len(list.items) {
			whole = list.items[i]
		}
		s := r.scenario(d, one, whole)
		if before, again := seen[s.name]; again && s.name != "" {
			r.mistake(s.at, "name", "%s is another scenario's name too, at %s; each has its own", strconv.Quote(s.name), before)
			s.bad = true
		}
		seen[s.name] = s.at
		d.scenarios = append(d.scenarios, s)
	}
	if len(d.scenarios) == 0 && len(n.items) == 0 {
		r.mistake(n.at, "scenarios", "there are none; a suite has at least one")
	}
}

// scenario reads one. Whole is it without a trial.
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
		r.mistake(n.at, "name", "a scenario needs a name of its own")
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
				r.mistake(w.at, "targets", "%s stands twice", w.text)
			default:
				s.targets = append(s.targets, t)
			}
		}
		if len(s.targets) == 0 {
			s.bad = true
		}
	}
	s.settings = append(s.settings, r.actions(n.get("actions"))...)
	s.settings = append(s.settings, r.before(n.get("before"))...)
	s.axes = r.axes(n, whole)
	s.published = r.published(n.get("published"))
	return s
}

// before turns a list of what is done before measuring into the property.
func (r *reader) before(n *node) []Setting {
	if n == nil {
		return nil
	}
	out := []Setting{{beforeProperty, strings.Join(r.texts("before", n), ","), n.at, n.at, OfScenario}}
	r.said = append(r.said, out...)
	return out
}

// actions turns a list of actions into the property.
func (r *reader) actions(n *node) []Setting {
	if n == nil {
		return nil
	}
	if n.kind == scalar {
		one := Setting{actionsProperty, n.text, n.at, n.at, OfScenario}
		r.said = append(r.said, one)
		return []Setting{one}
	}
	if n.kind != list {
		r.mistake(n.at, "actions", "is to be a list, and this is %s; write - {at: 60s, do: major_compact}", n.kind)
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
			r.mistake(one.at, "at", "an action needs an instant, from the begin of measuring: at: 60s")
		case do == "":
			r.mistake(one.at, "do", "an action needs something to do, such as do: major_compact")
		case strings.Contains(do, ";"):
			r.mistake(one.get("do").at, "do", "has a ; in it; give each action an entry of its own")
		default:
			text, at := when+" "+do, one.get("do").at
			if _, err := time.ParseDuration(when); err != nil {
				at = one.get("at").at // that is what will be told of
			}
			all = append(all, text)
			// Each is judged where it stands.
			r.said = append(r.said, Setting{actionsProperty, text, n.at, at, OfScenario})
		}
	}
	if len(all) == 0 {
		return nil
	}
	return []Setting{{actionsProperty, strings.Join(all, "; "), n.at, n.at, OfScenario}}
}

// axes reads what a scenario is multiplied by: its matrix, and below that its list of cases.
func (r *reader) axes(n, whole *node) []axis {
	var axes []axis
	if m := n.get("matrix"); m != nil && r.isMap("matrix", m) {
		if len(m.fields) > maxAxes {
			r.mistake(m.at, "matrix", "has %d axes; %d are the most", len(m.fields), maxAxes)
			return nil
		}
		for _, f := range m.fields {
			if f.value.kind != list || len(f.value.items) == 0 {
				if f.value.kind != null { // a trial takes an axis away so
					r.mistake(f.value.at, f.name, "is to be a list of values, such as [10, 20]")
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
		r.mistake(cases.at, "cases", "is to be a list, and this is %s; write - {threadcount: 10, recordcount: 1000}", cases.kind)
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

// point reads what one point of an axis sets.
func (r *reader) point(fields []field) point {
	var p point
	for _, f := range fields {
		if f.name == agentsAxis {
			p.agents = r.count(f.name, f.value, 0, maxAgents)
			continue
		}
		r.meansNull(f.name, f.value)
		if f.value.kind != scalar {
			r.mistake(f.value.at, f.name, "is to be a single value, and this is %s", f.value.kind)
			continue
		}
		s := Setting{f.name, f.value.text, f.at, f.value.at, OfCase}
		p.said = append(p.said, s)
		r.said = append(r.said, s)
	}
	return p
}

const (
	agentsAxis = "agents"
	maxAgents  = 10_000
)
