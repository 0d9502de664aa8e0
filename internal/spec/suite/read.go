package suite

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/parser"
	yamlv3 "go.yaml.in/yaml/v3"

	"github.com/benchd/benchd/internal/suggest"
)

// reader reads a suite and collects its mistakes.
type reader struct {
	in       Input
	mistakes []Mistake
	files    int // read so far
	bytes    int
	nodes    int
	missing  []string          // included files that are not attached
	included []string          // included files that are attached
	values   map[string]string // of variables
	given    []Setting
}

func newReader(in Input) *reader {
	if in.Property == nil {
		in.Property = func(name string) string { return name }
	}
	if in.Shown == nil {
		in.Shown = func(_, value string) string { return value }
	}
	return &reader{in: in}
}

func (r *reader) mistake(at Place, key, format string, args ...any) {
	if len(r.mistakes) < maxMistakes {
		r.mistakes = append(r.mistakes, Mistake{at, key, fmt.Sprintf(format, args...)})
	}
}

// load reads the file and its includes, or returns nil.
func (r *reader) load() *node {
	return r.file(r.in.Name, r.in.Content, nil)
}

// file reads one file and applies it over those that it includes. Above are the files that include it.
func (r *reader) file(name string, content []byte, above []string) *node {
	at := Place{file: name, index: r.files, line: 1, column: 1}
	r.files++
	r.bytes += len(content)
	switch {
	case len(content) > MaxFile:
		r.mistake(at, "", "is %d bytes long; the maximum is %d", len(content), MaxFile)
		return nil
	case r.bytes > MaxTotal:
		r.mistake(at, "", "exceeds, together with the files before it, the maximum of %d bytes", MaxTotal)
		return nil
	}
	root := r.parse(at, content)
	if root == nil {
		return nil
	}
	if root.kind != mapping {
		r.mistake(root.at, "", "want a map of names to values, got %s; begin the file with suite: NAME", root.kind)
		return nil
	}
	var base *node
	for _, f := range root.fields {
		if f.name != "include" {
			continue
		}
		for _, one := range r.words(f.name, f.value) {
			if included := r.include(one, name, above); included != nil {
				base = merge(base, included)
			}
		}
	}
	root.fields = slices.DeleteFunc(root.fields, func(f field) bool { return f.name == "include" })
	return merge(base, root)
}

// include reads an included file.
func (r *reader) include(one word, from string, above []string) *node {
	name := Beside(from, one.text)
	if name == path.Clean(strings.ReplaceAll(from, `\`, "/")) || slices.Contains(above, name) {
		r.mistake(one.at, "include", "%s includes itself: %s", name, strings.Join(append(slices.Clone(above), path.Clean(from), name), " → "))
		return nil
	}
	if r.files > MaxFiles {
		r.mistake(one.at, "include", "has more than %d included files; merge some", MaxFiles)
		return nil
	}
	content, ok := r.in.Attachments[name]
	if !ok {
		if !slices.Contains(r.missing, name) {
			r.missing = append(r.missing, name)
		}
		r.mistake(one.at, "include", "file %s is missing or not readable on the machine that you submit from; the name is relative to the file that includes it", strconv.Quote(name))
		return nil
	}
	if !slices.Contains(r.included, name) {
		r.included = append(r.included, name)
	}
	return r.file(name, content, append(slices.Clone(above), path.Clean(from)))
}

// Beside resolves a file name relative to the file that contains it.
func Beside(from, name string) string {
	from, name = strings.ReplaceAll(from, `\`, "/"), strings.ReplaceAll(name, `\`, "/")
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(path.Dir(from), name)
}

// parse reads YAML.
func (r *reader) parse(file Place, content []byte) *node {
	d := yamlv3.NewDecoder(bytes.NewReader(content))
	var root, more yamlv3.Node
	err := d.Decode(&root)
	if errors.Is(err, io.EOF) {
		r.mistake(file, "", "is empty; a suite needs at least a name and scenarios")
		return nil
	}
	if err == nil {
		if err = d.Decode(&more); err == nil {
			file.line, file.column = max(more.Line, 1), max(more.Column, 1)
			r.mistake(file, "", "a second YAML document begins here; remove the ---")
			return nil
		}
	}
	if !errors.Is(err, io.EOF) {
		r.syntax(file, content, err)
		return nil
	}
	return r.convert(&root, file, 0)
}

// syntax reports invalid YAML. The parser of suites reports at most the line; for files of a usual size a second parser finds
// the column too.
func (r *reader) syntax(file Place, content []byte, err error) {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if m := regexp.MustCompile(`^line (\d+): `).FindStringSubmatch(text); m != nil {
		file.line, _ = strconv.Atoi(m[1])
		text = text[len(m[0]):]
	}
	if line, column, better, ok := locate(content); ok {
		file.line, file.column, text = line, column, better
	}
	text = regexp.MustCompile(`'[^']*[\pL\pN][^']*'`).ReplaceAllString(text, "'…'") // a value, perhaps a secret that begins with *
	r.mistake(file, "", "invalid YAML: %s; check the indentation, brackets and quotes there and just above", text)
}

// locate finds the position of a syntax error.
func locate(content []byte) (line, column int, text string, ok bool) {
	const most, deepest = 64 << 10, 500 // the parser is recursive
	if len(content) > most || bytes.Count(content, []byte("["))+bytes.Count(content, []byte("{"))+bytes.Count(content, []byte("- -")) > deepest {
		return 0, 0, "", false
	}
	defer func() {
		if recover() != nil {
			ok = false // the mistake is reported with its line only
		}
	}()
	_, err := parser.ParseBytes(content, 0)
	broken, is := errors.AsType[yaml.Error](err)
	if !is || broken.GetToken() == nil || broken.GetToken().Position == nil {
		return 0, 0, "", false
	}
	p := broken.GetToken().Position
	return p.Line, p.Column, broken.GetMessage(), true
}

// word is a scalar with its place.
type word struct {
	text string
	at   Place
}

// words reads a list of scalars, or a single scalar.
func (r *reader) words(key string, n *node) []word {
	switch n.kind {
	case null:
		return nil
	case scalar:
		return []word{{n.text, n.at}}
	case list:
		var out []word
		for _, item := range n.items {
			if item.kind != scalar {
				r.mistake(item.at, key, "want a list of single values, got %s", item.kind)
				continue
			}
			out = append(out, word{item.text, item.at})
		}
		return out
	case mapping:
		r.mistake(n.at, key, "want a list, got %s; write [one, another]", n.kind)
	}
	return nil
}

// unknown reports a name that is not in known.
func (r *reader) unknown(at Place, key, what, name string, known []string) {
	if before, value, ok := strings.Cut(name, "="); ok && value != "" {
		name = before + "=…" // the value may be a secret
	}
	near := ""
	if n := suggest.Nearest(name, known); n != "" {
		near = "; did you mean " + n + "?"
	}
	known = slices.Compact(slices.Clone(known))
	there := "none is defined"
	if len(known) > 0 {
		there = "one of " + strings.Join(known[:min(len(known), 30)], ", ")
	}
	r.mistake(at, key, "unknown %s %s%s (%s)", what, strconv.Quote(shorten(name)), near, there)
}

func shorten(s string) string {
	if runes := []rune(s); len(runes) > 60 {
		return string(runes[:60]) + "…"
	}
	return s
}
