package scripts

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// checkout is a repository of its own, with some of this one's scripts.
type checkout struct {
	t   *testing.T
	dir string
	bin string // comes first in PATH
}

func newCheckout(t *testing.T, scripts ...string) *checkout {
	t.Helper()
	c := &checkout{t: t, dir: t.TempDir(), bin: t.TempDir()}
	for _, name := range scripts {
		content, err := os.ReadFile(filepath.Join("..", "..", "scripts", name))
		require.NoError(t, err)
		c.write("scripts/"+name, string(content))
	}
	return c
}

// write writes an executable file.
func (c *checkout) write(name, content string) {
	c.t.Helper()
	path := filepath.Join(c.dir, name)
	if filepath.IsAbs(name) {
		path = name
	}
	require.NoError(c.t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(c.t, os.WriteFile(path, []byte(content), 0o700))
}

// run runs a command at the top of the checkout.
func (c *checkout) run(name string, args ...string) (stdout, stderr string, code int) {
	c.t.Helper()
	cmd := exec.CommandContext(c.t.Context(), name, args...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "PATH="+c.bin+":"+os.Getenv("PATH"),
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	if err != nil {
		var exit *exec.ExitError
		require.ErrorAs(c.t, err, &exit)
	}
	return out.String(), errOut.String(), cmd.ProcessState.ExitCode()
}

func (c *checkout) commit() {
	c.t.Helper()
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"commit", "-q", "--no-gpg-sign", "-m", "a commit"}} {
		_, stderr, code := c.run("git", args...)
		require.Zero(c.t, code, stderr)
	}
}

// lines splits a text.
func lines(text string) []string { return strings.Split(strings.TrimSpace(text), "\n") }
