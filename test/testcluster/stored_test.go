package testcluster

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A search that does not look into packed files would find no secret.
func TestStoredFilesAreUnpacked(t *testing.T) {
	text := strings.Repeat("a text that is packed ", 10)
	for name, pack := range map[string]func(io.Writer) io.WriteCloser{
		"gzip": func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		"zlib": func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
	} {
		packed := bytes.NewBufferString("before it")
		w := pack(packed)
		_, err := io.WriteString(w, text)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		stored(t, name, append(packed.Bytes(), "behind it"...), text)
	}
	var book bytes.Buffer
	z := zip.NewWriter(&book)
	w, err := z.Create("sheet1.xml")
	require.NoError(t, err)
	_, err = io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	stored(t, "zip", book.Bytes(), text)
}

func stored(t *testing.T, name string, content []byte, text string) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), content, 0o600))
	require.NotContains(t, string(content), text, name)
	require.Contains(t, string(Stored(t, dir)), text, name)
	require.Contains(t, string(Stored(t, dir)), dir, "paths are searched, too")
}
