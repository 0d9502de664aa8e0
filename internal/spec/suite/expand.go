package suite

import (
	"slices"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/plan"
)

// expand expands the scenarios over their axes and targets.
func (r *reader) expand(d *document) *Suite {
	s := d.suite
	s.Given = r.given
	if !r.bounded(d) {
		return s
	}
	filled := make(map[[2]string]bool)
	taken := make(map[string]Place)
	several := make(map[string]int) // targets of a dataset
	for _, one := range d.scenarios {
		if one.dataset != nil {
			for _, t := range one.targets {
				if key := [2]string{one.dataset.name, t.name}; !filled[key] {
					filled[key] = true
					several[one.dataset.name]++
				}
			}
		}
	}
	clear(filled)
	for i := range d.scenarios {
		one := &d.scenarios[i]
		if one.bad {
			continue
		}
		r.checkOverlap(one)
		for _, points := range combinations(one.axes) {
			for _, target := range one.targets {
				if set := one.dataset; set != nil && set.load && !filled[[2]string{set.name, target.name}] {
					filled[[2]string{set.name, target.name}] = true
					c := fillCase(d, set, target, several[set.name])
					r.add(s, c, taken)
				}
				r.add(s, r.oneCase(d, one, points, target), taken)
			}
		}
		r.checkPublished(one)
	}
	return s
}

// add adds a case unless its name is taken.
func (r *reader) add(s *Suite, c Case, taken map[string]Place) {
	if len(c.Name) > maxName {
		r.mistake(c.At, "name", "the name of a case, which contains all its varied values, is %d bytes long; the maximum is %d", len(c.Name), maxName)
		return
	}
	if before, again := taken[c.Name]; again {
		r.mistake(c.At, "name", "duplicate case name %s, first at %s; remove one of them", strconv.Quote(shorten(c.Name)), before)
		return
	}
	taken[c.Name] = c.At
	s.Cases = append(s.Cases, c)
}

// bounded checks the numbers of cases and runs.
func (r *reader) bounded(d *document) bool {
	cases, runs := 0, 0
	for i := range d.scenarios {
		s := &d.scenarios[i]
		n := max(len(s.targets), 1)
		for _, a := range s.axes {
			if n *= max(len(a.points), 1); n > MaxCases {
				break
			}
		}
		cases += n
		runs += n * s.repeats
		if cases > MaxCases || runs > MaxRuns {
			r.mistake(s.at, "", "the suite has more than %d cases or %d runs; remove values from the matrix, or split the suite", MaxCases, MaxRuns)
			return false
		}
	}
	return true
}

// combinations returns all combinations of points of the axes. The first axis varies slowest.
func combinations(axes []axis) [][]*point {
	all := [][]*point{nil}
	for i := range axes {
		next := make([][]*point, 0, len(all)*len(axes[i].points))
		for _, before := range all {
			for j := range axes[i].points {
				next = append(next, append(slices.Clip(before), &axes[i].points[j]))
			}
		}
		all = next
	}
	return all
}

// oneCase returns the case of a scenario at one point of each axis, on one target.
func (r *reader) oneCase(d *document, s *scenario, points []*point, target *group) Case {
	c := Case{At: s.at, Case: plan.Case{Scenario: s.name, Target: target.name, Repeats: s.repeats, Agents: s.agents}}
	c.Given = append(make([][]Setting, 0, 5+len(points)), d.properties, target.settings)
	if s.dataset != nil {
		c.Dataset = s.dataset.name
		c.Given = append(c.Given, s.dataset.settings)
	}
	c.Given = append(c.Given, s.settings, s.perTarget[target.name])
	var name strings.Builder
	name.WriteString(s.name)
	var full []plan.Setting
	for _, p := range points {
		c.Given = append(c.Given, p.given)
		for _, one := range p.given {
			c.Axes = append(c.Axes, plan.Setting{Key: one.Key, Value: one.Value})
		}
		if p.agents > 0 {
			c.Agents = p.agents
			c.Axes = append(c.Axes, plan.Setting{Key: agentsAxis, Value: strconv.Itoa(p.agents)})
		}
		full = append(full, p.asPublished()...)
	}
	for _, a := range c.Axes {
		name.WriteString(" " + a.Key + "=" + r.in.Shown(a.Key, a.Value))
	}
	c.Name = onTarget(name.String(), target, len(s.targets))
	c.Published = r.publishedFor(s, full, target.name, len(d.targets))
	return c
}

// asPublished returns the values that identify a point in reports: those of the suite, not of a trial.
func (p *point) asPublished() []plan.Setting {
	given := p.full
	if len(given) == 0 {
		given = p.given
	}
	out := make([]plan.Setting, 0, len(given)+1)
	for _, one := range given {
		out = append(out, plan.Setting{Key: one.Key, Value: one.Value})
	}
	if p.agents > 0 && len(p.full) == 0 {
		out = append(out, plan.Setting{Key: agentsAxis, Value: strconv.Itoa(p.agents)})
	}
	return out
}

// fillCase returns the case that fills a dataset on a target.
func fillCase(d *document, set, target *group, targets int) Case {
	return Case{At: set.at, Given: [][]Setting{d.properties, target.settings, set.settings}, Case: plan.Case{
		Name: onTarget("fill "+set.name, target, targets), Dataset: set.name, Target: target.name, Fills: true, Repeats: 1,
	}}
}

// onTarget appends the target to the name of a case if there are several targets.
func onTarget(name string, target *group, targets int) string {
	if targets > 1 {
		return name + " on " + target.name
	}
	return name
}

// checkOverlap reports properties that a scenario's target and its dataset set to different values: neither wins.
func (r *reader) checkOverlap(s *scenario) {
	if s.dataset == nil {
		return
	}
	for _, t := range s.targets {
		for _, of := range t.settings {
			for _, other := range s.dataset.settings {
				if r.in.Property(of.Key) == r.in.Property(other.Key) && of.Value != other.Value {
					r.mistake(other.At, other.Key, "is %s here and %s for target %s (%s), and scenario %s uses both; remove one", r.quoted(other), r.quoted(of), t.name, of.At, s.name)
				}
			}
		}
	}
}

// quoted returns the value of a setting for a message.
func (r *reader) quoted(s Setting) string { return strconv.Quote(shorten(r.in.Shown(s.Key, s.Value))) }

// checkTrial reads the trial block even if it is not used, so that its settings are validated.
func (r *reader) checkTrial(trial *node) {
	if trial == nil || r.in.Trial {
		return
	}
	r.settings(trial.get("properties"), OfSuite)
	r.groups("targets", trial.get("targets"), r.target)
	r.groups("datasets", trial.get("datasets"), r.dataset)
	list := trial.get("scenarios")
	if list == nil || list.kind != mapping {
		return
	}
	for _, f := range list.fields {
		if f.value.kind != mapping {
			continue
		}
		r.settings(f.value.get("properties"), OfScenario)
		r.perTarget(f.value.get("per-target"), nil)
		r.actions(f.value.get("actions"))
		r.before(f.value.get("before"))
		r.search(f.value.get("search"))
		r.count("repeats", f.value.get("repeats"), 1, MaxRepeats)
		r.count("agents", f.value.get("agents"), 1, maxAgents)
		r.axes(f.value, nil)
	}
}
