package testcluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProgramsAreLinkedOnceForEachStateOfTheSources(t *testing.T) {
	root, shared := t.TempDir(), t.TempDir()
	source := func(text string) {
		t.Helper()
		require.NoError(t, os.MkdirAll(filepath.Join(root, "cmd", "x"), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), []byte("module example.com/x\n\ngo 1.26\n"), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(root, "cmd", "x", "main.go"),
			[]byte("package main\n\nfunc main() { print(\""+text+"\") }\n"), 0o600))
	}
	program := func() string {
		t.Helper()
		own := t.TempDir()
		require.NoError(t, build(root, shared, own))
		return filepath.Join(own, "x")
	}
	prints := func(program string) string {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), program).CombinedOutput()
		require.NoError(t, err)
		return string(out)
	}
	same := func(a, b string) bool {
		t.Helper()
		x, err := os.Stat(a)
		require.NoError(t, err)
		y, err := os.Stat(b)
		require.NoError(t, err)
		return os.SameFile(x, y)
	}

	source("one")
	first, second := program(), program()
	require.Equal(t, "one", prints(first))
	require.True(t, same(first, second), "it was not linked again")
	source("two")
	third := program()
	require.Equal(t, "two", prints(third), "the earlier build is not used for it")
	require.Equal(t, "one", prints(first), "a package keeps the programs of its start")
}

func TestFoldersOfTestsThatWereKilledAreRemoved(t *testing.T) {
	shared := t.TempDir()
	ended := exec.CommandContext(t.Context(), "true")
	require.NoError(t, ended.Run())
	killed := filepath.Join(shared, fmt.Sprintf("run-%d-1", ended.Process.Pid))
	working := filepath.Join(shared, fmt.Sprintf("run-%d-2", os.Getpid()))
	require.NoError(t, os.Mkdir(killed, 0o700))
	require.NoError(t, os.Mkdir(working, 0o700))
	removeLeft(shared)
	require.NoDirExists(t, killed)
	require.DirExists(t, working)
}
