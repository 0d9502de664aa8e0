package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// entry is one key of a file with its values. It has one value, unless list is set.
type entry struct {
	key    string
	line   int
	list   bool
	values []string
}

// parse reads the entries of a file: a mapping of keys to a scalar, to a list of scalars, or to a mapping of
// scalars, which is a list of "k=v".
func parse(content []byte) ([]entry, error) {
	dec := yaml.NewDecoder(bytes.NewReader(content))
	var doc yaml.Node
	err := dec.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read YAML: %w", err)
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, errors.New("the file has more than one YAML document; remove all but one")
	}
	root := resolve(&doc)
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return nil, nil
	}
	if root.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("line %d: expected lines of the form key: value", root.Line)
	}
	var entries []entry
	lines := map[string]int{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		name, value := resolve(root.Content[i]), resolve(root.Content[i+1])
		if name.Kind != yaml.ScalarNode {
			return nil, fmt.Errorf("line %d: expected lines of the form key: value", name.Line)
		}
		if first, twice := lines[name.Value]; twice {
			return nil, fmt.Errorf("line %d: duplicate key %s, first on line %d; remove one of them", name.Line, name.Value, first)
		}
		lines[name.Value] = name.Line
		e := entry{key: name.Value, line: name.Line}
		if err := e.fill(value); err != nil {
			return nil, fmt.Errorf("line %d: %s: %w", value.Line, name.Value, err)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

func (e *entry) fill(value *yaml.Node) error {
	switch value.Kind {
	case yaml.ScalarNode:
		if value.Tag == "!!null" {
			return errors.New("the key has no value; add one, or remove the line")
		}
		e.values = []string{value.Value}
	case yaml.SequenceNode:
		e.list = true
		for _, item := range value.Content {
			item = resolve(item)
			if item.Kind != yaml.ScalarNode {
				return errors.New("expected a list of single values")
			}
			e.values = append(e.values, item.Value)
		}
	case yaml.MappingNode:
		e.list = true
		for i := 0; i+1 < len(value.Content); i += 2 {
			k, v := resolve(value.Content[i]), resolve(value.Content[i+1])
			if k.Kind != yaml.ScalarNode || v.Kind != yaml.ScalarNode {
				return errors.New("expected lines of the form name: value below it")
			}
			e.values = append(e.values, k.Value+"="+v.Value)
		}
	default:
		return errors.New("expected a value")
	}
	return nil
}

// resolve follows aliases and steps into a document. An alias stands for an anchored node, never for another
// alias, so one step is enough.
func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.DocumentNode && len(n.Content) == 1 {
		n = n.Content[0]
	}
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}
