package property

import (
	"strings"
)

// Problem is one mistake in a submission.
type Problem struct {
	Place string // "workloada:12", "-p", "--threads"; empty when only the key is known
	Key   string // the property as it was written; empty when there is none to name
	Text  string // the mistake and its cure
}

// Error puts the place and the key before the text.
func (p Problem) Error() string { return label(p.Place, p.Key, p.Text) }

// Problems are all mistakes in a submission. The list is never empty: a valid submission gives a nil error. A command that
// fails with Problems exits with its ExitCode.
type Problems []Problem

// Error lists the problems, one per line.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, one := range p {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// Warning is a remark about a valid submission.
type Warning Problem

// String puts the place and the key before the text.
func (w Warning) String() string { return label(w.Place, w.Key, w.Text) }

// ExitCode returns the exit code of a usage error.
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
