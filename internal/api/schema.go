package api

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/advice"
	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/schedule"
	"github.com/benchd/benchd/internal/search"
	"github.com/benchd/benchd/internal/trend"
)

// object is an object of JSON.
type object = map[string]any

// schemas are the JSON Schemas of types, by their names. A schema allows fields that it does not have: documents get further ones.
type schemas struct {
	byName map[string]any
	named  map[string]reflect.Type
}

func newSchemas() *schemas {
	return &schemas{byName: make(map[string]any), named: make(map[string]reflect.Type)}
}

// schemaNames are the names of types whose own name is not clear among those of other packages, as docs/json.md has them.
func schemaNames() map[reflect.Type]string {
	return map[reflect.Type]string{
		reflect.TypeFor[remote.Suite]():      "SuiteSummary",
		reflect.TypeFor[remote.Agent]():      "AgentSummary",
		reflect.TypeFor[plan.Table]():        "PlannedTable",
		reflect.TypeFor[search.Space]():      "Search",
		reflect.TypeFor[compare.Case]():      "ComparedCase",
		reflect.TypeFor[compare.Figure]():    "ComparedFigure",
		reflect.TypeFor[trend.Entry]():       "TrendSuite",
		reflect.TypeFor[trend.Case]():        "TrendCase",
		reflect.TypeFor[trend.Figure]():      "TrendFigure",
		reflect.TypeFor[trend.Point]():       "TrendPoint",
		reflect.TypeFor[trend.Change]():      "TrendChange",
		reflect.TypeFor[advice.OfCase]():     "CaseAdvice",
		reflect.TypeFor[advice.Duration]():   "RunTime",
		reflect.TypeFor[advice.Repeats]():    "NeededRepeats",
		reflect.TypeFor[advice.Rate]():       "OfferedRate",
		reflect.TypeFor[schedule.Summary]():  "ScheduleSummary",
		reflect.TypeFor[schedule.Document](): "Schedule",
		reflect.TypeFor[schedule.Outcome]():  "DueTime",
		reflect.TypeFor[ErrorDocument]():     "Error",
	}
}

// ownJSON are the schemas of types that make their JSON themselves.
func ownJSON() map[reflect.Type]object {
	return map[reflect.Type]object{
		reflect.TypeFor[time.Time]():       {"type": "string", "format": "date-time"},
		reflect.TypeFor[json.RawMessage](): {},
		reflect.TypeFor[result.Cell]():     {"type": []string{"number", "string", "null"}},
	}
}

// of returns the schema of a type, or a reference to it.
func (s *schemas) of(t reflect.Type) (object, error) {
	if own, is := ownJSON()[t]; is {
		return own, nil
	}
	if t.Kind() == reflect.Pointer {
		inner, err := s.of(t.Elem())
		return orNull(inner), err
	}
	if t.Kind() == reflect.Interface {
		return object{}, nil
	}
	if t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return object{"type": "string"}, nil
	}
	if t.Implements(reflect.TypeFor[json.Marshaler]()) {
		return nil, fmt.Errorf("describe %s: it makes its JSON itself, and has no schema", t)
	}
	switch t.Kind() {
	case reflect.Bool:
		return object{"type": "boolean"}, nil
	case reflect.String:
		return object{"type": "string"}, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return object{"type": "integer"}, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return object{"type": "integer", "minimum": 0}, nil
	case reflect.Float32, reflect.Float64:
		return object{"type": "number"}, nil
	case reflect.Array:
		inner, err := s.of(t.Elem())
		return object{"type": "array", "items": inner, "minItems": t.Len(), "maxItems": t.Len()}, err
	case reflect.Slice:
		inner, err := s.of(t.Elem())
		return object{"type": []string{"array", "null"}, "items": inner}, err
	case reflect.Map:
		inner, err := s.of(t.Elem())
		return object{"type": []string{"object", "null"}, "additionalProperties": inner}, err
	case reflect.Struct:
		return s.ref(t)
	default:
		return nil, fmt.Errorf("describe %s: it has no form in JSON", t)
	}
}

// orNull also allows null.
func orNull(inner object) object {
	if one, is := inner["type"].(string); is {
		inner["type"] = []string{one, "null"}
		return inner
	}
	if inner["type"] != nil || len(inner) == 0 {
		return inner
	}
	return object{"anyOf": []any{inner, object{"type": "null"}}}
}

// ref returns a reference to the schema of a struct, which it makes if it is the first.
func (s *schemas) ref(t reflect.Type) (object, error) {
	name := t.Name()
	if other, is := schemaNames()[t]; is {
		name = other
	}
	reference := object{"$ref": "#/components/schemas/" + name}
	if before := s.named[name]; before != nil {
		if before != t {
			return nil, fmt.Errorf("describe %s and %s: both have the name %s", before, t, name)
		}
		return reference, nil
	}
	s.named[name] = t
	properties, required := object{}, []string{}
	for _, f := range reflect.VisibleFields(t) {
		field, optional, is := jsonField(f)
		if !is {
			continue
		}
		inner, err := s.of(f.Type)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", name, field, err)
		}
		properties[field] = inner
		if !optional {
			required = append(required, field)
		}
	}
	s.byName[name] = object{"type": "object", "properties": properties, "required": required}
	return reference, nil
}

// jsonField returns the name of a field in JSON. An embedded struct without a name stands for its fields, which are visible themselves.
func jsonField(f reflect.StructField) (name string, optional, is bool) {
	tag, tagged := f.Tag.Lookup("json")
	name, options, _ := strings.Cut(tag, ",")
	if !f.IsExported() || name == "-" || f.Anonymous && name == "" {
		return "", false, false
	}
	if name == "" || !tagged {
		name = f.Name
	}
	return name, strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero"), true
}
