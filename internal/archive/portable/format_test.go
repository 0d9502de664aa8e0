package portable

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
)

// The reader refuses any invalid input with an error of its own kinds, and takes no more memory than the input's length.
func FuzzReader(f *testing.F) {
	var file bytes.Buffer
	w, err := NewWriter(&file, []Table{{"suite", []string{"id", "name"}}, {"window", []string{"seq", "idle", "blob"}}})
	require.NoError(f, errors.Join(err, w.Row(0, []any{"S", nil}), w.Row(1, []any{int64(-7), 0.25, []byte{1, 2, 3}}), w.End()))
	f.Add(file.Bytes())
	f.Add([]byte(formatMagic + "\x01\x01\x01t\x01\x01c\x01\x04\xff\xff\xff\x0f"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := NewReader(bytes.NewReader(data))
		size := 0
		for err == nil {
			var values []any
			_, values, err = r.Next()
			for _, v := range values {
				switch v := v.(type) {
				case string:
					size += len(v)
				case []byte:
					size += len(v)
				}
			}
		}
		require.LessOrEqual(t, size, len(data))
		if !errors.Is(err, io.EOF) && !errors.Is(err, archive.ErrDamaged) && !errors.Is(err, archive.ErrNewer) {
			require.NoError(t, err)
		}
	})
}
