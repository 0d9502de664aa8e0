package suite

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// node is a value of a suite file: a scalar, a list or a map.
type node struct {
	kind   kind
	text   string // of a scalar, as it is written
	quoted bool   // it is text, even if it looks like a number
	flow   bool   // a map or list in braces or brackets
	start  Place  // of the first character of the text, if the file has the text as it is
	items  []*node
	fields []field
	at     Place
	filled bool // its variables have been expanded
}

type field struct {
	name  string
	at    Place
	value *node
}

type kind int

const (
	null kind = iota
	scalar
	list
	mapping
)

func (k kind) String() string {
	return [...]string{"nothing", "a single value", "a list", "a map"}[k]
}

// get returns the value of a name in a map, or nil if it is missing or null.
func (n *node) get(name string) *node {
	if n == nil {
		return nil
	}
	for _, f := range n.fields {
		if f.name == name && f.value.kind != null {
			return f.value
		}
	}
	return nil
}

// names returns the names in a map, in the order of the file.
func (n *node) names() []string {
	if n == nil {
		return nil
	}
	names := make([]string, len(n.fields))
	for i, f := range n.fields {
		names[i] = f.name
	}
	return names
}

// convert converts a parsed YAML node, with aliases expanded.
func (r *reader) convert(y *yaml.Node, file Place, depth int) *node {
	at := Place{file: file.file, index: file.index, line: max(y.Line, 1), column: max(y.Column, 1)}
	n := &node{at: at}
	if r.nodes++; r.nodes > maxNodes {
		if r.nodes == maxNodes+1 {
			r.mistake(at, "", "the suite has more than %d values, with aliases expanded; make it smaller", maxNodes)
		}
		return n
	}
	if depth > maxDepth {
		r.mistake(at, "", "is nested more than %d levels deep; remove levels", maxDepth)
		return n
	}
	switch y.Kind {
	case yaml.AliasNode:
		return r.convert(y.Alias, file, depth+1)
	case yaml.SequenceNode:
		n.kind = list
		for _, item := range y.Content {
			n.items = append(n.items, r.convert(item, file, depth+1))
		}
	case yaml.MappingNode:
		n.kind, n.flow = mapping, y.Style&yaml.FlowStyle != 0
		r.fields(n, y, file, depth)
	case yaml.ScalarNode:
		n.kind, n.text = scalar, y.Value
		n.quoted = y.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
		if y.Tag == "!!null" {
			n.kind = null
		}
		n.text = strings.TrimRight(n.text, "\n") // of a block
		n.start = startOf(n.at, y)
		r.printable(n.at, n.text)
	case yaml.DocumentNode:
		if len(y.Content) > 0 {
			return r.convert(y.Content[0], file, depth)
		}
	}
	return n
}

// startOf returns the place of the first character of a scalar's text. It is the zero Place if the text may differ from that in
// the file: by escapes, or because it goes over several lines.
func startOf(at Place, y *yaml.Node) Place {
	switch y.Style {
	case 0:
	case yaml.SingleQuotedStyle, yaml.DoubleQuotedStyle:
		at.column++
	default:
		return Place{}
	}
	if y.Anchor != "" || strings.ContainsAny(y.Value, " \t\n'\"\\") {
		return Place{}
	}
	return at
}

// printable reports a character that would garble a terminal or a file name. It does not repeat the text, which may be a secret.
func (r *reader) printable(at Place, text string) {
	i := strings.IndexFunc(text, func(c rune) bool {
		return c == unicode.ReplacementChar || unicode.IsControl(c) && c != '\n' && c != '\t'
	})
	if i >= 0 {
		c, _ := utf8.DecodeRuneInString(text[i:])
		r.mistake(at, "", "contains the unprintable character %U; remove it", c)
	}
}

// fields reads the entries of a map. Its own entries win over those that it merges with <<.
func (r *reader) fields(n *node, y *yaml.Node, file Place, depth int) {
	if len(y.Content)/2 > maxFields {
		r.mistake(n.at, "", "has %d names in one map; the maximum is %d", len(y.Content)/2, maxFields)
		return
	}
	seen := make(map[string]Place, len(y.Content)/2)
	var below []*node
	for i := 0; i+1 < len(y.Content); i += 2 {
		key, value := y.Content[i], y.Content[i+1]
		at := Place{file: file.file, index: file.index, line: max(key.Line, 1), column: max(key.Column, 1)}
		v := r.convert(value, file, depth+1)
		switch before, again := seen[key.Value]; {
		case key.Kind != yaml.ScalarNode:
			r.mistake(at, "", "want a plain word as a name")
			continue
		case key.Tag == "!!merge":
			below = append(below, r.merged(at, v)...)
			continue
		case again:
			r.mistake(at, key.Value, "duplicate name, first at %s; remove one of them", before)
			continue
		}
		r.printable(at, key.Value)
		seen[key.Value] = at
		n.fields = append(n.fields, field{key.Value, at, v})
	}
	slices.Reverse(below) // of several the first wins
	for _, one := range below {
		own := *n
		*n = *merge(one, &own)
	}
}

func (r *reader) merged(at Place, v *node) []*node {
	switch v.kind {
	case mapping:
		return []*node{v}
	case list:
		if !slices.ContainsFunc(v.items, func(n *node) bool { return n.kind != mapping }) {
			return v.items
		}
	case scalar, null:
	}
	r.mistake(at, "<<", "want an alias of a map, such as *common")
	return nil
}
