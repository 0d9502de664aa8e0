package wire

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Error is an error that the server reports.
type Error struct {
	Code   int32
	Text   string // the server's description
	Detail string // empty if there is none
}

// Error formats the error.
func (e *Error) Error() string {
	text := "SequoiaDB error " + strconv.Itoa(int(e.Code))
	if e.Text != "" {
		text += ", " + e.Text
	}
	if e.Detail != "" && e.Detail != e.Text {
		text += " (" + e.Detail + ")"
	}
	return text
}

// failure returns the error of a reply.
func (r *Reply) failure() error {
	e := &Error{Code: r.Flag}
	if d, ok, err := r.Next(); ok && err == nil {
		e.Text, e.Detail = plain(d.Text("description")), plain(d.Text("detail"))
	}
	return e
}

// plain makes a server's text printable and short.
func plain(text string) string {
	const most = 300
	text = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(text, "?"))
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return strings.TrimSpace(text)
}

// malformed returns the error of an answer that breaks the protocol.
func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrMalformed, fmt.Sprintf(format, args...))
}
