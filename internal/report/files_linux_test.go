package report

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A full disk is an error with the name of the file and the cure, also in the middle of a large file, and nothing remains.
func TestFilesOnAFullDisk(t *testing.T) {
	for name, size := range map[string]int{"small": 10, "large": 1 << 20} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			f := NewFiles(false)
			w, err := f.Create(filepath.Join(dir, "x.md"))
			require.NoError(t, err)
			require.NoError(t, os.Remove(f.open[0].temp.Name()))
			require.NoError(t, f.open[0].temp.Close())
			full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
			require.NoError(t, err)
			f.open[0].temp = full
			if _, err = w.Write([]byte(strings.Repeat("x", size))); err == nil {
				err = f.Commit()
			}
			require.ErrorIs(t, err, syscall.ENOSPC)
			require.EqualError(t, err, "write "+filepath.Join(dir, "x.md")+": no space left on device; choose another directory")
			f.open = nil // not /dev/full
			require.NoError(t, full.Close())
			entries, err := os.ReadDir(dir)
			require.NoError(t, err)
			require.Empty(t, entries)
		})
	}
}
