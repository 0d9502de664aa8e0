package spec

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/benchd/benchd/internal/property"
)

// maxFile bounds a properties file; the largest in use have a few hundred lines.
const maxFile = 1 << 20

// javaProperty is one setting of a properties file.
type javaProperty struct {
	key, value string
	line       int // the first line, from 1
}

// readProperties reads a properties file as Java does: comments begin with # or !, a backslash at a line's end
// continues it, the first =, : or blank ends the key, and \uXXXX, \t, \n, \r and \f are characters. Unlike
// Java, which reads each byte as Latin-1, it reads valid UTF-8 as UTF-8.
func readProperties(name string, content []byte) ([]javaProperty, []property.Problem) {
	text, err := decodeText(content)
	if err != nil {
		return nil, []property.Problem{{Place: name, Text: err.Error()}}
	}
	var (
		properties []javaProperty
		problems   []property.Problem
	)
	for number, line := range logicalLines(text) {
		p, place := javaProperty{line: number}, placeOf(name, number)
		key, value := cut(line)
		for _, part := range []struct {
			to   *string
			from string
		}{{&p.key, key}, {&p.value, value}} {
			if *part.to, err = unescape(part.from); err != nil {
				problems = append(problems, property.Problem{Place: place, Key: p.key, Text: err.Error()})
			}
		}
		if p.key == "" {
			problems = append(problems, property.Problem{Place: place, Text: "missing name before the value; write name=value"})
			continue
		}
		properties = append(properties, p)
	}
	return properties, problems
}

// logicalLines iterates over the lines of a text by their numbers. It skips comments and empty lines, and joins a line
// with its continuation lines.
func logicalLines(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		lines := naturalLines(text)
		for i := 0; i < len(lines); {
			first := i + 1
			part := strings.TrimLeft(lines[i], blanks)
			i++
			if part == "" || part[0] == '#' || part[0] == '!' {
				continue
			}
			var whole strings.Builder
			for continues(part) {
				whole.WriteString(part[:len(part)-1])
				part = ""
				if i == len(lines) || whole.Len() == 0 { // the line after a lone backslash is not a continuation
					break
				}
				part = strings.TrimLeft(lines[i], blanks)
				i++
			}
			whole.WriteString(part)
			if whole.Len() > 0 && !yield(first, whole.String()) {
				return
			}
		}
	}
}

// blanks are the white space characters of a properties file.
const blanks = " \t\f"

func placeOf(name string, line int) string { return name + ":" + strconv.Itoa(line) }

// decodeText returns the text of a file.
func decodeText(content []byte) (string, error) {
	switch {
	case len(content) > maxFile:
		return "", fmt.Errorf("is %d bytes long; the maximum is %d; is it the right file?", len(content), maxFile)
	case bytes.HasPrefix(content, []byte{0xff, 0xfe}), bytes.HasPrefix(content, []byte{0xfe, 0xff}):
		return "", errors.New("is in UTF-16; save it as UTF-8")
	case bytes.IndexByte(content, 0) >= 0:
		return "", errors.New("contains zero bytes; is it the right file?")
	}
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	if utf8.Valid(content) {
		return string(content), nil
	}
	var b strings.Builder
	for _, c := range content {
		b.WriteRune(rune(c))
	}
	return b.String(), nil
}

// naturalLines splits a text at \n, \r and \r\n.
func naturalLines(text string) []string {
	return strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n")
}

// continues reports whether a line ends with an odd number of backslashes.
func continues(line string) bool {
	bare := strings.TrimRight(line, `\`)
	return (len(line)-len(bare))%2 == 1
}

// cut divides a logical line into key and value, both still escaped.
func cut(line string) (key, value string) {
	end := len(line)
	for i := 0; i < len(line); i++ {
		if line[i] == '\\' {
			i++
			continue
		}
		if strings.IndexByte(blanks+"=:", line[i]) >= 0 {
			end = i
			break
		}
	}
	value = strings.TrimLeft(line[end:], blanks)
	if value != "" && (value[0] == '=' || value[0] == ':') {
		value = strings.TrimLeft(value[1:], blanks)
	}
	return line[:end], value
}

// errEscape does not repeat the characters: they may be part of a secret.
var errEscape = errors.New(`invalid escape: \u needs four hexadecimal digits, as in \u00e9; write \\ for a plain backslash`)

// unescape replaces escapes by what they mean. A backslash before any other character is dropped.
func unescape(s string) (string, error) {
	if !strings.Contains(s, `\`) {
		return s, nil
	}
	var (
		b    strings.Builder
		high rune // the first half of a surrogate pair
	)
	flush := func() {
		if high != 0 {
			b.WriteRune(utf8.RuneError)
			high = 0
		}
	}
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			flush()
			b.WriteByte(s[i])
			continue
		}
		i++
		if i == len(s) {
			break
		}
		if s[i] != 'u' {
			flush()
			b.WriteByte(escaped(s[i]))
			continue
		}
		if len(s) < i+5 {
			return s, errEscape
		}
		n, err := strconv.ParseUint(s[i+1:i+5], 16, 16)
		if err != nil {
			return s, errEscape
		}
		i += 4
		switch r := rune(n); {
		case high != 0 && utf16.DecodeRune(high, r) != utf8.RuneError:
			b.WriteRune(utf16.DecodeRune(high, r))
			high = 0
		case utf16.IsSurrogate(r) && r < 0xdc00:
			flush()
			high = r
		default:
			flush()
			b.WriteRune(r) // half a pair becomes U+FFFD
		}
	}
	flush()
	return b.String(), nil
}

func escaped(c byte) byte {
	switch c {
	case 't':
		return '\t'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 'f':
		return '\f'
	}
	return c
}
