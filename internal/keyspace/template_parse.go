package keyspace

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/benchd/benchd/internal/suggest"
)

// TemplateError is a mistake in a template.
type TemplateError struct {
	Column int    // of the first character of the mistake, from 1
	Text   string // the mistake, and its cure
}

// Error returns the mistake with its column.
func (e *TemplateError) Error() string {
	return fmt.Sprintf("column %d of the template: %s", e.Column, e.Text)
}

// The bounds of templates.
const (
	maxTemplate   = 1000 // bytes
	maxKey        = 1024 // bytes, which every database takes; MongoDB before 4.2 takes no more
	maxParts      = 64
	maxCategories = 1_000_000
	maxCount      = 1 << 60
	maxWideRandom = 10 // digits: 62^10 is below 2^64
	plainSkew     = 0.99
	maxSkew       = 10
)

// ParseTemplate reads a template. The error joins a *TemplateError for each mistake, in their order. A template without a
// mistake in a part is refused if two key numbers could have the same key.
func ParseTemplate(text string) (*Template, error) {
	p := templateParser{text: text}
	if p.parse(); len(p.wrong) == 0 {
		p.prove()
	}
	t := Template{parts: p.parts}
	if longest := t.Longest(); len(p.wrong) == 0 && longest > maxKey {
		p.fail(0, "the keys have up to %d bytes; the maximum is %d, which every database takes: remove parts", longest, maxKey)
	}
	if len(p.wrong) > 0 {
		slices.SortStableFunc(p.wrong, func(a, b *TemplateError) int { return cmp.Compare(a.Column, b.Column) })
		list := make([]error, len(p.wrong))
		for i, e := range p.wrong {
			list[i] = e
		}
		return nil, errors.Join(list...)
	}
	t.limit = p.limit()
	return &t, nil
}

type templateParser struct {
	text  string
	parts []part
	wrong []*TemplateError
}

// fail reports a mistake at a byte of the text.
func (p *templateParser) fail(at int, format string, args ...any) {
	column := utf8.RuneCountInString(p.text[:min(at, len(p.text))]) + 1
	p.wrong = append(p.wrong, &TemplateError{Column: column, Text: fmt.Sprintf(format, args...)})
}

// parse reads literals and parts. A brace within a literal is written twice.
func (p *templateParser) parse() {
	switch {
	case p.text == "":
		p.fail(0, "the template is empty; write at least {seq}, the key number")
		return
	case len(p.text) > maxTemplate:
		p.fail(maxTemplate, "the template is %d bytes long; the maximum is %d", len(p.text), maxTemplate)
		return
	}
	var plain strings.Builder
	begin := 0
	flush := func(next int) {
		if plain.Len() > 0 {
			p.parts = append(p.parts, part{write: literal, text: plain.String(), width: plain.Len(), column: p.column(begin)})
			plain.Reset()
		}
		begin = next
	}
	for at := 0; at < len(p.text); {
		c := p.text[at]
		switch {
		case (c == '{' || c == '}') && strings.HasPrefix(p.text[at+1:], string(c)):
			plain.WriteByte(c)
			at += 2
		case c == '}':
			p.fail(at, "} without {; write }} for a brace in the key")
			at++
		case c == '{':
			end := strings.IndexByte(p.text[at:], '}')
			if inner := strings.IndexByte(p.text[at+1:], '{'); end < 0 || inner >= 0 && inner+1 < end {
				p.fail(at, "{ without }; end the part with }, or write {{ for a brace in the key")
				at++
				continue
			}
			flush(at + end + 1)
			p.part(at+1, p.text[at+1:at+end])
			at += end + 1
			begin = at
		case c < ' ' || c == 0x7f:
			p.fail(at, "a control character; keys are text")
			at++
		default:
			char, size := utf8.DecodeRuneInString(p.text[at:])
			if char == utf8.RuneError && size == 1 {
				p.fail(at, "a byte that is not UTF-8; keys are text")
			}
			plain.WriteString(p.text[at : at+size])
			at += size
		}
	}
	flush(len(p.text))
	if len(p.parts) > maxParts {
		p.fail(0, "the template has %d parts; the maximum is %d", len(p.parts), maxParts)
	}
}

func (p *templateParser) column(at int) int { return utf8.RuneCountInString(p.text[:at]) + 1 }

// call is a word with its arguments, such as zipf(1000, 1.2).
type call struct {
	at   int // in the template
	word string
	args []argument
	bare bool // it has no parentheses
}

type argument struct {
	at   int
	text string
}

// calls splits a list of calls at commas, which do not count within parentheses.
func (p *templateParser) calls(at int, text string) (list []call, ok bool) {
	before := len(p.wrong)
	for _, one := range cutOutside(at, text) {
		word, rest, has := strings.Cut(one.text, "(")
		c := call{at: one.at, word: strings.TrimSpace(word), bare: !has}
		if has {
			inside, closed := strings.CutSuffix(rest, ")")
			if !closed || strings.Contains(inside, "(") {
				p.fail(one.at, "invalid option %q: want one pair of parentheses at its end, such as zipf(1000)", one.text)
				continue
			}
			c.args = cutOutside(one.at+len(word)+1, inside)
		}
		if c.word == "" {
			p.fail(one.at, "an option is missing; remove the comma or colon, or write the option")
			continue
		}
		list = append(list, c)
	}
	return list, len(p.wrong) == before
}

// cutOutside splits a text at commas outside of parentheses, and trims spaces.
func cutOutside(at int, text string) (list []argument) {
	depth, begin := 0, 0
	add := func(end int) {
		one := strings.TrimLeft(text[begin:end], " ")
		list = append(list, argument{at + end - len(one), strings.TrimRight(one, " ")})
		begin = end + 1
	}
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				add(i)
			}
		}
	}
	add(len(text))
	return list
}

// part reads what is between braces: a name, and options after a colon.
func (p *templateParser) part(at int, text string) {
	head, options, has := strings.Cut(text, ":")
	heads, ok := p.calls(at, head)
	if !ok {
		return
	}
	name := heads[0]
	if len(heads) > 1 || !isName(name.word) {
		p.fail(at, "invalid part {%s}: want a name of letters, digits and _, and options after a colon, such as {tenant:zipf(1000)}", text)
		return
	}
	for _, q := range p.parts {
		if q.name == name.word {
			p.fail(at, "a second part with the name %s; give it another name", name.word)
			return
		}
	}
	var list []call
	if has {
		if list, ok = p.calls(at+len(head)+1, options); !ok {
			return
		}
	}
	one := part{name: name.word, column: p.column(at)}
	one.stream = NewRand(nameHash(name.word))
	switch {
	case name.word == "salt":
		p.salt(&one, name, list)
	case !name.bare && suggest.Close(name.word, []string{"salt"}) != "":
		p.fail(at, "%s takes no argument; did you mean salt?", name.word)
	case !name.bare:
		p.fail(at, "%s takes no argument: write its options after a colon, such as {tenant:zipf(1000)}; only salt(n) has one", name.word)
	case name.word == "seq":
		p.seq(&one, list)
	case name.word == "ts":
		p.ts(&one, list)
	default:
		p.own(&one, at, list)
	}
	p.parts = append(p.parts, one)
}

func isName(word string) bool {
	for i, c := range word {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return word != ""
}

// nameHash makes the parts of a template independent of each other: FNV-1a of the name.
func nameHash(name string) uint64 {
	h := uint64(fnvBasis)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * fnvPrime
	}
	return h
}

func (p *templateParser) salt(one *part, name call, list []call) {
	one.write = uniform
	if len(list) > 0 {
		p.fail(list[0].at, "salt has no options; write {salt(16)} for 16 buckets")
	}
	if name.bare {
		p.fail(name.at, "salt needs the number of its buckets; write {salt(16)}")
		return
	}
	p.category(one, name, maxCategories)
}

func seqOptions() []string { return []string{"pad", "hex", "base62", "hash", "reverse"} }

// seq reads the options of the key number.
func (p *templateParser) seq(one *part, list []call) {
	one.write, one.width, one.open = decimal, 1, true
	given := p.flags(list, "seq", seqOptions())
	hash := given["hash"] != nil
	for _, pair := range [][2]string{{"pad", "hex"}, {"pad", "base62"}, {"pad", "hash"}, {"hex", "base62"}, {"hash", "reverse"}} {
		if a, b := given[pair[0]], given[pair[1]]; a != nil && b != nil {
			p.fail(max(a.at, b.at), "%s and %s exclude each other; remove one of them", pair[0], pair[1])
		}
	}
	for word, c := range given {
		if word != "pad" {
			p.noArguments(*c)
		}
	}
	one.reverse = given["reverse"] != nil
	switch {
	case given["base62"] != nil && hash:
		one.write, one.width, one.open = wideHash, wideDigits, false
	case given["base62"] != nil:
		one.write, one.width, one.open = wideNumber, wideDigits, false
	case hash:
		one.write, one.width, one.open = hexHash, hexDigits, false
	case given["hex"] != nil:
		one.write, one.width, one.open = hexNumber, hexDigits, false
	case given["pad"] != nil:
		one.width = int(p.number(*given["pad"], longDigits))
		one.open = one.width < longDigits
	}
}

// own reads the one option of a part with a name of the user's.
func (p *templateParser) own(one *part, at int, list []call) {
	const want = "zipf(n), uniform(n), cycle(n), hex(digits) or base62(digits)"
	known := []string{"zipf", "uniform", "cycle", "hex", "base62"}
	if len(list) != 1 || !slices.Contains(known, list[0].word) {
		if meant := meantPart(one.name, list); meant != "" {
			p.fail(at, "unknown part %s; did you mean %s?", one.name, meant)
			return
		}
	}
	if len(list) != 1 {
		p.fail(at, "part %s needs one option: %s; the parts seq, ts and salt(n) have their own", one.name, want)
		return
	}
	switch c := list[0]; c.word {
	case "zipf":
		one.write, one.skew = zipfian, plainSkew
		if len(c.args) > 1 {
			one.skew = p.skew(c)
			c.args = append(c.args[:1:1], c.args[2:]...)
		}
		p.category(one, c, maxCategories)
	case "uniform":
		one.write = uniform
		p.category(one, c, maxCount)
	case "cycle":
		one.write = cycle
		p.category(one, c, maxCount)
	case "hex":
		one.write, one.width = hexRandom, int(p.number(c, hexDigits))
	case "base62":
		one.write, one.width, one.count = wideRandom, int(p.number(c, maxWideRandom)), 1
		for range one.width {
			one.count *= base
		}
	default:
		p.unknown(c, "part "+one.name, known, want)
	}
}

// meantPart returns the part that has these options and a name like this one, or "".
func meantPart(name string, list []call) string {
	parts := map[string][]string{"seq": seqOptions(), "ts": tsOptions(), "salt": nil}
	var fit []string
	for part, options := range parts {
		if !slices.ContainsFunc(list, func(c call) bool { return !slices.Contains(options, c.word) }) {
			fit = append(fit, part)
		}
	}
	slices.Sort(fit)
	return suggest.Close(name, fit)
}

// unknown reports an unknown option of a part, with the option that it may have been meant to be.
func (p *templateParser) unknown(c call, of string, known []string, want string) {
	if near := suggest.Nearest(c.word, known); near != "" {
		p.fail(c.at, "unknown option %q of %s; did you mean %s?", c.word, of, near)
		return
	}
	p.fail(c.at, "unknown option %q of %s: want %s", c.word, of, want)
}

// category reads the number of categories, and sets the width of their numbers.
func (p *templateParser) category(one *part, c call, most int64) {
	n := p.number(c, most)
	if len(c.args) > 1 {
		p.fail(c.args[1].at, "%s takes one number; remove %q", c.word, c.args[1].text)
	}
	one.count, one.width = uint64(n), len(strconv.FormatInt(max(n-1, 0), 10))
}

func (p *templateParser) skew(c call) float64 {
	f, err := strconv.ParseFloat(c.args[1].text, 64)
	if err != nil || !(f >= 0 && f <= maxSkew) {
		p.fail(c.args[1].at, "invalid skew %q of zipf: want a number from 0 to %d, such as 0.99", c.args[1].text, maxSkew)
		return plainSkew
	}
	return f
}

// number reads the first argument of a call.
func (p *templateParser) number(c call, most int64) int64 {
	if len(c.args) == 0 || c.args[0].text == "" {
		p.fail(c.at, "%s needs a number from 1 to %d, such as %[1]s(10)", c.word, most)
		return 1
	}
	n, err := strconv.ParseInt(c.args[0].text, 10, 64)
	if err != nil || n < 1 || n > most {
		p.fail(c.args[0].at, "invalid number %q of %s: want an integer from 1 to %d", c.args[0].text, c.word, most)
		return 1
	}
	return n
}

func (p *templateParser) noArguments(c call) {
	if !c.bare {
		p.fail(c.at, "%s takes no argument; write %[1]s", c.word)
	}
}

// flags checks that each option is known and appears once.
func (p *templateParser) flags(list []call, name string, known []string) map[string]*call {
	given := make(map[string]*call, len(list))
	for i, c := range list {
		switch {
		case !slices.Contains(known, c.word):
			p.unknown(c, name, known, strings.Join(known, ", "))
		case given[c.word] != nil:
			p.fail(c.at, "%s appears twice; remove one of them", c.word)
		default:
			given[c.word] = &list[i]
		}
	}
	return given
}
