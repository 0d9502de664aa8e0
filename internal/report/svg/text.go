package svg

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// longest is the number of characters of a text that the picture has in full.
const longest = 1000

// anchor is the point of a text that its position is that of.
type anchor string

// The anchors.
const (
	start  anchor = ""
	middle anchor = ` text-anchor="middle"`
	end    anchor = ` text-anchor="end"`
)

// halo is the style of a text that is readable over lines.
const halo = ` paint-order="stroke" stroke-width="3" stroke-linejoin="round"`

// label writes a text, shortened to a width. A shortened text has its whole as a tooltip.
func (c *canvas) label(s string, x, y, size, room float64, at anchor, k ink, style string) {
	shown := fit(s, size, room)
	if shown == "" {
		return
	}
	c.add("<text")
	c.attr("x", x)
	c.attr("y", y)
	if size != textSize {
		c.attr("font-size", size)
	}
	c.add(string(at))
	outline := inherited
	if style == halo {
		outline = background
	}
	c.ink(k, outline)
	c.add(style, ">")
	if shown != s {
		c.tooltip(s)
	}
	c.add(escape(shown), "</text>\n")
}

func (c *canvas) tooltip(s string) {
	c.add("<title>", escape(shortened(s, longest)), "</title>")
}

// fit shortens a text to a width.
func fit(s string, size, room float64) string {
	s = plain(s)
	if widthOf(s, size) <= room {
		return s
	}
	const ellipsis = '…'
	used := size * ems(ellipsis)
	for i, r := range s {
		if used += size * ems(r); used > room {
			if i == 0 {
				return ""
			}
			return strings.TrimRight(s[:i], " ") + string(ellipsis)
		}
	}
	return s
}

// widthOf estimates the width of a text.
func widthOf(s string, size float64) float64 {
	w := 0.0
	for _, r := range s {
		w += ems(r)
	}
	return w * size
}

// ems estimates the width of a character. Common fonts differ by some percent; the estimate is one of the wider ones.
func ems(r rune) float64 {
	switch {
	case r < 0x80:
		return asciiEms(r)
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r < 0x1100:
		return 0.62
	}
	if wide(r) {
		return 1
	}
	return 0.65
}

func asciiEms(r rune) float64 {
	switch r {
	case 'm', 'w', 'M', 'W', '@', '%':
		return 0.9
	case 'i', 'l', 'j', 't', 'f', 'r', 'I', '.', ',', ':', ';', '|', '!', '\'', '(', ')', '[', ']', '{', '}', '/', ' ', '-':
		return 0.36
	}
	if r >= 'A' && r <= 'Z' {
		return 0.69
	}
	return 0.6
}

// wide reports whether a character is as wide as it is high: Chinese, Japanese, Korean and pictographs.
func wide(r rune) bool {
	return r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 || r >= 0xf900 && r <= 0xfaff ||
		r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 || r >= 0xffe0 && r <= 0xffe6 || r >= 0x1f300
}

// plain replaces what has no shape on a page, and what XML forbids: control characters, characters that change the direction
// of other texts, and bytes that are not UTF-8.
func plain(s string) string {
	ordinary := true
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			ordinary = false
			break
		}
	}
	if ordinary {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029:
			return ' '
		case r == 0xfffe || r == 0xffff:
			return utf8.RuneError
		case r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200e || r == 0x200f || r == 0x061c:
			return -1
		}
		return r
	}, s)
}

// escape is a text as XML has it.
func escape(s string) string {
	if s = plain(s); !strings.ContainsAny(s, `&<>"`) {
		return s
	}
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(s)
}

// shortened is the beginning of a text with at most n characters.
func shortened(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i] + "…"
		}
		n--
	}
	return s
}
