package fault

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// maxFile bounds the size of a fault file.
const maxFile = 1 << 20

// Mistake is one mistake in a fault file.
type Mistake struct {
	File         string
	Line, Column int
	Text         string
}

// Mistakes are all mistakes in a fault file.
type Mistakes []Mistake

// Error has a line for each mistake, with its place.
func (m Mistakes) Error() string {
	lines := make([]string, len(m))
	for i, one := range m {
		lines[i] = fmt.Sprintf("%s:%d:%d: %s", one.File, one.Line, one.Column, one.Text)
	}
	return strings.Join(lines, "\n")
}

// ExitCode is the exit code of an invalid spec.
func (Mistakes) ExitCode() int { return 2 }

// ReadFile reads faults from a file.
func ReadFile(name string) ([]Fault, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("read faults: %w", err)
	}
	if info.Size() > maxFile {
		return nil, fmt.Errorf("read faults: %s has %d bytes; at most %d are allowed", name, info.Size(), maxFile)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read faults: %w", err)
	}
	return ParseFile(name, data)
}

// ParseFile reads faults from the content of a file. The name is used only in messages:
//
//	seed: 7
//	faults:
//	  - kind: latency
//	    delay: exponential 5ms
//	    op: [get, scan]
//	    start: 10s
//	    length: 30s
//	    share: 20%
//
// The error is of type Mistakes. A fault without a seed gets one derived from the file's seed.
func ParseFile(name string, data []byte) ([]Fault, error) {
	r := reader{file: name}
	if len(data) > maxFile {
		r.mistake(nil, "the file has %d bytes; at most %d are allowed", len(data), maxFile)
		return nil, r.mistakes
	}
	parsed, err := parser.ParseBytes(data, 0)
	if err != nil {
		r.syntax(err)
		return nil, r.mistakes
	}
	for _, doc := range parsed.Docs {
		if doc.Body != nil {
			r.document(doc.Body)
		}
	}
	if len(r.mistakes) > 0 {
		return nil, r.mistakes
	}
	for i := range r.faults {
		if !r.seeded[i] && !r.faults[i].Kind.Event() {
			r.faults[i].Seed = r.seed + uint64(i)
		}
	}
	return r.faults, nil
}

type reader struct {
	file     string
	mistakes Mistakes
	seed     uint64
	faults   []Fault
	seeded   []bool
}

func (r *reader) mistake(at *token.Token, format string, args ...any) {
	m := Mistake{File: r.file, Line: 1, Column: 1, Text: fmt.Sprintf(format, args...)}
	if at != nil && at.Position != nil {
		m.Line, m.Column = at.Position.Line, at.Position.Column
	}
	r.mistakes = append(r.mistakes, m)
}

func (r *reader) syntax(err error) {
	if s, ok := errors.AsType[yaml.Error](err); ok {
		r.mistake(s.GetToken(), "%s", s.GetMessage())
		return
	}
	r.mistake(nil, "%v", err)
}

func (r *reader) document(body ast.Node) {
	r.each(body, "a fault file has the keys seed and faults", func(key string, at *token.Token, value ast.Node) {
		switch key {
		case "seed":
			text, ok := r.scalar(value)
			seed, err := strconv.ParseUint(text, 10, 64)
			if ok && err != nil {
				r.mistake(value.GetToken(), "seed: invalid value %q: want a whole number from 0 to 2⁶⁴−1", text)
			}
			r.seed = seed
		case "faults":
			r.list(value)
		default:
			r.mistake(at, "%s", unknown("key", key, []string{"seed", "faults"}))
		}
	})
}

func (r *reader) list(value ast.Node) {
	list, ok := value.(*ast.SequenceNode)
	if !ok {
		r.mistake(value.GetToken(), "faults: must be a list; begin each fault with \"- kind: \"")
		return
	}
	if len(list.Values) > MaxFaults {
		r.mistake(value.GetToken(), "faults: the list has %d; at most %d are allowed", len(list.Values), MaxFaults)
		return
	}
	for _, one := range list.Values {
		r.fault(one)
	}
}

func (r *reader) fault(node ast.Node) {
	places := map[string]*token.Token{}
	var settings []Setting
	before := len(r.mistakes)
	r.each(node, "a fault has settings such as kind: latency", func(key string, at *token.Token, value ast.Node) {
		if !slices.Contains(Keys(), key) {
			r.mistake(at, "%s", unknown("setting", key, Keys()))
			return
		}
		values, ok := r.values(value)
		if !ok {
			return
		}
		places[key] = value.GetToken()
		settings = append(settings, Setting{key, values})
	})
	if len(r.mistakes) > before {
		return
	}
	f, err := Parse(settings)
	if err != nil {
		at := node.GetToken()
		if m, ok := node.(*ast.MappingNode); ok && len(m.Values) > 0 {
			at = m.Values[0].Key.GetToken()
		}
		if p, ok := errors.AsType[*Problem](err); ok && places[p.Key] != nil {
			at = places[p.Key]
		}
		r.mistake(at, "%v", err)
		return
	}
	r.faults = append(r.faults, f)
	r.seeded = append(r.seeded, places["seed"] != nil)
}

// each calls a function for each key of a mapping. Any other node is a mistake.
func (r *reader) each(node ast.Node, expected string, f func(key string, at *token.Token, value ast.Node)) {
	mapping, ok := node.(*ast.MappingNode)
	switch node.(type) {
	case *ast.AnchorNode, *ast.AliasNode:
		r.mistake(node.GetToken(), "anchors and aliases are not supported; write the value out")
		return
	}
	if !ok {
		r.mistake(node.GetToken(), "%s", expected)
		return
	}
	seen := map[string]bool{}
	for _, v := range mapping.Values {
		at := v.Key.GetToken()
		if at == nil || v.Key.IsMergeKey() {
			r.mistake(at, "a key must be a plain word")
			continue
		}
		key := at.Value
		if seen[key] {
			r.mistake(at, "%s: is set twice", key)
			continue
		}
		seen[key] = true
		f(key, at, v.Value)
	}
}

// values reads a scalar, or a list of them.
func (r *reader) values(node ast.Node) ([]string, bool) {
	list, ok := node.(*ast.SequenceNode)
	if !ok {
		text, ok := r.scalar(node)
		return []string{text}, ok
	}
	var texts []string
	for _, one := range list.Values {
		text, ok := r.scalar(one)
		if !ok {
			return nil, false
		}
		texts = append(texts, text)
	}
	return texts, true
}

func (r *reader) scalar(node ast.Node) (string, bool) {
	switch n := node.(type) {
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, true
	case *ast.NullNode:
		r.mistake(n.GetToken(), "a value is missing")
	default:
		r.mistake(node.GetToken(), "a value must be a single word, number or quoted text")
	}
	return "", false
}
