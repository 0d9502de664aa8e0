package lifecycle

import "strings"

// Describe returns the commands, a line each.
func Describe(commands []Command) string {
	var b strings.Builder
	for _, c := range commands {
		b.WriteString(c.command())
		b.WriteByte('\n')
	}
	return b.String()
}
