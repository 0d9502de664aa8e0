package phrase

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

//go:embed zh/*.txt
var files embed.FS

// namesFile has the words that stay English, such as names of systems and units.
const namesFile = "names.txt"

// hole is what a hole of an English line accepts.
type hole byte

const (
	verbatim hole = ' ' // {}: any text
	word     hole = 'w' // {w}: a text without blanks
	number   hole = 'n' // {n}: a number with its unit
	inner    hole = 't' // {t}: a text that is translated
	list     hole = 'l' // {l}: names with commas and an "and" between them
	piece    hole = 'p' // {p}: such a text without a colon, comma or semicolon in it
)

// pattern is an English line, with its alternatives chosen. The literals surround the holes: there is one more.
type pattern struct {
	place    string // file and line
	literals []string
	holes    []hole
	parts    []part
	literal  int // length of the literals
	longest  string
}

// part is a part of a translation: a text, or a hole by its number from 0.
type part struct {
	text string
	hole int
}

// catalogue is the translations of a language.
type catalogue struct {
	entries []entry
	exact   map[string]string    // lines without holes
	first   map[string][]pattern // by the first word
	loose   []pattern            // those that begin with a hole
	names   map[string]bool
}

// entry is an entry of a catalogue's file.
type entry struct{ place, english, translation string }

func load(lang string) (*catalogue, error) {
	c := &catalogue{exact: make(map[string]string), first: make(map[string][]pattern), names: make(map[string]bool)}
	all, err := fs.Glob(files, lang+"/*.txt")
	if err != nil {
		return nil, err
	}
	for _, name := range all {
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if strings.HasSuffix(name, "/"+namesFile) {
			for line := range strings.Lines(string(text)) {
				if !strings.HasPrefix(line, "#") {
					for word := range strings.FieldsSeq(line) {
						c.names[word] = true
					}
				}
			}
			continue
		}
		entries, err := parse(name, string(text))
		if err != nil {
			return nil, err
		}
		c.entries = append(c.entries, entries...)
	}
	var mistakes []error
	for _, e := range c.entries {
		if err := c.add(e); err != nil {
			mistakes = append(mistakes, fmt.Errorf("%s: %q: %w", e.place, e.english, err))
		}
	}
	if len(mistakes) > 0 {
		return nil, errors.Join(mistakes...)
	}
	byLiteral := func(a, b pattern) int { return cmp.Compare(b.literal, a.literal) }
	for _, patterns := range c.first {
		slices.SortStableFunc(patterns, byLiteral)
	}
	slices.SortStableFunc(c.loose, byLiteral)
	return c, nil
}

// parse reads a file: English lines, each with an indented translation below, and comments.
func parse(name, text string) ([]entry, error) {
	var out []entry
	n, open := 0, false
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSuffix(line, "\n")
		place := fmt.Sprintf("%s:%d", name, n)
		body := strings.TrimLeft(line, " ")
		switch {
		case body == "" || strings.HasPrefix(line, "#"):
		case body != line && !open:
			return nil, fmt.Errorf("%s: translation without an English line", place)
		case body != line:
			out[len(out)-1].translation, open = body, false
		case open:
			return nil, fmt.Errorf("%s: English line without a translation above", place)
		default:
			if len(line) > 2 && line[0] == '"' && line[len(line)-1] == '"' {
				line = line[1 : len(line)-1] // with blanks at its ends
			}
			out, open = append(out, entry{place: place, english: line}), true
		}
	}
	if open {
		return nil, fmt.Errorf("%s: the last English line has no translation", name)
	}
	return out, nil
}

// add adds an entry with all its alternatives.
func (c *catalogue) add(e entry) error {
	lines, err := alternatives(e.english)
	if err != nil {
		return err
	}
	for _, line := range lines {
		p, err := compile(line, e.translation)
		if err != nil {
			return err
		}
		p.place = e.place
		if len(p.holes) == 0 {
			if _, twice := c.exact[line]; twice {
				return errors.New("it is in the catalogue twice")
			}
			c.exact[line] = p.fill(nil)
			continue
		}
		if head, _, whole := strings.Cut(p.literals[0], " "); whole && head != "" {
			c.first[head] = append(c.first[head], p)
			continue
		}
		c.loose = append(c.loose, p)
	}
	return nil
}

// alternatives are the lines that a line with [a|b] stands for.
func alternatives(line string) ([]string, error) {
	open := strings.IndexByte(line, '[')
	if open < 0 {
		if strings.IndexByte(line, ']') >= 0 {
			return nil, errors.New("] without [")
		}
		return []string{line}, nil
	}
	length := strings.IndexByte(line[open:], ']')
	if length < 0 {
		return nil, errors.New("[ without ]")
	}
	choices := strings.Split(line[open+1:open+length], "|")
	if len(choices) == 1 {
		choices = append(choices, "")
	}
	rest, err := alternatives(line[open+length+1:])
	if err != nil {
		return nil, err
	}
	var out []string
	for _, choice := range choices {
		for _, r := range rest {
			out = append(out, line[:open]+choice+r)
		}
	}
	return out, nil
}

// compile reads an English line without alternatives, and its translation.
func compile(line, translation string) (pattern, error) {
	p := pattern{}
	rest := line
	for {
		open := strings.IndexByte(rest, '{')
		if open < 0 {
			break
		}
		length := strings.IndexByte(rest[open:], '}')
		if length < 0 {
			return p, errors.New("{ without }")
		}
		kind := verbatim
		switch name := rest[open+1 : open+length]; name {
		case "":
		case "w", "n", "t", "p", "l":
			kind = hole(name[0])
		default:
			return p, fmt.Errorf("unknown hole {%s}: want {}, {w}, {n}, {t}, {p} or {l}", name)
		}
		if open == 0 && len(p.holes) > 0 {
			return p, errors.New("two holes without a text between them")
		}
		p.literals, p.holes = append(p.literals, rest[:open]), append(p.holes, kind)
		rest = rest[open+length+1:]
	}
	p.literals = append(p.literals, rest)
	for _, l := range p.literals {
		p.literal += len(l)
		if len(l) > len(p.longest) {
			p.longest = l
		}
	}
	if strings.TrimSpace(p.longest) == "" {
		return p, errors.New("an entry needs a literal text")
	}
	var err error
	p.parts, err = references(translation, len(p.holes))
	return p, err
}

// references splits a translation at {1}, {2} …, which must name each of the holes.
func references(translation string, holes int) ([]part, error) {
	var parts []part
	used := make([]bool, holes)
	rest := translation
	for {
		before, after, found := strings.Cut(rest, "{")
		parts = append(parts, part{text: before, hole: -1})
		if !found {
			break
		}
		name, after, _ := strings.Cut(after, "}")
		n, err := strconv.Atoi(name)
		if err != nil || n < 1 || n > holes {
			return nil, fmt.Errorf("the translation has {%s}, and the English line has %d holes", name, holes)
		}
		used[n-1] = true
		parts = append(parts, part{hole: n - 1})
		rest = after
	}
	if i := slices.Index(used, false); i >= 0 {
		return nil, fmt.Errorf("the translation lacks {%d}", i+1)
	}
	return parts, nil
}

// fill writes the translation with the contents of its holes.
func (p *pattern) fill(contents []string) string {
	var b strings.Builder
	for _, x := range p.parts {
		if x.hole < 0 {
			b.WriteString(x.text)
			continue
		}
		b.WriteString(contents[x.hole])
	}
	return b.String()
}
