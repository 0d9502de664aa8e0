package xlsx

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longest is how many characters a cell can have, in units of UTF-16.
const longest = 32767

// clean makes a text fit for a cell: characters that XML forbids, or that change how the text around them is shown, become visible
// codes, and a text beyond the limit of a cell is cut with a mark.
func clean(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	units, kept, total := 0, -1, 0
	for _, r := range s {
		total++
		text := string(r)
		switch {
		case r == '\r':
			text = ""
		case r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) || r == 0xfffe || r == 0xffff:
			text = fmt.Sprintf("\\u%04x", r)
		}
		for _, c := range text {
			units += 1 + boolToInt(c > 0xffff)
		}
		b.WriteString(text)
		if units <= longest-60 {
			kept = b.Len()
		}
	}
	if units <= longest {
		return b.String()
	}
	return b.String()[:kept] + fmt.Sprintf(" … [cut: %d characters in all]", total)
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// plain reports whether a text has only ordinary characters of ASCII, and not too many.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return len(s) <= longest
}

// oneLine is a text without line breaks, of at most n characters.
func oneLine(s string, n int) string {
	s = strings.Join(strings.Fields(clean(s)), " ")
	if utf8.RuneCountInString(s) > n {
		s = string([]rune(s)[:n-1]) + "…"
	}
	return s
}

// width is how wide a text is, in characters. Those of Chinese, Japanese and Korean count twice.
func width(s string) float64 {
	n := 0.0
	for _, r := range s {
		n++
		if wide(r) {
			n++
		}
	}
	return n
}

func wide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xff60
}

// longestWord is the width of the longest part of a text that is not broken.
func longestWord(s string) float64 {
	most := 0.0
	for word := range strings.FieldsSeq(s) {
		n := width(word)
		if n > float64(utf8.RuneCountInString(word)) {
			n = min(n, 10) // a line may be broken between any two of them
		}
		most = max(most, n)
	}
	return most
}

// lines is how many lines a text takes in a cell of a width.
func lines(s string, room float64) int {
	n := 0
	for line := range strings.SplitSeq(s, "\n") {
		at := 0.0
		n++
		for word := range strings.FieldsSeq(line) {
			w := width(word)
			if at > 0 && at+1+w > room {
				n++
				at = 0
			}
			if at > 0 {
				at++
			}
			for w > room { // broken within
				n++
				w -= room
			}
			at += w
		}
	}
	return n
}
