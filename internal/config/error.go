package config

import "fmt"

// Error is a mistake in the configuration.
type Error struct {
	Place   string // "--agents", "BENCHCTL_AGENTS", "bench.yaml:3: agents"
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

// ExitCode returns the exit code of a usage error.
func (*Error) ExitCode() int { return 2 }
