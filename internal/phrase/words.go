package phrase

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// hasWord reports whether a text has two letters in a row: others need no translation.
func hasWord(s string) bool {
	before := false
	for _, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if letter && before {
			return true
		}
		before = letter
	}
	return false
}

// words counts the English words of a text that are not names.
func (c *catalogue) words(s string) int {
	n := 0
	for _, token := range strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(",;:()[]\"“”'?!…，；：（）。、", r) || unicode.Is(unicode.Han, r)
	}) {
		if token = strings.TrimRight(token, "."); !c.isName(token) {
			n++
		}
	}
	return n
}

// isName reports whether a token is not an English word: it has no two letters in a row, or more than letters, or capitals within, or
// it is in the list of names.
func (c *catalogue) isName(token string) bool {
	if !hasWord(token) || c.names[token] {
		return true
	}
	for i, r := range token {
		if r == '-' || r == '\'' {
			continue
		}
		if r >= utf8.RuneSelf || !unicode.IsLetter(r) || i > 0 && unicode.IsUpper(r) {
			return true
		}
	}
	return false
}

// isNumber reports whether a text is a number with its unit, several such as 4 min 12 s, or two with a sign between them. A dash
// replaces a missing number.
func isNumber(s string) bool {
	s = strings.TrimPrefix(s, "less than ")
	digits := false
	for i, token := range strings.Split(s, " ") {
		switch {
		case token == "–" || token == "±" || token == "→" || token == "×" || token == "%":
			digits = digits || token == "–"
		case isFigure(token):
			digits = true
		case i > 0 && isUnit(token):
		default:
			return false
		}
	}
	return digits
}

// isFigure reports whether a token begins with a number: 1,234 or -0.5 or 1m30s or 2026-03-01.
func isFigure(token string) bool {
	digits := strings.TrimLeft(token, "+-−±≤≥<>~(")
	if digits == "" || digits[0] < '0' || digits[0] > '9' || len(token) > 40 {
		return false
	}
	letters := 0
	for _, r := range digits {
		if unicode.IsLetter(r) {
			letters++
		} else if !unicode.IsDigit(r) && !strings.ContainsRune(".,:-−–%/)+", r) {
			return false
		}
	}
	return letters <= 6 && !strings.HasSuffix(digits, ",") && !strings.HasSuffix(digits, ":")
}

// beginsWithUnit reports whether the first word of a text is a unit.
func beginsWithUnit(s string) bool {
	word, _, _ := strings.Cut(s, " ")
	return isUnit(strings.TrimRight(word, ",;)"))
}

// isUnit reports whether a token is a unit, which is the same in all languages.
func isUnit(token string) bool {
	switch token {
	case "%", "ns", "µs", "ms", "s", "min", "h", "ops/s", "B", "kB", "MB", "GB", "TB", "PB", "KiB", "MiB", "GiB", "B/s", "kB/s", "MB/s", "GB/s", "UTC":
		return true
	}
	return false
}
