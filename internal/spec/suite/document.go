package suite

import (
	"slices"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/plan"
)

func suiteKeys() []string {
	return []string{"suite", "note", "tags", "include", "variables", "properties", "targets", "datasets", "scenarios", "order", "on-failure", "schedule", "tables", "charts", "trial"}
}

func scenarioKeys() []string {
	return []string{"name", "note", "dataset", "targets", "properties", "groups", "per-target", "matrix", "cases", "repeats", "agents", "actions", "before", "search", "published"}
}

func trialScenarioKeys() []string {
	return []string{"properties", "groups", "per-target", "matrix", "cases", "repeats", "agents", "actions", "before", "search"}
}

func datasetKeys() []string { return []string{"properties", "load"} }
func tableKeys() []string   { return []string{"title", "scenarios", "columns", "repeats"} }
func trialKeys() []string {
	return []string{"variables", "properties", "targets", "datasets", "scenarios"}
}

// document is a parsed suite file.
type document struct {
	suite      *Suite
	properties []Setting
	targets    []group // a single one without a name if the file names none
	datasets   []group
	scenarios  []scenario
}

// group is a target or dataset.
type group struct {
	name     string
	at       Place
	settings []Setting
	load     bool // of a dataset: whether a case fills it
}

// scenario is a scenario before expansion over its axes.
type scenario struct {
	name      string
	at        Place
	dataset   *group
	targets   []*group
	settings  []Setting
	perTarget map[string][]Setting // by the name of the target
	axes      []axis
	repeats   int
	agents    int
	published []entry
	bad       bool // it has too many mistakes, and therefore no cases
}

// isMap reports whether a value is a map, and adds a mistake if it is not.
func (r *reader) isMap(key string, n *node) bool {
	if n.kind == mapping {
		return true
	}
	if n.kind != null {
		r.mistake(n.at, key, "want a map of names to values, got %s", n.kind)
	}
	return false
}

// known reports unknown names in a map.
func (r *reader) known(n *node, keys []string) {
	known := make(map[string]bool, len(keys))
	for _, k := range keys {
		known[k] = true
	}
	for _, f := range n.fields {
		if !known[f.name] {
			r.unknown(f.at, "", "key", f.name, keys)
		}
	}
}

// text reads a scalar.
func (r *reader) text(key string, n *node) string {
	if n == nil {
		return ""
	}
	if n.kind != scalar {
		r.mistake(n.at, key, "want a single value, got %s", n.kind)
	}
	return n.text
}

// flag reads true or false.
func (r *reader) flag(key string, n *node, otherwise bool) bool {
	if n == nil {
		return otherwise
	}
	switch text := r.text(key, n); text {
	case "true", "false":
		return text == "true"
	default:
		if n.kind == scalar {
			r.mistake(n.at, key, "invalid boolean %s: want true or false", strconv.Quote(shorten(text)))
		}
	}
	return otherwise
}

// count reads an integer from 1 to most.
func (r *reader) count(key string, n *node, otherwise, most int) int {
	if n == nil {
		return otherwise
	}
	i, err := strconv.Atoi(n.text)
	if n.kind != scalar || err != nil || i < 1 || i > most {
		r.mistake(n.at, key, "invalid integer %s: want 1 to %d", strconv.Quote(shorten(n.text)), most)
		return otherwise
	}
	return i
}

// choice reads one of several words.
func (r *reader) choice(key string, n *node, among ...string) string {
	text := r.text(key, n)
	if n == nil || n.kind != scalar {
		return among[0]
	}
	if slices.Contains(among, text) {
		return text
	}
	r.unknown(n.at, key, "value", text, among)
	return among[0]
}

// document parses a suite file. Full is the file without its trial.
func (r *reader) document(root, full, trial *node) *document {
	r.known(root, suiteKeys())
	s := &Suite{
		Name:      r.text("suite", root.get("suite")),
		Note:      r.text("note", root.get("note")),
		Order:     plan.Order(r.choice("order", root.get("order"), string(plan.Sequential), string(plan.Interleaved))),
		OnFailure: plan.OnFailure(r.choice("on-failure", root.get("on-failure"), string(plan.StopAll), string(plan.GoOn))),
		Schedule:  r.schedule(root.get("schedule")),
		At:        root.at,
	}
	if tags := root.get("tags"); tags != nil && r.isMap("tags", tags) {
		s.Tags = make(map[string]string, len(tags.fields))
		for _, f := range tags.fields {
			s.Tags[f.name] = r.text(f.name, f.value)
		}
	}
	d := &document{suite: s, properties: r.settings(root.get("properties"), OfSuite)}
	d.targets = r.groups("targets", root.get("targets"), r.target)
	if len(d.targets) == 0 {
		d.targets = []group{{at: root.at}}
	}
	d.datasets = r.groups("datasets", root.get("datasets"), r.dataset)
	r.scenarios(d, root, full)
	s.Published = d.published()
	s.Tables = r.tables(root.get("tables"), d)
	s.Charts = r.charts(root.get("charts"), d)
	r.checkTrial(trial)
	return d
}

// groups reads a map of targets or datasets.
func (r *reader) groups(key string, n *node, read func(name string, n *node) group) []group {
	if n == nil || !r.isMap(key, n) {
		return nil
	}
	groups := make([]group, 0, len(n.fields))
	for _, f := range n.fields {
		if strings.TrimSpace(f.name) == "" {
			r.mistake(f.at, key, "has an entry without a name; add the name before the colon")
		}
		g := group{name: f.name, load: true}
		if r.isMap(f.name, f.value) {
			g = read(f.name, f.value)
		}
		g.at = f.at
		groups = append(groups, g)
	}
	return groups
}

func (r *reader) target(name string, n *node) group {
	return group{name: name, settings: r.settings(n, OfTarget)}
}

func (r *reader) dataset(name string, n *node) group {
	r.known(n, datasetKeys())
	return group{name: name, settings: r.settings(n.get("properties"), OfDataset), load: r.flag("load", n.get("load"), true)}
}

// find returns the group with a name, or reports an unknown name.
func (r *reader) find(groups []group, what string, w word) *group {
	names := make([]string, 0, len(groups))
	for i, g := range groups {
		if g.name == w.text {
			return &groups[i]
		}
		if g.name != "" {
			names = append(names, g.name)
		}
	}
	r.unknown(w.at, "", what, w.text, names)
	return nil
}

// settings reads a map of properties.
func (r *reader) settings(n *node, level Level) []Setting { return r.prefixed("", n, level) }

// prefixed reads a map of properties whose names follow a prefix.
func (r *reader) prefixed(prefix string, n *node, level Level) []Setting {
	if n == nil || !r.isMap("properties", n) {
		return nil
	}
	out := make([]Setting, 0, len(n.fields))
	for _, f := range n.fields {
		if f.value.kind == mapping {
			if f.value.flow && !slices.ContainsFunc(f.value.fields, func(inner field) bool { return inner.value.kind != null }) {
				r.mistake(f.value.at, f.name, "want a single value, got a map; a text that begins with { needs quotes, such as '{seq:hash}'")
				continue
			}
			r.mistake(f.at, f.name, "want a single value, got a map; write the full name of a property before the colon, such as telemetry.interval: 1s")
			continue
		}
		r.meansNull(f.name, f.value)
		if f.value.kind == null { // a trial removes a setting this way
			continue
		}
		out = append(out, Setting{prefix + f.name, strings.Join(r.texts(f.name, f.value), ","), f.at, f.value.at, level, f.value.start})
	}
	r.given = append(r.given, out...)
	return out
}

// meansNull reads the word null as the name of the target null instead of YAML's null.
func (r *reader) meansNull(name string, n *node) {
	if n.kind == null && n.text == "null" && r.in.Property(name) == "db" {
		n.kind = scalar
	}
}

func (r *reader) texts(key string, n *node) []string {
	words := r.words(key, n)
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w.text
	}
	return out
}
