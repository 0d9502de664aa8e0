package api

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Describe returns the OpenAPI document of all routes.
func Describe(version string) ([]byte, error) {
	s := newSchemas()
	failure, err := s.of(reflect.TypeFor[ErrorDocument]())
	if err != nil {
		return nil, err
	}
	paths := make(map[string]object)
	for _, r := range Routes() {
		one, err := s.operation(r, failure)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", r.Method, r.Path, err)
		}
		at := Prefix + r.Path
		if paths[at] == nil {
			paths[at] = object{}
		}
		paths[at][strings.ToLower(r.Method)] = one
	}
	text, err := json.MarshalIndent(object{
		"openapi": "3.1.0",
		"info": object{
			"title": "benchd", "version": version, "summary": "A coordinator of benchmarks of databases",
			"description": "The documents are those of benchctl with -o json. Fields are only ever added: ignore those that you do not know.",
			"license":     object{"name": "Apache-2.0", "identifier": "Apache-2.0"},
		},
		"paths":      paths,
		"components": object{"schemas": s.byName},
	}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write OpenAPI: %w", err)
	}
	return append(text, '\n'), nil
}

// operation describes a route.
func (s *schemas) operation(r Route, failure object) (object, error) {
	parameters := []any{}
	for _, name := range r.Variables() {
		parameters = append(parameters, object{"name": name, "in": "path", "required": true, "schema": object{"type": "string"}})
	}
	for _, p := range r.Parameters {
		parameters = append(parameters, object{"name": p.Name, "in": "query", "required": p.Required, "description": p.Doc, "schema": p.schema()})
	}
	good, err := s.answer(r)
	if err != nil {
		return nil, err
	}
	status := r.Status
	if status == 0 {
		status = 200
	}
	responses := object{
		strconv.Itoa(status): good,
		"default":            object{"description": "What is wrong, and the cure.", "content": object{jsonMedia: object{"schema": failure}}},
	}
	if !r.Changes() {
		responses["304"] = object{"description": "The document that If-None-Match names has not changed."}
	}
	o := object{"operationId": r.Name, "summary": r.Doc, "parameters": parameters, "responses": responses}
	if len(r.Calls) > 0 {
		o["description"] = "Calls of the protocol, whose roles apply: " + strings.Join(r.Calls, ", ") + "."
	}
	if r.Body != nil {
		body, err := s.of(r.Body)
		if err != nil {
			return nil, err
		}
		o["requestBody"] = object{"required": true, "content": object{jsonMedia: object{"schema": body}}}
	}
	return o, nil
}

// answer describes the good answer of a route.
func (s *schemas) answer(r Route) (object, error) {
	if len(r.Answers) == 0 && r.Media == "" {
		return object{"description": "Done."}, nil
	}
	schema, media := object{}, r.Media
	if media == "" {
		media = jsonMedia
	}
	alternatives := []any{}
	for _, t := range r.Answers {
		one, err := s.of(t)
		if err != nil {
			return nil, err
		}
		schema = one
		alternatives = append(alternatives, one)
	}
	if len(alternatives) > 1 {
		schema = object{"anyOf": alternatives}
	}
	return object{"description": r.Doc, "content": object{media: object{"schema": schema}}}, nil
}

// schema describes a parameter.
func (p Parameter) schema() object {
	one := object{"type": "string"}
	switch p.Kind {
	case Integer:
		one = object{"type": "integer", "minimum": 1}
	case Boolean:
		one = object{"type": "boolean"}
	case Seconds:
		one = object{"type": "number", "minimum": 0}
	case Time:
		one["examples"] = []string{"2026-03-01T12:00:00Z", "2026-03-01"}
	case Text:
		if len(p.Choices) > 0 {
			one["enum"] = p.Choices
		}
	}
	if p.Repeated {
		return object{"type": "array", "items": one}
	}
	return one
}
