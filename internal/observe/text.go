package observe

import (
	"fmt"
	"strings"
)

// FirstLine is the first line of an error.
func FirstLine(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return text
}

// Printable makes a text fit to be shown: what cannot be printed is escaped, and what is long is cut.
func Printable(text string) string {
	const most = 64
	if len(text) > most {
		text = text[:most]
	}
	quoted := fmt.Sprintf("%q", text)
	return quoted[1 : len(quoted)-1]
}
