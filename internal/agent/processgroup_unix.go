//go:build unix

package agent

import (
	"os/exec"
	"syscall"
)

// processGroup has what a command started end with it, when it is killed because its time is over.
func processGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
