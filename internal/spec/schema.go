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

// Schema returns the JSON Schema of suite files, for editors. It contains each property of Keys with its documentation. Only
// Parse validates combinations.
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
	number := schema{"type": "number"}
	ref := func(name string) schema { return schema{"$ref": "#/$defs/" + name} }

	_, betweenPhases := between(r.table.targets)
	dataset := object("rows that cases share", schema{
		"properties": ref("properties"),
		"load":       flag("whether a case fills it before the first case that uses it (default true); false: it exists already"),
	})
	action := object("an action on the target during measuring", schema{
		"at": line("time since the start of measuring: 60s"),
		"do": line("the action with its arguments: " + strings.Join(actionsOf(r.table.targets...).names(), ", ")),
	}, "at", "do")
	searched := make(schema)
	for _, key := range suite.SearchKeys() {
		searched[key] = ref("properties/properties/search." + key)
	}
	scenario := schema{
		"name":       line("its name; each has its own"),
		"note":       line("a remark for readers of the file"),
		"dataset":    line("name of the dataset that it uses"),
		"targets":    texts("names of the targets that it runs on (default the first)"),
		"properties": ref("properties"),
		"groups":     named("groups of workers that work beside each other, with their properties", ref("properties")),
		"per-target": named("properties of its cases on single targets, by the target's name", ref("properties")),
		"matrix":     ref("axes"),
		"cases":      list("values that vary together, a case per entry; with a matrix, for each combination of its values", ref("point")),
		"repeats":    count("number of runs of each case (default 1)", suite.MaxRepeats),
		"agents":     schema{"description": "number of agents (default that of the submission)", "type": "integer", "minimum": 1},
		"actions":    list("actions on the target during measuring", action),
		"before":     texts("actions before the first measured segment of a run, which waits for them: " + strings.Join(betweenPhases, ", ")),
		"search":     object("search the highest throughput that keeps an objective, instead of repeats", searched),
		"published":  list("published results, a line per run; a line that names an axis or a target belongs to the case with that value", schema{"type": "object"}),
	}
	small := make(schema)
	for _, name := range []string{"properties", "groups", "per-target", "matrix", "cases", "repeats", "agents", "actions", "before", "search"} {
		small[name] = scenario[name]
	}
	top := schema{
		"suite":      line("name of the suite"),
		"note":       line("kept with the result"),
		"tags":       named("kept with the result", text),
		"include":    texts("other suite files, relative to this one; this one wins: maps are merged, lists replaced"),
		"variables":  named("values of ${NAME} in any other value; --var NAME=VALUE wins", text),
		"properties": ref("properties"),
		"targets":    named("systems under test by name, with their properties", ref("properties")),
		"datasets":   named("rows that cases share, by name", dataset),
		"scenarios":  list("in the order of execution", object("cases that belong together", scenario, "name")),
		"order":      schema{"description": "of the runs", "enum": []string{string(plan.Sequential), string(plan.Interleaved)}},
		"on-failure": schema{"description": "whether to stop or to continue after a failed run", "enum": []string{string(plan.StopAll), string(plan.GoOn)}},
		"schedule": object("the suite runs again and again on a coordinator, see docs/schedules.md: every, or cron", schema{
			"every":    line("time between two due times: 24h"),
			"cron":     line("due times as minute, hour, day of the month, month and day of the week: 0 2 * * *"),
			"timezone": line("of cron, by its IANA name: Asia/Shanghai (default UTC)"),
		}),
		"tables": list("tables that a report shows", object("a table with a line per case of its scenarios", schema{
			"title": line("title of the table"), "scenarios": texts("names of scenarios"), "columns": texts("properties in which the cases differ, and their figures: threads, throughput_ops, read_avg_ms"),
			"repeats": flag("also a line per repeat"),
		}, "title", "scenarios", "columns")),
		"charts": list("charts that a report shows besides its own", object("a chart of figures of cases, or of telemetry of their runs", schema{
			"title": line("title of the chart"), "scenarios": texts("names of scenarios (default all)"),
			"kind":      schema{"description": "default lines over numbers, bars otherwise; time shows telemetry over the time of a run", "enum": []string{string(plan.LinesChart), string(plan.BarsChart), string(plan.TimeChart)}},
			"x":         line("what the x axis shows: scenario, case, target, rows (of the dataset) or a property (default the number in which the cases differ, or else scenario or case)"),
			"y":         texts("figures, spelled as columns of tables: throughput_ops, read_p99_ms"),
			"telemetry": texts("figures of telemetry instead of y; those joined by + are added up"),
			"by":        line("what makes a series: target, a property, or server for telemetry (default the target if there are several)"),
			"only":      named("the cases with these values", text),
			"limits":    list("lines across the chart", object("a limit", schema{"value": number, "label": line("what it is")}, "value", "label")),
			"published": list("published values that belong to no case", object("a point", schema{"name": line("what was published"), "x": number, "y": number}, "name", "x", "y")),
		}, "title")),
		"trial": object("small sizes, applied over the rest with --trial: maps are merged, lists replaced", schema{
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
	defs := schema{
		"properties": object("settings, spelled as in properties files", properties),
		"point":      object("one case", point),
		"axes":       object("values by property; the cases are their cross product, in which the first axis varies slowest", axes),
	}
	for _, one := range defs {
		one.(schema)["patternProperties"] = schema{`^group\.[a-z][a-z0-9-]*\.`: schema{"description": "a property of a group of workers"}} //nolint:errcheck,forcetypeassert // made above
	}
	whole["$defs"] = defs
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	_ = enc.Encode(whole) //nolint:errchkjson // maps of texts and numbers: they can be encoded
	return []byte(out.String())
}

// schemaOf describes the value of a property. A variable can replace any value.
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
		if k.Check != nil { // it accepts other spellings too
			value, variable = schema{"type": []string{"string", "null"}, "examples": k.Values}, nil // null is a target
			break
		}
		value = schema{"enum": k.Values}
	case property.Percent, property.Rate, property.List:
		value, variable = schema{"type": []string{"string", "number", "array"}}, nil
	case property.Secret:
		value, variable = schema{"type": "string", "pattern": `^\s*(file|env|credential):|\$\{`}, nil
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
