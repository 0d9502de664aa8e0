package lifecycle

import "strings"

// Describe says in a line each what commands ask for.
func Describe(commands []Command) string {
	var b strings.Builder
	for _, c := range commands {
		b.WriteString(c.command())
		b.WriteByte('\n')
	}
	return b.String()
}
