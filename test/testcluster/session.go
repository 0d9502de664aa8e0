package testcluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Session is a shell for the commands of a document: each starts with the folder and the variables that the commands before
// it have set.
type Session struct {
	t     *testing.T
	state string // folder of the files that keep the folder and the variables for the next command
}

// NewSession makes a Session that starts in a folder. The programs of this checkout come first in its PATH.
func NewSession(t *testing.T, dir string) *Session {
	t.Helper()
	s := &Session{t: t, state: t.TempDir()}
	require.NoError(t, os.WriteFile(s.file("dir"), []byte(dir+"\n"), 0o600))
	s.Set("PATH", filepath.Dir(Program("benchd"))+":"+os.Getenv("PATH"))
	home := t.TempDir()
	s.Set("HOME", home)
	s.Set("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	return s
}

func (s *Session) file(name string) string { return filepath.Join(s.state, name) }

// Set sets a variable for the commands that follow.
func (s *Session) Set(name, value string) {
	s.t.Helper()
	f, err := os.OpenFile(s.file("variables"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(s.t, err)
	_, err = fmt.Fprintf(f, "export %s=%s\n", name, quote(value))
	require.NoError(s.t, err)
	require.NoError(s.t, f.Close())
}

// Dir returns the folder of the next command.
func (s *Session) Dir() string {
	s.t.Helper()
	dir, err := os.ReadFile(s.file("dir"))
	require.NoError(s.t, err)
	return strings.TrimSpace(string(dir))
}

// begin is the prologue of each command.
func (s *Session) begin() string {
	return fmt.Sprintf("set -e; cd %s; . %s\n", quote(s.Dir()), quote(s.file("variables")))
}

// Run runs a command to its end.
func (s *Session) Run(within time.Duration, command string) (stdout, stderr string, code int) {
	s.t.Helper()
	end := fmt.Sprintf("\npwd >%s; export -p >%s\n", quote(s.file("dir")), quote(s.file("variables")))
	return Command(s.t, within, "bash", "-c", s.begin()+command+end)
}

// Start starts a command that runs until the test ends.
func (s *Session) Start(command string) *Process {
	s.t.Helper()
	bash, err := exec.LookPath("bash")
	require.NoError(s.t, err)
	return Start(s.t, nil, bash, "-c", s.begin()+"exec "+command)
}

// quote quotes a text as one word for a shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
