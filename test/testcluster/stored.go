package testcluster

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Stored returns the paths and the contents of all files below a folder, with all that is compressed in them: what a search for secrets
// looks through.
func Stored(t *testing.T, dir string) []byte {
	t.Helper()
	var all []byte
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		all = append(append(all, path...), unpacked(t, content)...)
		return err
	}))
	require.NotEmpty(t, all, dir)
	return all
}

// unpacked returns a content with all that is compressed in it: by gzip, as an exported suite is, by zlib, as histograms are, or by ZIP,
// as a workbook is.
func unpacked(t *testing.T, content []byte) []byte {
	t.Helper()
	out := bytes.Clone(content)
	if z, err := zip.NewReader(bytes.NewReader(content), int64(len(content))); err == nil {
		for _, f := range z.File {
			r, err := f.Open()
			require.NoError(t, err)
			part, err := io.ReadAll(r)
			require.NoError(t, err)
			out = append(out, part...)
		}
		return out
	}
	for i := range content {
		var r io.Reader
		var err error
		switch rest := content[i:]; {
		case bytes.HasPrefix(rest, []byte{0x1f, 0x8b, 8}):
			r, err = gzip.NewReader(bytes.NewReader(rest))
		case rest[0] == 0x78:
			r, err = zlib.NewReader(bytes.NewReader(rest))
		default:
			continue
		}
		if err == nil {
			part, _ := io.ReadAll(r) // what looks like it need not be
			out = append(out, part...)
		}
	}
	return out
}
