package report

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// printable replaces what would control the terminal or the order of a line in a text from elsewhere: control characters become blanks, and
// characters that reverse or break the text around them become �.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < ' ' || r >= 0x7f && r < 0xa0:
			return ' '
		case unprintable(r):
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// Plain is a text from elsewhere on one line of a terminal: without control characters, and without characters that change the order
// of the line.
func Plain(text string) string { return printable(text) }

// PlainLines is Plain for a text of several lines.
func PlainLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = printable(line)
	}
	return strings.Join(lines, "\n")
}

// Printable is a name from elsewhere on a line of a terminal.
func Printable(name string) string { return cut(printable(name), longName) }

// unprintable reports whether a character changes the direction of text, or is invisible: marks, embeddings, overrides and isolates of
// direction, separators of lines, and zero-width characters but the joiner of scripts and emoji.
func unprintable(r rune) bool {
	return r == 0x61c || r == 0x200b || r == 0x200e || r == 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0xfeff
}

// longText bounds a text from elsewhere in a report for people.
const longText = 1500

// cut shortens a text to n characters, of which the last ones are its end: a name may be long, and what follows it is ours.
func cut(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	runes := []rune(s)
	return string(runes[:n-n/4]) + " … " + string(runes[len(runes)-n/4+3:])
}
