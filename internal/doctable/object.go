package doctable

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Object is an object of JSON documents, made from one Go type. A document describes it below the heading "### Name", in a table
// of Field, Type and Meaning.
type Object struct {
	Name   string
	Fields []Field
}

// Field is a field of an Object.
type Field struct{ Name, Type string }

// Objects returns the objects that JSON documents consist of: those made from the roots, and those within them. They have the
// names of their Go types, or those in names. A type that makes its JSON itself is in texts, with what its JSON is.
func Objects(names, texts map[reflect.Type]string, roots ...reflect.Type) []Object {
	w := walk{names: names, texts: texts, seen: make(map[reflect.Type]bool)}
	for _, root := range roots {
		w.text(root)
	}
	return w.objects
}

type walk struct {
	names, texts map[reflect.Type]string
	seen         map[reflect.Type]bool
	objects      []Object
}

// text names the JSON that a type becomes.
func (w *walk) text(t reflect.Type) string {
	if text, ok := w.texts[t]; ok {
		return text
	}
	switch {
	case t == reflect.TypeFor[time.Time]():
		return "time"
	case t == reflect.TypeFor[json.RawMessage](), t.Kind() == reflect.Interface:
		return "any"
	case t.Implements(reflect.TypeFor[json.Marshaler]()), reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]()):
		return fmt.Sprintf("unknown JSON of %s", t)
	}
	switch t.Kind() {
	case reflect.Pointer:
		return w.text(t.Elem()) + " or null"
	case reflect.Slice, reflect.Array:
		return "array of " + w.text(t.Elem())
	case reflect.Map:
		return "map of " + w.text(t.Elem())
	case reflect.Struct:
		return w.object(t)
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Float32, reflect.Float64:
		return "number"
	default:
		return "integer"
	}
}

// object notes the fields of a struct, and returns its name.
func (w *walk) object(t reflect.Type) string {
	name := t.Name()
	if named, ok := w.names[t]; ok {
		name = named
	}
	if w.seen[t] {
		return name
	}
	w.seen[t] = true
	at := len(w.objects)
	w.objects = append(w.objects, Object{Name: name})
	var fields []Field
	for _, f := range reflect.VisibleFields(t) {
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if tag == "-" || !f.IsExported() || f.Anonymous && tag == "" {
			continue // the fields of what is embedded are visible themselves
		}
		field := Field{Name: tag, Type: w.text(f.Type)}
		if tag == "" {
			field.Name = f.Name
		}
		if slices.Contains(strings.Split(options, ","), "omitempty") {
			if f.Type.Kind() == reflect.Pointer {
				field.Type = w.text(f.Type.Elem()) // null is left out
			}
			field.Type += ", optional"
		}
		fields = append(fields, field)
	}
	w.objects[at].Fields = fields
	return name
}

// Undescribed compares a document with the objects that it describes, both ways: fields that are not described, or with another
// type, and objects and fields that do not exist.
func Undescribed(document string, objects []Object) []string {
	var flaws []string
	flaw := func(format string, args ...any) { flaws = append(flaws, fmt.Sprintf(format, args...)) }
	const mark = "### "
	names := make(map[string]bool)
	for _, o := range objects {
		if names[o.Name] {
			flaw("two objects have the name %s", o.Name)
		}
		names[o.Name] = true
		tables := Tables(Section(document, mark+o.Name))
		if len(tables) == 0 {
			flaw("%s is not described", o.Name)
			continue
		}
		described := make(map[string]string)
		for _, row := range tables[0].Rows {
			if len(row) != 3 || len(Names(row[0])) != 1 || row[2] == "" {
				flaw("%s: row %q is not FIELD, TYPE, MEANING", o.Name, strings.Join(row, " | "))
				continue
			}
			described[Names(row[0])[0]] = Unlinked(row[1])
		}
		for _, f := range o.Fields {
			switch text, ok := described[f.Name]; {
			case !ok:
				flaw("%s.%s is not described", o.Name, f.Name)
			case text != f.Type:
				flaw("%s.%s is described as %q, and is %q", o.Name, f.Name, text, f.Type)
			}
			delete(described, f.Name)
		}
		for name := range described {
			flaw("%s.%s does not exist", o.Name, name)
		}
	}
	for line := range strings.Lines(document) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), mark); ok && !names[name] {
			flaw("%s does not exist", name)
		}
	}
	slices.Sort(flaws)
	return flaws
}

// Unlinked is a text without its links.
func Unlinked(text string) string {
	for {
		before, rest, ok := strings.Cut(text, "[")
		if !ok {
			return text
		}
		name, rest, _ := strings.Cut(rest, "](")
		_, after, _ := strings.Cut(rest, ")")
		text = before + name + after
	}
}
