package filter

import (
	"fmt"
	"regexp"
	"strings"
)

// Flags of Java's Pattern.
const (
	javaUnixLines = 1 << iota
	javaCaseInsensitive
	javaComments
	javaMultiline
	javaLiteral
	javaDotAll
	javaUnicodeCase
	javaCanonEq
	javaUnicodeClass
)

// maxPattern bounds an expression: Go matches in linear time, but the compiled program grows with the expression.
const maxPattern = 4 << 10

// compile translates a Java expression into Go's, or reports what Go does not support.
func compile(text string, flags int32, charset string) (*pattern, error) {
	if len(text) > maxPattern {
		return nil, fmt.Errorf("the expression has %d bytes, at most %d are allowed", len(text), maxPattern)
	}
	p := &pattern{text: text}
	switch strings.ToUpper(charset) {
	case "UTF-8", "UTF8", "US-ASCII", "":
	case "ISO-8859-1":
		p.latin1 = true
	default:
		return nil, fmt.Errorf("the sandbox has no charset %q; it has UTF-8, US-ASCII and ISO-8859-1", charset)
	}
	if flags&(javaComments|javaCanonEq|javaUnicodeClass) != 0 {
		return nil, fmt.Errorf("the sandbox's expressions do not support COMMENTS, CANON_EQ or UNICODE_CHARACTER_CLASS (flags %#x)", flags)
	}
	expr := text
	switch {
	case flags&javaLiteral != 0:
		expr = regexp.QuoteMeta(text)
	case oddClass(text):
		return nil, fmt.Errorf("the sandbox's expressions do not support nested classes: %q", text)
	}
	var set []byte
	for _, f := range []struct {
		flag int32
		name byte
	}{{javaCaseInsensitive, 'i'}, {javaMultiline, 'm'}, {javaDotAll, 's'}} {
		if flags&f.flag != 0 {
			set = append(set, f.name)
		}
	}
	if len(set) > 0 {
		expr = "(?" + string(set) + ":" + expr + ")"
	}
	var err error
	if p.expr, err = regexp.Compile(expr); err != nil {
		return nil, fmt.Errorf("the sandbox's expressions are Go's (RE2), which do not support this: %w", err)
	}
	return p, nil
}

// oddClass finds a class that Java reads as a union or an intersection of classes, and Go as plain characters.
func oddClass(text string) bool {
	inside := false
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && strings.HasPrefix(text[i:], `\Q`):
			end := strings.Index(text[i:], `\E`)
			if end < 0 {
				return false
			}
			i += end + 1
		case text[i] == '\\':
			i++
		case !inside && text[i] == '[':
			inside = true
			if strings.HasPrefix(text[i+1:], "^") {
				i++
			}
			if strings.HasPrefix(text[i+1:], "]") {
				i++ // Go and Java both read it as a member
			}
		case inside && text[i] == '[', inside && strings.HasPrefix(text[i:], "&&"):
			return true
		case inside && text[i] == ']':
			inside = false
		}
	}
	return false
}
