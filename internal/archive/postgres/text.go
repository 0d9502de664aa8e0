package postgres

import (
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgtype"
)

// PostgreSQL's texts are valid UTF-8 without NUL, but an error message of a target may be anything. Each byte that cannot be stored becomes a
// character of a private area: escapes and the byte. Characters of that area in the original become escapes of their bytes, so that decode
// always returns the original.
const (
	escapes    = rune(0x10FE00)
	escapeLead = "\xf4\x8f\xb8" // the first bytes of the characters of the area's first quarter; its others have b9, ba and bb instead of b8
)

func isEscape(r rune) bool { return r >= escapes && r <= escapes+0xff }

// encode returns a text that can be stored.
func encode(s string) string {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 && !strings.Contains(s, escapeLead[:2]) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r != 0 && !isEscape(r) && (r != utf8.RuneError || size > 1) {
			b.WriteString(s[i : i+size])
		} else {
			for _, c := range []byte(s[i : i+size]) {
				b.WriteRune(escapes + rune(c))
			}
		}
		i += size
	}
	return b.String()
}

// decode reverts encode.
func decode(s string) string {
	if !strings.Contains(s, escapeLead[:2]) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if isEscape(r) {
			b.WriteByte(byte(r - escapes))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// destination decodes a text column into a string.
type destination[T ~string] struct{ to *T }

// ScanText implements pgtype.TextScanner. NULL is an empty string.
func (d *destination[T]) ScanText(v pgtype.Text) error {
	*d.to = T(decode(v.String))
	return nil
}

// into is the destination of a column in a string type.
func into[T ~string](to *T) *destination[T] { return &destination[T]{to} }

// repeated has the texts of columns with few different ones, so that many rows share their memory.
type repeated map[string]string

// mostRepeated bounds the texts.
const mostRepeated = 1000

// into is the destination of a column.
func (r repeated) into(to *string) pgtype.BytesScanner { return &repeatedInto{r, to} }

type repeatedInto struct {
	texts repeated
	to    *string
}

// ScanBytes implements pgtype.BytesScanner. NULL is an empty string.
func (d *repeatedInto) ScanBytes(v []byte) error {
	text, ok := d.texts[string(v)]
	if !ok {
		text = decode(string(v))
		if len(d.texts) < mostRepeated {
			d.texts[string(v)] = text
		}
	}
	*d.to = text
	return nil
}

// content is a text column as bytes; nil is NULL.
type content []byte

// ScanText implements pgtype.TextScanner.
func (c *content) ScanText(v pgtype.Text) error {
	*c = nil
	if v.Valid {
		*c = []byte(decode(v.String))
	}
	return nil
}

// optional is JSON as a column; nil is NULL.
func optional(content []byte) *string {
	if content == nil {
		return nil
	}
	s := encode(string(content))
	return &s
}
