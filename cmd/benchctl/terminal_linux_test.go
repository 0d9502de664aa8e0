package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/cli/ttytest"
	"github.com/benchd/benchd/internal/result"
)

// endless are flags of a run that goes on for longer than any test.
func endless() []string {
	return []string{"--db", "null", "-p", "recordcount=100", "--duration", "10m", "-p", "null.service=constant 5ms"}
}

// session is benchctl on a terminal; its standard output is redirected.
type session struct {
	*ttytest.TTY
	t   *testing.T
	cmd *exec.Cmd
	out bytes.Buffer
}

func startOnTerminal(t *testing.T, env []string, args ...string) *session {
	t.Helper()
	s := &session{TTY: ttytest.Open(t), t: t}
	program, err := os.Executable()
	require.NoError(t, err)
	s.cmd = exec.CommandContext(t.Context(), program)
	s.cmd.Args = append([]string{"benchctl"}, args...) // TestMain runs benchctl under this name
	s.cmd.Env = append(os.Environ(), append(env, "TERM=xterm-256color", "GORACE=atexit_sleep_ms=0")...)
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = s.File, &s.out, s.File
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true} // so that Ctrl-C is a signal
	require.NoError(t, s.cmd.Start())
	return s
}

func (s *session) exits(code int) {
	s.t.Helper()
	_ = s.cmd.Wait()
	require.Equal(s.t, code, s.cmd.ProcessState.ExitCode(), s.Text())
}

func TestInterruptOnATerminal(t *testing.T) {
	const ctrlC = "\x03"
	for _, test := range []struct {
		name   string
		args   []string
		do     func(s *session)
		status result.Status
		out    string
	}{
		{"waiting, yes cancels", []string{"submit", "--wait"}, func(s *session) {
			s.Shows("suite ", 1) // before that an interrupt ends it, since there is nothing to cancel
			s.Press(ctrlC)
			s.Shows("[y]es, [n]o", 1)
			s.Press("y\n")
		}, result.Cancelled, "cancelled"},
		{"waiting, a second one leaves", []string{"submit", "--wait"}, func(s *session) {
			s.Shows("suite ", 1) // before that an interrupt ends it, since there is nothing to cancel
			s.Press(ctrlC)
			s.Shows("[y]es, [n]o", 1)
			s.Press("n\n")
			s.Shows("goes on", 1)
			s.Press(ctrlC)
			s.Shows("[y]es, [n]o", 2)
			s.Press(ctrlC)
			s.Shows("did not wait for the end", 1)
		}, result.Running, ""},
		{"watching, yes cancels", []string{"submit", "--watch"}, func(s *session) {
			s.Shows("running", 1)
			s.Press(ctrlC)
			s.Shows("[y]es, [n]o", 1)
			s.Press("n")
			s.Shows("goes on", 1)
			s.Press(ctrlC)
			s.Press("y")
		}, result.Cancelled, "cancelled"},
		{"with --cancel-on-interrupt it does not ask", []string{"submit", "--watch", "--cancel-on-interrupt"}, func(s *session) {
			s.Shows("running", 1)
			s.Press(ctrlC)
		}, result.Cancelled, "cancelled"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h, err := openTestCluster(t.Context(), 1, t.TempDir())
			require.NoError(t, err)
			defer func() { require.NoError(t, h.cluster.Close()) }()
			s := startOnTerminal(t, []string{"BENCHCTL_COORDINATOR=" + h.address}, append(test.args, endless()...)...)
			before := s.Settings()
			id, err := h.running(t.Context())
			require.NoError(t, err)
			test.do(s)
			s.exits(4)
			require.Equal(t, before, s.Settings(), "the terminal is as it was")
			require.Contains(t, s.out.String(), test.out)
			suites, err := h.client.List(t.Context())
			require.NoError(t, err)
			require.Equal(t, test.status, suites[0].Status, id)
		})
	}
}

func TestInterruptOfALocalRunPrintsItsMeasurements(t *testing.T) {
	s := startOnTerminal(t, nil, append([]string{"run", "-o", "json"}, endless()...)...)
	before := s.Settings()
	s.Shows("running", 1)
	s.Shows("ops/s", 1)
	s.Press("\x03")
	s.exits(4)
	require.Equal(t, before, s.Settings())
	require.Contains(t, s.out.String(), `"status": "cancelled"`)
	require.Contains(t, s.out.String(), `"ok": true`)
	require.True(t, strings.HasSuffix(s.out.String(), "}\n"))
}
