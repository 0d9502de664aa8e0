package xlsx

import (
	"fmt"
	"strings"
	"unicode"
)

// longestName is how many characters the name of a sheet may have, in units of UTF-16.
const longestName = 31

// names are the names of the sheets. They differ in more than the case of their letters.
type names map[string]bool

// add makes a name of a sheet from a text.
func (n names) add(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(`:\/?*[]`, r):
			return '-'
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == 0xfffe, r == 0xffff, r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, text)
	text = strings.Trim(strings.Join(strings.Fields(text), " "), "' ")
	if text == "" || strings.EqualFold(text, "History") { // which Excel reserves
		text += "-"
	}
	name := first(text, longestName)
	for i := 2; n[fold(name)]; i++ {
		suffix := fmt.Sprintf(" (%d)", i)
		name = first(text, longestName-len(suffix)) + suffix
	}
	n[fold(name)] = true
	return name
}

func fold(s string) string { return strings.ToLower(strings.ToUpper(s)) }

// first are the first characters of a text, at most n units of UTF-16, without an apostrophe or blank at the end.
func first(s string, n int) string {
	for i, r := range s {
		if n -= 1 + boolToInt(r > 0xffff); n < 0 {
			s = s[:i]
			break
		}
	}
	return strings.TrimRight(s, "' ")
}

// quoted is the name of a sheet as references have it.
func quoted(sheet string) string { return "'" + strings.ReplaceAll(sheet, "'", "''") + "'" }
