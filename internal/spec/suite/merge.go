package suite

import (
	"slices"
	"strings"
)

// merge applies one value over another: maps are merged, name by name, other values are replaced. It changes neither.
func merge(base, over *node) *node {
	if base == nil || over == nil || base.kind != mapping || over.kind != mapping {
		if over == nil {
			return base
		}
		return over
	}
	out := &node{kind: mapping, at: over.at, fields: make([]field, len(base.fields), len(base.fields)+len(over.fields))}
	copy(out.fields, base.fields)
	index := make(map[string]int, len(base.fields))
	for i, f := range base.fields {
		index[f.name] = i
	}
	for _, f := range over.fields {
		i, ok := index[f.name]
		if !ok {
			out.fields = append(out.fields, f)
			continue
		}
		f.value = merge(base.fields[i].value, f.value)
		out.fields[i] = f
	}
	return out
}

// with returns a map with one value replaced.
func (n *node) with(name string, value *node) *node {
	if value == nil {
		return n
	}
	out := *n
	out.fields = append([]field(nil), n.fields...)
	for i, f := range out.fields {
		if f.name == name {
			out.fields[i].value = value
			return &out
		}
	}
	out.fields = append(out.fields, field{name, value.at, value})
	return &out
}

// trialOf returns the trial block and validates its names.
func (r *reader) trialOf(root *node) *node {
	trial := root.get("trial")
	if trial == nil {
		if r.in.Trial {
			r.mistake(root.at, "trial", "the suite has no trial block; add trial: with small sizes, or remove --trial")
		}
		return nil
	}
	if !r.isMap("trial", trial) {
		return nil
	}
	r.known(trial, trialKeys())
	for _, key := range []string{"targets", "datasets", "scenarios"} {
		part := trial.get(key)
		if part == nil || !r.isMap(key, part) {
			continue
		}
		there := root.get(key).names()
		if list := root.get(key); key == "scenarios" && list != nil {
			for _, one := range list.items {
				if name := one.get("name"); name != nil {
					there = append(there, name.text)
				}
			}
		}
		for _, f := range part.fields {
			if !slices.Contains(there, f.name) {
				r.unknown(f.at, "trial", strings.TrimSuffix(key, "s"), f.name, there)
			}
			if key == "scenarios" && r.isMap(f.name, f.value) {
				r.known(f.value, trialScenarioKeys())
			}
		}
	}
	return trial
}

// overlay applies a trial over the suite.
func overlay(root, trial *node) *node {
	if trial == nil {
		return root
	}
	for _, name := range []string{"variables", "properties", "targets", "datasets"} {
		if over := trial.get(name); over != nil && over.kind == mapping {
			root = root.with(name, merge(root.get(name), over))
		}
	}
	over, scenarios := trial.get("scenarios"), root.get("scenarios")
	if over == nil || over.kind != mapping || scenarios == nil || scenarios.kind != list {
		return root
	}
	replaced := *scenarios
	replaced.items = make([]*node, len(scenarios.items))
	for i, one := range scenarios.items {
		replaced.items[i] = one
		if name := one.get("name"); name != nil {
			if small := over.get(name.text); small != nil && small.kind == mapping {
				replaced.items[i] = merge(one, small)
			}
		}
	}
	return root.with("scenarios", &replaced)
}
