package spec

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/spec/suite"
)

// schema is a part of a JSON Schema.
type schema = map[string]any

// Schema is the JSON Schema of suite files, for editors. It knows each property of Keys with what is said of it there; what
// must fit together only Parse knows.
func (r *Reader) Schema() []byte {
	text := schema{"type": []string{"string", "number", "boolean"}}
	texts := func(doc string) schema {
		return schema{"description": doc, "type": "array", "items": text}
	}
	flag := func(doc string) schema { return schema{"description": doc, "type": "boolean"} }
	count := func(doc string, most int) schema {
		return schema{"description": doc, "type": "integer", "minimum": 1, "maximum": most}
	}
	line := func(doc string) schema { return schema{"description": doc, "type": "string"} }
	object := func(doc string, of schema, required ...string) schema {
		o := schema{"description": doc, "type": "object", "properties": of, "additionalProperties": false}
		if len(required) > 0 {
			o["required"] = required
		}
		return o
	}
	named := func(doc string, each schema) schema {
		return schema{"description": doc, "type": "object", "additionalProperties": each}
	}
	list := func(doc string, each schema) schema {
		return schema{"description": doc, "type": "array", "items": each}
	}
	ref := func(name string) schema { return schema{"$ref": "#/$defs/" + name} }

	_, betweenPhases := between(r.table.targets)
	dataset := object("rows that cases share", schema{
		"properties": ref("properties"),
		"load":       flag("whether a case fills it before the first case that uses it (default true); false: it is there already"),
	})
	action := object("something done to the target while it is measured", schema{
		"at": line("its instant, from the begin of measuring: 60s"),
		"do": line("what is done, with its arguments: " + strings.Join(actionsOf(r.table.targets...).names(), ", ")),
	}, "at", "do")
	scenario := schema{
		"name":       line("its name; each has its own"),
		"note":       line("a remark for who reads the file"),
		"dataset":    line("the rows that it works on, by the name of a dataset"),
		"targets":    texts("the systems that it runs on, by the names of targets (default the first)"),
		"properties": ref("properties"),
		"matrix":     ref("axes"),
		"cases":      list("values that vary together, a case for each entry; with a matrix, for each of its combinations", ref("point")),
		"repeats":    count("runs of each case (default 1)", suite.MaxRepeats),
		"agents":     schema{"description": "how many agents (default as the submission says)", "type": "integer", "minimum": 1},
		"actions":    list("done to the target while it is measured", action),
		"before":     texts("done before the run's first segment that measures, which waits for them: " + strings.Join(betweenPhases, ", ")),
		"published":  list("what a report printed, a line for each of its runs; one that names an axis or a target belongs to the case with that value", schema{"type": "object"}),
	}
	small := make(schema)
	for _, name := range []string{"properties", "matrix", "cases", "repeats", "agents", "actions", "before"} {
		small[name] = scenario[name]
	}
	top := schema{
		"suite":      line("its name"),
		"note":       line("kept with the result"),
		"tags":       named("kept with the result", text),
		"include":    texts("other suite files, relative to this one; what this one says wins: maps are merged, lists replaced"),
		"variables":  named("what ${NAME} stands for in any value; --var NAME=VALUE wins", text),
		"properties": ref("properties"),
		"targets":    named("systems under test by name, with their properties", ref("properties")),
		"datasets":   named("rows that cases share, by name", dataset),
		"scenarios":  list("in the order of execution", object("cases that belong together", scenario, "name")),
		"order":      schema{"description": "of the runs", "enum": []string{string(plan.Sequential), string(plan.Interleaved)}},
		"on-failure": schema{"description": "what becomes of the runs after one that failed", "enum": []string{string(plan.StopAll), string(plan.GoOn)}},
		"tables": list("that a report shows", object("a line for each case of its scenarios", schema{
			"title": line("its title"), "scenarios": texts("by name"), "columns": texts("what cases differ by, and their figures: threads, throughput_ops, read_avg_ms"),
			"repeats": flag("a line for each repeat too"),
		}, "title", "scenarios", "columns")),
		"trial": object("small sizes, laid over the rest with --trial: maps are merged, lists replaced", schema{
			"variables": named("as above", text), "properties": ref("properties"), "targets": named("as above, by name", ref("properties")),
			"datasets": named("as above, by name", dataset), "scenarios": named("by name", object("of a scenario", small)),
		}),
	}
	properties, axes, point := make(schema), make(schema), make(schema)
	for _, k := range r.table.keys {
		if k.Status == property.Refused {
			continue
		}
		properties[k.Name] = schemaOf(k)
		point[k.Name] = ref("properties/properties/" + k.Name)
		axes[k.Name] = schema{"type": []string{"array", "null"}, "items": point[k.Name]}
	}
	agents := scenario["agents"]
	point["agents"], axes["agents"] = agents, schema{"type": []string{"array", "null"}, "items": agents}
	whole := object("A suite of benchd, see docs/suites.md", top)
	whole["$schema"], whole["title"] = "https://json-schema.org/draft/2020-12/schema", "benchd suite"
	whole["$defs"] = schema{
		"properties": object("settings, spelled as in properties files", properties),
		"point":      object("one case", point),
		"axes":       object("values by property; their cross product, the first axis slowest", axes),
	}
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	_ = enc.Encode(whole) //nolint:errchkjson // maps of texts and numbers: they can be encoded
	return []byte(out.String())
}

// schema describes a property's value. A variable may stand for any value.
func schemaOf(k property.Key) schema {
	doc := k.Doc
	if k.Reason != "" {
		doc = strings.TrimPrefix(doc+"; "+k.Reason, "; ")
	}
	if k.Default != "" && k.Status != property.Alias {
		doc += " (default " + k.Default + ")"
	}
	variable := schema{"type": "string", "pattern": `\$\{`}
	var value schema
	switch k.Kind {
	case property.Int:
		value = schema{"type": "integer"}
	case property.Float:
		value = schema{"type": "number"}
	case property.Bool:
		value = schema{"type": "boolean"}
	case property.Enum:
		if k.Check != nil { // it takes other spellings too
			value, variable = schema{"type": []string{"string", "null"}, "examples": k.Values}, nil // null is a target
			break
		}
		value = schema{"enum": k.Values}
	case property.Percent, property.Rate, property.List:
		value, variable = schema{"type": []string{"string", "number", "array"}}, nil
	case property.Duration:
		value, variable = schema{"type": "string"}, nil
	case property.Text:
		value, variable = schema{"type": []string{"string", "number", "boolean"}}, nil
	}
	if k.Max > 0 && k.Check == nil && slices.Contains([]property.Kind{property.Int, property.Float}, k.Kind) {
		value["minimum"], value["maximum"] = k.Min, k.Max
	}
	if variable != nil {
		value = schema{"anyOf": []schema{value, variable}}
	}
	value["description"] = doc
	return value
}
