package suite

import (
	"slices"
	"strconv"

	"github.com/benchd/benchd/internal/plan"
)

// tables reads the tables of the report. Package spec validates their columns.
func (r *reader) tables(n *node, d *document) []Table {
	var tables []Table
	for _, one := range r.items("tables", n, maxTables, "begin each table with - title:") {
		tables = append(tables, r.table(one, d.scenarioNames()))
	}
	return tables
}

// items reads a list of maps.
func (r *reader) items(key string, n *node, most int, cure string) []*node {
	switch {
	case n == nil:
		return nil
	case n.kind != list:
		r.mistake(n.at, key, "want a list, got %s; %s", n.kind, cure)
		return nil
	case len(n.items) > most:
		r.mistake(n.at, key, "has %d entries; the maximum is %d", len(n.items), most)
		return nil
	}
	var out []*node
	for _, one := range n.items {
		if r.isMap(key, one) {
			out = append(out, one)
		}
	}
	return out
}

func (d *document) scenarioNames() []string {
	var names []string
	for _, s := range d.scenarios {
		names = append(names, s.name)
	}
	return names
}

// table reads a table; scenarios are the names of the file's scenarios.
func (r *reader) table(n *node, scenarios []string) Table {
	r.known(n, tableKeys())
	t := Table{Table: plan.Table{Title: r.text("title", n.get("title")), Repeats: r.flag("repeats", n.get("repeats"), false)}}
	if t.Title == "" {
		r.mistake(n.at, "title", "missing; give the table a title")
	}
	for _, w := range r.several("scenarios", n) {
		if !slices.Contains(scenarios, w.text) {
			r.unknown(w.at, "scenarios", "scenario", w.text, scenarios)
		}
		t.Scenarios = append(t.Scenarios, w.text)
	}
	for _, w := range r.several("columns", n) {
		t.Columns, t.At = append(t.Columns, w.text), append(t.At, w.at)
	}
	if len(t.Columns) > maxColumns {
		r.mistake(n.get("columns").at, "columns", "has %d columns; the maximum is %d", len(t.Columns), maxColumns)
		t.Columns, t.At = nil, nil
	}
	return t
}

// several reads a list of a table, which must have at least one item and no duplicates.
func (r *reader) several(key string, of *node) []word {
	n := of.get(key)
	if n == nil || n.kind == list && len(n.items) == 0 {
		at := of.at
		if n != nil {
			at = n.at
		}
		r.mistake(at, key, "missing; list at least one")
		return nil
	}
	seen := make(map[string]bool)
	var out []word
	for _, w := range r.words(key, n) {
		if seen[w.text] {
			r.mistake(w.at, key, "duplicate %s; remove one of them", strconv.Quote(shorten(w.text)))
			continue
		}
		seen[w.text] = true
		out = append(out, w)
	}
	return out
}

// published returns the names in the published lines of each scenario.
func (d *document) published() map[string][]Name {
	out := make(map[string][]Name)
	for _, s := range d.scenarios {
		seen := make(map[string]bool)
		for _, e := range s.published {
			for i, name := range e.names {
				if !seen[name] {
					seen[name] = true
					out[s.name] = append(out[s.name], Name{name, e.places[i]})
				}
			}
		}
	}
	return out
}
