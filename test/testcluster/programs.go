package testcluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// programs is the variable that names the folder with the programs of a package's tests.
const programs = "BENCHD_TEST_PROGRAMS"

// prefix is that of the folder of a package's tests; the number of their process follows.
const prefix = "run-"

// Main builds the programs and runs the tests; it returns the exit code for a package's TestMain.
func Main(m *testing.M) int {
	shared := filepath.Join(Root(), "bin", "test")
	if err := os.MkdirAll(shared, 0o750); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	removeLeft(shared)
	dir, err := os.MkdirTemp(shared, fmt.Sprintf("%s%d-", prefix, os.Getpid()))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := build(Root(), shared, dir); err != nil {
		fmt.Fprintln(os.Stderr, "build the programs:", err)
		return 1
	}
	if err := os.Setenv(programs, dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// removeLeft removes the folders of tests that were killed.
func removeLeft(shared string) {
	left, _ := filepath.Glob(filepath.Join(shared, prefix+"*")) // the pattern is a good one
	for _, dir := range left {
		var pid int
		if _, err := fmt.Sscanf(filepath.Base(dir), prefix+"%d-", &pid); err == nil && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			_ = os.RemoveAll(dir) // the next one tries again
		}
	}
}

// build builds the programs of a checkout into a folder that all packages share, so that they are linked once for each
// state of the sources, and links them (as files) into the package's own: a later build replaces the shared files, and
// leaves the package those that it began with.
func build(root, shared, own string) (err error) {
	lock, err := os.Create(filepath.Join(shared, "lock"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }() // gives the lock up, too
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return fmt.Errorf("lock %s: %w", lock.Name(), err)
	}
	built := filepath.Join(shared, "programs")
	if err := os.MkdirAll(built, 0o750); err != nil {
		return err
	}
	// go build itself detects whether the programs are up to date.
	cmd := exec.CommandContext(context.Background(), "go", "build", "-buildvcs=false", "-o", built+string(filepath.Separator), "./cmd/...")
	cmd.Dir = root
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return err
	}
	files, err := os.ReadDir(built)
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := os.Link(filepath.Join(built, file.Name()), filepath.Join(own, file.Name())); err != nil {
			return err
		}
	}
	return nil
}

// Root returns the folder of the checkout.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..")
}

// Workload returns the file of one of YCSB's own workloads, such as "workloada".
func Workload(name string) string {
	return filepath.Join(Root(), "internal", "spec", "testdata", "ycsb", name)
}

// Program returns the path of a program of benchd; others need their full path.
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
