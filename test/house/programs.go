package house

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// programs is the variable that tells the tests of a package where Main put the programs.
const programs = "BENCHD_TEST_PROGRAMS"

// Main is what a package's TestMain exits with: it builds the programs, and then runs the tests.
func Main(m *testing.M) int {
	dir, err := os.MkdirTemp("", "benchd-programs-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	cmd := exec.CommandContext(context.Background(), "go", "build", "-buildvcs=false", "-o", dir, "./cmd/...")
	cmd.Dir = Root()
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build the programs:", err)
		return 1
	}
	if err := os.Setenv(programs, dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// Root is the folder of the checkout.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..")
}

// Workload is the file of one of YCSB's own workloads, such as "workloada".
func Workload(name string) string {
	return filepath.Join(Root(), "internal", "spec", "testdata", "ycsb", name)
}

// Program is where one of ours is; another one goes by its whole path.
func Program(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(os.Getenv(programs), name)
}

// Run runs a program to its end.
func Run(t *testing.T, within time.Duration, name string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	return Command(t, within, Program(name), args...)
}

// Command runs any command to its end.
func Command(t *testing.T, within time.Duration, path string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	require.NoError(t, ctx.Err(), "%s %v does not end; it printed: %s", path, args, errOut.String())
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return out.String(), errOut.String(), cmd.ProcessState.ExitCode()
}
