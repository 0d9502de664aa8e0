//go:build unix

package agent

import (
	"os/exec"
	"syscall"
)

// processGroup makes the descendants of a command end with it when it is killed at its timeout.
func processGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
