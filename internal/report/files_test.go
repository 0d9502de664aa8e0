package report_test

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/report"
)

func write(t *testing.T, f *report.Files, path, text string) {
	t.Helper()
	w, err := f.Create(path)
	require.NoError(t, err)
	_, err = w.Write([]byte(text))
	require.NoError(t, err)
}

func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	all := make(map[string]string)
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		all[e.Name()] = string(text)
	}
	return all
}

func TestFilesAppearTogetherOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	f := report.NewFiles(false)
	write(t, f, a, "1")
	write(t, f, b, "2")
	_, err := f.Create(a)
	require.ErrorContains(t, err, "twice")
	require.NotContains(t, contents(t, dir), "a")
	require.NoError(t, f.Commit())
	require.Equal(t, []string{a, b}, f.Paths())
	f.Discard()
	require.Equal(t, map[string]string{"a": "1", "b": "2"}, contents(t, dir))
	info, err := os.Stat(a)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o644), info.Mode())

	f = report.NewFiles(false)
	_, err = f.Create(b)
	require.ErrorIs(t, err, fs.ErrExist)
	require.ErrorContains(t, err, "--force")
	write(t, f, filepath.Join(dir, "c"), "3")
	write(t, f, filepath.Join(dir, "d"), "4")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "d"), []byte("somebody was quicker"), 0o600))
	require.ErrorIs(t, f.Commit(), fs.ErrExist)
	f.Discard()
	require.Equal(t, map[string]string{"a": "1", "b": "2", "d": "somebody was quicker"}, contents(t, dir), "c is not left alone")

	f = report.NewFiles(true)
	write(t, f, b, "new")
	f.Discard()
	require.Equal(t, "2", contents(t, dir)["b"])
	f = report.NewFiles(true)
	write(t, f, b, "new")
	require.NoError(t, f.Commit())
	f.Discard()
	require.Equal(t, map[string]string{"a": "1", "b": "new", "d": "somebody was quicker"}, contents(t, dir))

	f = report.NewFiles(false)
	copied, err := f.Create(filepath.Join(dir, "copied"))
	require.NoError(t, err)
	_, err = io.Copy(copied, struct{ io.Reader }{strings.NewReader("from another file")})
	require.NoError(t, err)
	require.NoError(t, f.Commit())
	f.Discard()
	require.Equal(t, "from another file", contents(t, dir)["copied"])

	_, err = report.NewFiles(false).Create(filepath.Join(dir, "none", "x"))
	require.ErrorIs(t, err, fs.ErrNotExist)
}
