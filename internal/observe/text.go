package observe

import (
	"fmt"
	"strings"
)

// FirstLine returns the first line of an error.
func FirstLine(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return text
}

// Printable escapes what cannot be printed in a text, and shortens a long one.
func Printable(text string) string {
	const most = 64
	if len(text) > most {
		text = text[:most]
	}
	quoted := fmt.Sprintf("%q", text)
	return quoted[1 : len(quoted)-1]
}
