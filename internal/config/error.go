package config

import "fmt"

// Error is a mistake in what a user configured.
type Error struct {
	Place   string // where it was said: "--agents", "BENCHCTL_AGENTS", "bench.yaml:3: agents"
	Problem string
	Err     error
}

func (e *Error) Error() string {
	switch {
	case e.Err == nil:
		return fmt.Sprintf("%s: %s", e.Place, e.Problem)
	case e.Problem == "":
		return fmt.Sprintf("%s: %v", e.Place, e.Err)
	}
	return fmt.Sprintf("%s: %s: %v", e.Place, e.Problem, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// ExitCode is that of bad usage.
func (*Error) ExitCode() int { return 2 }
