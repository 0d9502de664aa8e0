package phrase

import "strings"

// split is the best translation by the parts of a text.
func (m *matcher) split(s string, depth int) version {
	var best version
	for _, try := range []func(string, int) version{
		m.trimmed, m.sentences, m.clauses, m.labelled, m.listed, m.bracketed,
	} {
		if v := try(s, depth+1); v.better(best) {
			best = v
		}
		if best.whole() {
			break
		}
	}
	return best
}

// around translates the part of a text between two others.
func (m *matcher) around(before, s, after string, depth int) version {
	v := m.translate(s, depth)
	v.text = before + v.text + after
	return v
}

// trimmed is a text with blanks around it.
func (m *matcher) trimmed(s string, depth int) version {
	body := strings.TrimSpace(s)
	if body == s || body == "" {
		return version{}
	}
	at := strings.Index(s, body)
	return m.around(s[:at], body, s[at+len(body):], depth)
}

// item is an item of a list.
func (m *matcher) item(s string, depth int) version {
	if body, ok := strings.CutPrefix(s, "- "); ok {
		return m.around("- ", body, "", depth)
	}
	return version{}
}

// stopped is a sentence with its full stop, or a question.
func (m *matcher) stopped(s string, depth int) version {
	mark := "。"
	body, ok := strings.CutSuffix(s, ".")
	if !ok {
		mark = "？"
		body, ok = strings.CutSuffix(s, "?")
	}
	if !ok || strings.HasSuffix(body, ".") {
		return version{}
	}
	v := m.translate(body, depth)
	if v.matched && !strings.HasSuffix(v.text, mark) {
		v.text += mark
	}
	return v
}

// sentences is several sentences; each is translated on its own.
func (m *matcher) sentences(s string, depth int) version {
	return m.joined(cutSentences(s), "", true, depth)
}

// clauses is several clauses with semicolons between them; each is translated on its own.
func (m *matcher) clauses(s string, depth int) version {
	return m.joined(cut(s, "; "), "；", true, depth)
}

// listed is a list with commas between its parts; all of them must have a translation, or be names.
func (m *matcher) listed(s string, depth int) version {
	return m.joined(cut(s, ", "), "，", false, depth)
}

// joined translates parts; partly if some may stay English.
func (m *matcher) joined(parts []string, separator string, partly bool, depth int) version {
	if len(parts) < 2 {
		return version{}
	}
	out := version{}
	texts := make([]string, len(parts))
	for i, part := range parts {
		v := m.translate(part, depth)
		if v.left > 0 && !partly {
			return version{}
		}
		texts[i] = v.text
		out.left += v.left
		out.kept += v.kept
		out.matched = out.matched || v.matched
		if separator == "" && i < len(parts)-1 && !strings.HasSuffix(v.text, "。") {
			texts[i] += " " // a sentence that stays English
		}
	}
	out.text = strings.Join(texts, separator)
	return out
}

// labelled is a text behind a label that is a name; other labels are in the catalogue. The text must have a translation.
func (m *matcher) labelled(s string, depth int) version {
	var best version
	for at := 0; ; {
		i := strings.Index(s[at:], ": ")
		if i < 0 || m.steps <= 0 {
			return best
		}
		at += i
		label, text := s[:at], m.translate(s[at+2:], depth)
		at += 2
		if !text.matched {
			continue
		}
		v := version{text: label + "：" + text.text, left: text.left, kept: text.kept + m.c.words(label), matched: true}
		if v.better(best) {
			best = v
		}
		if best.whole() {
			return best
		}
	}
}

// bracketed is a text with another one in parentheses at its end.
func (m *matcher) bracketed(s string, depth int) version {
	body, ok := strings.CutSuffix(s, ")")
	if !ok {
		return version{}
	}
	level := 0
	for i := len(body) - 1; i > 0; i-- {
		switch body[i] {
		case ')':
			level++
		case '(':
			if level--; level >= 0 {
				continue
			}
			if body[i-1] != ' ' || i < 2 {
				return version{}
			}
			text, note := m.translate(body[:i-1], depth), m.translate(body[i+1:], depth)
			return version{text: text.text + "（" + note.text + "）", left: text.left + note.left, kept: text.kept + note.kept, matched: text.matched || note.matched}
		}
	}
	return version{}
}

// cut splits a text at a separator outside of parentheses and quotes.
func cut(s, separator string) []string {
	var parts []string
	level, quoted, from := 0, false, 0
	for i := range len(s) {
		switch s[i] {
		case '"':
			quoted = !quoted
		case '(':
			level++
		case ')':
			level--
		case separator[0]:
			if level <= 0 && !quoted && strings.HasPrefix(s[i:], separator) {
				parts = append(parts, s[from:i])
				from = i + len(separator)
			}
		}
	}
	return append(parts, s[from:])
}

// cutSentences splits a text behind full stops that a capital letter or a number follows.
func cutSentences(s string) []string {
	var parts []string
	from := 0
	for i := 1; i+2 < len(s); i++ {
		if next := s[i+2]; s[i] == '.' && s[i+1] == ' ' && (next >= 'A' && next <= 'Z' || next >= '0' && next <= '9') {
			parts = append(parts, s[from:i+1])
			from = i + 2
		}
	}
	return append(parts, s[from:])
}
