package scripted

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// find returns the keys of the documents that match, in order. Conditions on _id select keys without reading all documents.
func (c *collection) find(matcher bson.Raw) ([]string, error) {
	elements, err := matcher.Elements()
	if err != nil {
		return nil, fmt.Errorf("matcher: %w", err)
	}
	candidates := c.keys
	for _, e := range elements {
		if e.Key() == "_id" {
			if candidates, err = c.byKey(e.Value()); err != nil {
				return nil, err
			}
		}
	}
	var found []string
	for _, id := range candidates {
		is, err := matches(c.docs[id], elements)
		if err != nil {
			return nil, err
		}
		if is {
			found = append(found, id)
		}
	}
	return found, nil
}

// byKey returns the keys that a condition on _id selects.
func (c *collection) byKey(condition bson.RawValue) ([]string, error) {
	key := func(v bson.RawValue) string { return string(append([]byte{byte(v.Type)}, sortable(v)...)) }
	d, is := condition.DocumentOK()
	if !is {
		return c.present(key(condition)), nil
	}
	operators, err := d.Elements()
	if err != nil {
		return nil, err //nolint:wrapcheck // of the matcher
	}
	keys := c.keys
	for _, o := range operators {
		switch o.Key() {
		case "$gte":
			at, _ := slices.BinarySearch(keys, key(o.Value()))
			keys = keys[at:]
		case "$in":
			values, err := o.Value().Array().Values()
			if err != nil {
				return nil, err //nolint:wrapcheck // of the matcher
			}
			var in []string
			for _, v := range values {
				in = append(in, c.present(key(v))...)
			}
			slices.Sort(in)
			keys = slices.Compact(in)
		default:
			return nil, fmt.Errorf("operator %s is not scripted", o.Key())
		}
	}
	return keys, nil
}

func (c *collection) present(id string) []string {
	if _, has := c.docs[id]; has {
		return []string{id}
	}
	return nil
}

// matches checks the conditions on other fields than _id.
func matches(d bson.Raw, elements []bson.RawElement) (bool, error) {
	for _, e := range elements {
		if e.Key() == "_id" {
			continue
		}
		field, err := d.LookupErr(e.Key())
		exists := err == nil
		condition, is := e.Value().DocumentOK()
		if !is {
			if !exists || !field.Equal(e.Value()) {
				return false, nil
			}
			continue
		}
		want, err := condition.LookupErr("$exists")
		if err != nil {
			return false, fmt.Errorf("condition %s is not scripted", condition)
		}
		if exists != (want.AsInt64() != 0) {
			return false, nil
		}
	}
	return true, nil
}

// project returns the fields that a selector names, with its values for those that are missing. An empty one selects all.
func project(d, selector bson.Raw) (bson.Raw, error) {
	elements, err := selector.Elements()
	if err != nil || len(elements) == 0 {
		return d, err //nolint:wrapcheck // of the selector
	}
	var out bson.D
	for _, e := range elements {
		v, err := d.LookupErr(e.Key())
		if err != nil {
			v = e.Value()
		}
		out = append(out, bson.E{Key: e.Key(), Value: v})
	}
	return bson.Marshal(out) //nolint:wrapcheck // of the selector
}

// modify applies a modifier to a document.
func modify(d, modifier bson.Raw) (bson.Raw, error) {
	var out bson.D
	if err := bson.Unmarshal(d, &out); err != nil {
		return nil, err //nolint:wrapcheck // of the document
	}
	operators, err := modifier.Elements()
	if err != nil {
		return nil, err //nolint:wrapcheck // of the modifier
	}
	for _, o := range operators {
		fields, err := o.Value().Document().Elements()
		if err != nil {
			return nil, err //nolint:wrapcheck // of the modifier
		}
		for _, f := range fields {
			if f.Key() == "_id" || strings.HasPrefix(f.Key(), "$") {
				return nil, fmt.Errorf("field %s cannot be modified", f.Key())
			}
			at := slices.IndexFunc(out, func(e bson.E) bool { return e.Key == f.Key() })
			if at < 0 {
				at = len(out)
				out = append(out, bson.E{Key: f.Key()})
			}
			if out[at].Value, err = modified(o.Key(), out[at].Value, f.Value()); err != nil {
				return nil, err
			}
		}
	}
	return bson.Marshal(out) //nolint:wrapcheck // of the document
}

func modified(operator string, before any, by bson.RawValue) (any, error) {
	switch operator {
	case "$set":
		return bson.RawValue{Type: by.Type, Value: bytes.Clone(by.Value)}, nil
	case "$inc":
		switch n := before.(type) {
		case nil:
			return by.AsInt64(), nil
		case int64:
			return n + by.AsInt64(), nil
		case int32:
			return int64(n) + by.AsInt64(), nil
		}
		return nil, fmt.Errorf("%T is not a number", before)
	}
	return nil, fmt.Errorf("modifier %s is not scripted", operator)
}
