package phrase

import "strings"

const (
	// mostSteps bounds the work on one text, in bytes that are looked at: a text that is made to be hard stays English. Sentences
	// of reports need up to a tenth of it.
	mostSteps = 1_000_000
	// mostDepth bounds texts within texts.
	mostDepth = 16
)

// version is a translation.
type version struct {
	text    string
	left    int  // English words that have no translation
	kept    int  // words in holes for texts that stay as they are, and other signs of a bad match
	matched bool // anything was translated
}

// better reports whether a version is better than another: it has fewer words left or, among equals, fewer of them kept.
func (v version) better(other version) bool {
	switch {
	case !v.matched || !other.matched:
		return v.matched && !other.matched
	case v.left != other.left:
		return v.left < other.left
	}
	return v.kept < other.kept
}

// whole reports whether nothing is left to be translated.
func (v version) whole() bool { return v.matched && v.left == 0 && v.kept == 0 }

// matcher translates one text.
type matcher struct {
	c     *catalogue
	steps int
	known map[string]version
}

// translate returns the translation with the fewest English words.
func (m *matcher) translate(s string, depth int) version {
	if v, ok := m.known[s]; ok {
		return v
	}
	english := version{text: s}
	if m.steps -= 8 * len(s); m.steps <= 0 {
		english.left = len(s)
		return english
	}
	english.left = m.c.words(s)
	if depth > mostDepth || m.steps <= 0 || !hasWord(s) {
		return english
	}
	m.known[s] = english // of a text within itself
	if v := m.item(s, depth); v.matched {
		m.known[s] = v
		return v
	}
	best := version{}
	if _, exact := m.c.exact[s]; !exact {
		best = m.stopped(s, depth+1) // a full stop belongs to no hole
	}
	if !best.whole() {
		if v := m.matches(s, depth); v.better(best) {
			best = v
		}
	}
	if !best.whole() {
		if v := m.split(s, depth); v.better(best) {
			best = v
		}
	}
	if !best.matched || best.left > english.left {
		best = english
	}
	m.known[s] = best
	return best
}

// matches is the best translation by a line of the catalogue.
func (m *matcher) matches(s string, depth int) version {
	if text, ok := m.c.exact[s]; ok {
		return version{text: text, matched: true}
	}
	var best version
	head, _, _ := strings.Cut(s, " ")
	for _, patterns := range [][]pattern{m.c.first[head], m.c.loose} {
		for i := range patterns {
			if v := m.match(&patterns[i], s, depth); v.better(best) {
				best = v
				if best.whole() {
					return best
				}
			}
		}
	}
	return best
}

// match translates a text by one line.
func (m *matcher) match(p *pattern, s string, depth int) version {
	last := len(p.literals) - 1
	if m.steps -= 4; m.steps <= 0 || len(s) < p.literal || !strings.HasPrefix(s, p.literals[0]) || !strings.HasSuffix(s, p.literals[last]) {
		return version{}
	}
	if m.steps -= len(s); !strings.Contains(s, p.longest) {
		return version{}
	}
	body := s[len(p.literals[0]) : len(s)-len(p.literals[last])]
	contents := make([]string, len(p.holes))
	if !m.holes(p, body, 0, contents) {
		return version{}
	}
	out := version{matched: true}
	for i, kind := range p.holes {
		switch kind {
		case inner, piece, number:
			if strings.Contains(contents[i], "; ") {
				out.kept++ // the text between semicolons rather belongs together
			}
			v := m.translate(contents[i], depth+1)
			contents[i] = v.text
			out.left += v.left
			out.kept += v.kept
		case list:
			out.kept += m.c.words(contents[i])
			contents[i] = listed(contents[i])
		case verbatim, word:
			out.kept += m.c.words(contents[i])
		}
	}
	out.text = p.fill(contents)
	return out
}

// holes divides a text among the holes from one on: each takes as little as possible.
func (m *matcher) holes(p *pattern, s string, from int, contents []string) bool {
	if from == len(p.holes)-1 {
		contents[from] = s
		return accepts(p.holes[from], s)
	}
	next := p.literals[from+1]
	for at := 0; ; {
		i := strings.Index(s[at:], next)
		if i < 0 {
			return false
		}
		at += i
		if m.steps -= i + at; m.steps <= 0 { // accepts reads all before
			return false
		}
		withoutUnit := p.holes[from] == number && next == " " && beginsWithUnit(s[at+1:])
		if accepts(p.holes[from], s[:at]) && !withoutUnit {
			contents[from] = s[:at]
			if m.holes(p, s[at+len(next):], from+1, contents) {
				return true
			}
		}
		at++
	}
}

// listed is a list of names as a Chinese sentence has it.
func listed(names string) string {
	before, last, ok := cutLast(names, " and ")
	if !ok {
		return names
	}
	if n, more := strings.CutSuffix(last, " more"); more {
		return strings.ReplaceAll(before, ", ", "、") + " 等，另有 " + n + " 项"
	}
	return strings.ReplaceAll(before, ", ", "、") + " 和 " + last
}

// cutLast is strings.Cut at the last separator.
func cutLast(s, separator string) (before, after string, found bool) {
	if i := strings.LastIndex(s, separator); i >= 0 {
		return s[:i], s[i+len(separator):], true
	}
	return s, "", false
}

func accepts(kind hole, s string) bool {
	switch kind {
	case word:
		return s != "" && !strings.ContainsAny(s, " \t\n") && !strings.HasSuffix(s, ".")
	case number:
		return isNumber(s)
	case piece:
		if strings.Contains(s, ": ") || strings.Contains(s, ", ") || strings.Contains(s, "; ") {
			return false
		}
	case list:
		if strings.HasSuffix(s, ".") {
			return false // the end of the sentence
		}
	case verbatim, inner:
	}
	return kind == verbatim || strings.TrimSpace(s) != ""
}
