package suite

import (
	"math"
	"slices"
	"strconv"

	"github.com/benchd/benchd/internal/plan"
)

// entry is one published line.
type entry struct {
	at     Place
	names  []string
	places []Place // of the names
	values map[string]any
	texts  map[string]string
	used   bool
}

// published reads the published lines of a scenario.
func (r *reader) published(n *node) []entry {
	if n == nil {
		return nil
	}
	if n.kind != list {
		r.mistake(n.at, "published", "want a list, got %s; write - {run: 1, throughput_ops: 3881}", n.kind)
		return nil
	}
	var entries []entry
	for _, one := range n.items {
		if !r.isMap("published", one) {
			continue
		}
		e := entry{at: one.at, names: one.names(), values: make(map[string]any), texts: make(map[string]string)}
		for _, f := range one.fields {
			e.places = append(e.places, f.at)
			switch f.value.kind {
			case null:
				e.values[f.name] = nil
			case scalar:
				e.values[f.name], e.texts[f.name] = figure(f.value), f.value.text
				if (f.name == "run" || f.name == "client") && !plan.CountsPublished(e.values[f.name]) {
					r.mistake(f.value.at, f.name, "invalid integer %s: want 1 to %d", strconv.Quote(shorten(f.value.text)), plan.MaxPublished)
				}
			case list, mapping:
				r.mistake(f.value.at, f.name, "want a single value, got %s", f.value.kind)
			}
		}
		entries = append(entries, e)
	}
	return entries
}

// figure returns a number or a boolean if the value looks like one, or its text.
func figure(n *node) any {
	if n.quoted {
		return n.text
	}
	if i, err := strconv.ParseInt(n.text, 10, 64); err == nil {
		return i
	}
	if f, err := strconv.ParseFloat(n.text, 64); err == nil && !math.IsInf(f, 0) && !math.IsNaN(f) {
		return f
	}
	switch n.text {
	case "true", "false":
		return n.text == "true"
	}
	return n.text
}

// publishedTargetKeys are the names that reports use for the target.
func publishedTargetKeys() []string { return []string{"target", "mode", "product"} }

// publishedFor returns the entries of a scenario that belong to a case: those in which each axis and target that they name
// has the value of the case.
func (r *reader) publishedFor(s *scenario, axes []plan.Setting, target string, targets int) []map[string]any {
	var out []map[string]any
	for i := range s.published {
		e := &s.published[i]
		if r.fits(e, axes, target, targets) {
			e.used = true
			out = append(out, e.values)
		}
	}
	return out
}

func (r *reader) fits(e *entry, axes []plan.Setting, target string, targets int) bool {
	for _, name := range e.names {
		text, ok := e.texts[name]
		if !ok {
			continue
		}
		property := r.in.Property(name)
		i := slices.IndexFunc(axes, func(a plan.Setting) bool { return r.in.Property(a.Key) == property })
		switch {
		case i >= 0:
			if !same(axes[i].Value, text) {
				return false
			}
		case targets > 1 && slices.Contains(publishedTargetKeys(), name):
			if text != target {
				return false
			}
		}
	}
	return true
}

// same compares values, as numbers if both are numbers.
func same(a, b string) bool {
	if a == b {
		return true
	}
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return errX == nil && errY == nil && x == y
}

// checkPublished reports published lines that match no case. It skips trials, which have other cases.
func (r *reader) checkPublished(s *scenario) {
	if r.in.Trial {
		return
	}
	for _, e := range s.published {
		if !e.used {
			r.mistake(e.at, "published", "matches no case: no case has the values of the axes and targets that the line names; correct them, or remove the line")
		}
	}
}
