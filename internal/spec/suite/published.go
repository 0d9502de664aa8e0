package suite

import (
	"math"
	"slices"
	"strconv"

	"github.com/benchd/benchd/internal/plan"
)

// entry is one line that was published.
type entry struct {
	at     Place
	names  []string
	places []Place // of the names
	values map[string]any
	texts  map[string]string
	used   bool
}

// published reads what was published for a scenario.
func (r *reader) published(n *node) []entry {
	if n == nil {
		return nil
	}
	if n.kind != list {
		r.mistake(n.at, "published", "is to be a list, and this is %s; write - {run: 1, throughput_ops: 3881}", n.kind)
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
					r.mistake(f.value.at, f.name, "is %s: a published line names its %s by a whole number from 1 to %d", f.value.text, f.name, plan.MaxPublished)
				}
			case list, mapping:
				r.mistake(f.value.at, f.name, "is to be a single figure or word, and this is %s", f.value.kind)
			}
		}
		entries = append(entries, e)
	}
	return entries
}

// figure is a number where the value looks like one.
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

// targetKeys are the names under which reports tell of the target.
func publishedTargetKeys() []string { return []string{"target", "mode", "product"} }

// publishedFor returns the entries of a scenario that belong to a case: those whose values are the case's wherever they
// name one of its axes or its target.
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

// same compares values as numbers where they are some.
func same(a, b string) bool {
	if a == b {
		return true
	}
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return errX == nil && errY == nil && x == y
}

// judgePublished tells of what was published for a case that there is not. A trial has other cases.
func (r *reader) judgePublished(s *scenario) {
	if r.in.Trial {
		return
	}
	for _, e := range s.published {
		if !e.used {
			r.mistake(e.at, "published", "belongs to no case: where it names an axis or a target, no case has that value")
		}
	}
}
