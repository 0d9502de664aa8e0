package property

import (
	"strings"
)

// Problem is one mistake of the user's.
type Problem struct {
	Place string // "workloada:12", "-p", "--threads"; empty when only the key is known
	Key   string // the property as it was written; empty when there is none to name
	Text  string // what is wrong, and the cure
}

// Error puts the place and the key before the text.
func (p Problem) Error() string { return label(p.Place, p.Key, p.Text) }

// Problems is all that is wrong with a submission. It is never empty: no problem is a nil error. Commands that
// find it end with its ExitCode.
type Problems []Problem

// Error lists the problems, one on a line.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, one := range p {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// Warning is what a user should know about a submission that is good all the same.
type Warning Problem

// String puts the place and the key before the text.
func (w Warning) String() string { return label(w.Place, w.Key, w.Text) }

// ExitCode is that of bad usage.
func (Problems) ExitCode() int { return 2 }

func label(place, key, text string) string {
	var b strings.Builder
	for _, part := range []string{place, key} {
		if part != "" {
			b.WriteString(part)
			b.WriteString(": ")
		}
	}
	b.WriteString(text)
	return b.String()
}
