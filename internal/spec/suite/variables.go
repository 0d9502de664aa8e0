package suite

import (
	"maps"
	"slices"
	"strings"
)

// variables reads the variables and expands them everywhere else, also in the full suite under a trial.
func (r *reader) variables(root, full *node) {
	r.values = make(map[string]string)
	if n := root.get("variables"); n != nil && r.isMap("variables", n) {
		for _, f := range n.fields {
			switch {
			case f.value.kind != scalar && f.value.kind != null:
				r.mistake(f.value.at, f.name, "want a single value, got %s", f.value.kind)
			case strings.Contains(f.value.text, "${"):
				r.mistake(f.value.at, f.name, "contains a variable; a variable cannot refer to another one")
			}
			r.values[f.name] = f.value.text
		}
	}
	declared := slices.Sorted(maps.Keys(r.values))
	for i, v := range r.in.Variables {
		if !slices.Contains(declared, v.Name) {
			origin := v.Origin
			if origin == "" {
				origin = "--var"
			}
			r.unknown(Place{file: origin, index: 1<<18 + i}, v.Name, "variable", v.Name, declared)
			continue
		}
		r.values[v.Name] = v.Value
	}
	for _, f := range append(slices.Clip(root.fields), full.fields...) {
		if f.name != "variables" {
			r.fill(f.value)
		}
	}
}

// fill expands the variables in a value and its children, once: aliases and merges share values.
func (r *reader) fill(n *node) {
	if n.filled {
		return
	}
	n.filled = true
	if n.kind == scalar && strings.Contains(n.text, "${") {
		n.text, n.start = r.filledIn(n), Place{}
	}
	for _, item := range n.items {
		r.fill(item)
	}
	for _, f := range n.fields {
		r.fill(f.value)
	}
}

// filledIn returns the text of a node with its variables expanded. $${ is an escape for ${.
func (r *reader) filledIn(n *node) string {
	const longest = 1 << 16
	var out strings.Builder
	rest := n.text
	for {
		i := strings.Index(rest, "${")
		if i < 0 {
			break
		}
		if i > 0 && rest[i-1] == '$' {
			out.WriteString(rest[:i-1] + "${")
			rest = rest[i+2:]
			continue
		}
		end := strings.IndexByte(rest[i:], '}')
		if end < 0 {
			r.mistake(n.at, "", "${ without a closing }; write ${NAME}, or $${ for a literal ${")
			break
		}
		name := strings.TrimSpace(rest[i+2 : i+end])
		value, ok := r.values[name]
		if !ok {
			r.unknown(n.at, "", "variable", name, slices.Sorted(maps.Keys(r.values)))
		}
		out.WriteString(rest[:i] + value)
		rest = rest[i+end+1:]
		if out.Len() > longest {
			r.mistake(n.at, "", "has more than %d bytes with its variables expanded", longest)
			return ""
		}
	}
	out.WriteString(rest)
	return out.String()
}
