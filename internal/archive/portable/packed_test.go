//go:build !race

package portable

import (
	"bytes"
	"compress/gzip"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
)

// A small file must not unpack to one that fills the disk.
func TestAFileThatUnpacksTooLargeIsRefused(t *testing.T) {
	unpack := func(size int64) (int64, error) {
		var file bytes.Buffer
		zip := gzip.NewWriter(&file)
		_, err := io.CopyN(zip, zeros{}, size)
		require.NoError(t, err)
		require.NoError(t, zip.Close())
		counted := &countedReader{in: &file}
		in, err := gzip.NewReader(counted)
		require.NoError(t, err)
		return io.Copy(io.Discard, &plainReader{zip: in, packed: counted})
	}
	n, err := unpack(2 * ratioFrom)
	require.ErrorIs(t, err, archive.ErrDamaged)
	require.ErrorContains(t, err, "more than 100 times as large as the file")
	require.LessOrEqual(t, n, int64(ratioFrom))
	n, err = unpack(ratioFrom / 8)
	require.NoError(t, err, "a small content may be packed well")
	require.EqualValues(t, ratioFrom/8, n)
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}
