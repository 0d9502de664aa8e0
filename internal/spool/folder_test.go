package spool

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// tidy makes a folder with a mode that does not depend on the tester's umask.
func tidy(t *testing.T, dir string, mode fs.FileMode) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o700))
	require.NoError(t, os.Chmod(dir, mode))
	return dir
}

func TestAFolderIsMadeForThisUserAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	for range 2 { // the second time it exists
		root, err := Folder(dir)
		require.NoError(t, err)
		require.NoError(t, root.Close())
	}
	info, err := os.Stat(dir)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o700), info.Mode().Perm())

	base := tidy(t, filepath.Join(t.TempDir(), "tmp"), 0o777) // as /tmp
	root, err := FolderBelow(base, "benchd/spool")
	require.NoError(t, err)
	require.Equal(t, filepath.Join(base, "benchd", "spool"), root.Name())
	require.NoError(t, root.Close())
}

// The temporary directory is everybody's: another user can make the folder first, and wait for the measurements.
func TestAFolderThatOthersCanChangeIsRefused(t *testing.T) {
	for name, test := range map[string]struct {
		plant   func(t *testing.T, base string)
		problem string
		given   bool // the same folder is refused if the operator names it
	}{
		"a link to a folder elsewhere": {func(t *testing.T, base string) {
			require.NoError(t, os.Symlink(tidy(t, filepath.Join(base, "theirs"), 0o700), filepath.Join(base, "spool")))
		}, "is a symbolic link", false},
		"a link to nothing": {func(t *testing.T, base string) {
			require.NoError(t, os.Symlink(filepath.Join(base, "nothing"), filepath.Join(base, "spool")))
		}, "is a symbolic link", false},
		"a folder that all can write":  {func(t *testing.T, base string) { tidy(t, filepath.Join(base, "spool"), 0o777) }, "may be written by others (mode 0777)", true},
		"a folder that a group writes": {func(t *testing.T, base string) { tidy(t, filepath.Join(base, "spool"), 0o770) }, "may be written by others (mode 0770)", true},
		"a file": {func(t *testing.T, base string) {
			require.NoError(t, os.WriteFile(filepath.Join(base, "spool"), nil, 0o600))
		}, "not a directory", true},
		"a folder of another user":      {plantForeign, foreignProblem(), os.Geteuid() == 0},
		"a folder beyond a planted one": {plantParent, foreignProblem(), false},
	} {
		t.Run(name, func(t *testing.T) {
			base := tidy(t, filepath.Join(t.TempDir(), "tmp"), 0o777)
			test.plant(t, base)
			dir := filepath.Join(base, "spool")
			if name == "a folder beyond a planted one" {
				dir = filepath.Join(dir, "spool")
			}
			path, err := filepath.Rel(base, dir)
			require.NoError(t, err)
			_, err = FolderBelow(base, path)
			require.ErrorContains(t, err, test.problem)
			require.ErrorContains(t, CheckBelow(base, path), test.problem)
			if test.given {
				require.ErrorContains(t, Check(dir), test.problem)
				_, err = Folder(dir)
				require.ErrorContains(t, err, test.problem)
			}
		})
	}
	_, err := FolderBelow(t.TempDir(), "../x")
	require.Error(t, err)
}

// A check accepts what an agent would make or use, and makes nothing.
func TestACheckMakesNothing(t *testing.T) {
	base := tidy(t, filepath.Join(t.TempDir(), "tmp"), 0o777)
	require.NoError(t, CheckBelow(base, "benchd/spool"))
	require.NoError(t, CheckBelow(filepath.Join(base, "none"), "benchd/spool"))
	require.NoError(t, Check(filepath.Join(base, "benchd")))
	require.NoDirExists(t, filepath.Join(base, "benchd"))
	tidy(t, filepath.Join(base, "benchd", "spool"), 0o700)
	require.NoError(t, CheckBelow(base, "benchd/spool"))
	require.NoError(t, Check(filepath.Join(base, "benchd", "spool")))
}

// plantForeign makes the folder of another user, or without the right to do that a link, which only another user would make.
func plantForeign(t *testing.T, base string) {
	t.Helper()
	dir := filepath.Join(base, "spool")
	if os.Geteuid() != 0 {
		require.NoError(t, os.Symlink(tidy(t, filepath.Join(base, "theirs"), 0o700), dir))
		return
	}
	require.NoError(t, os.Chown(tidy(t, dir, 0o755), 12345, 12345))
}

func plantParent(t *testing.T, base string) {
	t.Helper()
	plantForeign(t, base)
	tidy(t, filepath.Join(base, "spool", "spool"), 0o700)
}

func foreignProblem() string {
	if os.Geteuid() != 0 {
		return "is a symbolic link"
	}
	return "belongs to user 12345 instead of user 0"
}

func TestTheErrorOfAFolderNamesTheCure(t *testing.T) {
	_, err := Folder(tidy(t, filepath.Join(t.TempDir(), "spool"), 0o777))
	var refused *FolderError
	require.ErrorAs(t, err, &refused)
	require.ErrorContains(t, err, "--spool DIR")
	require.ErrorContains(t, err, refused.Dir)
}

// A file that was planted while others could write to the folder redirects nothing.
func TestPlantedLinksInASpoolAreNotFollowed(t *testing.T) {
	for _, name := range []string{lockName, segmentName(1)} {
		t.Run(name, func(t *testing.T) {
			outside := filepath.Join(t.TempDir(), "victim")
			require.NoError(t, os.WriteFile(outside, []byte("precious"), 0o600))
			dir := tidy(t, filepath.Join(t.TempDir(), "spool"), 0o700)
			require.NoError(t, os.Symlink(outside, filepath.Join(dir, name)))
			s, err := tryOpen(dir, Options{})
			if err == nil {
				_, err = s.Add(record(1))
				require.NoError(t, s.Close())
			}
			require.Error(t, err)
			content, err := os.ReadFile(outside)
			require.NoError(t, err)
			require.Equal(t, "precious", string(content))
		})
	}
}
