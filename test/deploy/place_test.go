package deploy

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// root is the checkout.
const root = "../.."

// patience bounds the commands of a machine that has to compile everything.
const patience = 10 * time.Minute

// command runs a program in a folder, with variables added to the environment, and returns its output on both streams.
func command(t *testing.T, dir string, env []string, name string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
	cmd.Env = append(os.Environ(), env...)
	cmd.WaitDelay = 10 * time.Second
	err := cmd.Run()
	return out.String(), err
}

// succeed runs a program that must not fail.
func succeed(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	out, err := command(t, dir, env, name, args...)
	require.NoError(t, err, "%s %s:\n%s", name, strings.Join(args, " "), out)
	return out
}

// within runs a script of testdata in namespaces of its own, where mounts, processes and ports are its own.
func within(t *testing.T, script string, env []string, args ...string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", script))
	require.NoError(t, err)
	// Processes that a script leaves behind end with its namespace.
	all := append([]string{"--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc", "bash", path}, args...)
	return succeed(t, "", env, "unshare", all...)
}

// version is what the release of the checks is called.
const version = "v0.0.1-check"

// made is the folder of releases; building guards the first release.
var (
	made     string
	building sync.Mutex
)

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "benchd-deploy-")
	if err != nil {
		panic(err)
	}
	made = dir
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// release is the folder with the signed release of the commit, built by the first test that asks. Building takes all processors:
// the tests that come next wait for it, and then go side by side.
func release(t *testing.T) string {
	t.Helper()
	building.Lock()
	defer building.Unlock()
	dir := filepath.Join(made, "release")
	if _, err := os.Stat(filepath.Join(dir, "SHA256SUMS.sig")); err != nil {
		succeed(t, root, []string{"RELEASE=" + dir, "SIGN_KEY=" + signer(t, made)}, "scripts/release", version)
	}
	return dir
}
