//go:build !unix

package agent

import "os/exec"

// processGroup does nothing where processes have no groups.
func processGroup(*exec.Cmd) {}
