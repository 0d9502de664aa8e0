package coordinator

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/trace"
	"github.com/benchd/benchd/internal/wire"
	"github.com/benchd/benchd/internal/workload"
)

// traceOf returns a trace of n reads, and its card.
func traceOf(t *testing.T, n int) ([]byte, trace.Card) {
	t.Helper()
	var file bytes.Buffer
	w, err := trace.NewWriter(&file)
	require.NoError(t, err)
	for i := range n {
		require.NoError(t, w.Add(trace.Entry{At: int64(i), Kind: workload.Read, Key: []byte("key" + strconv.Itoa(i))}))
	}
	card, err := w.Close(trace.Info{})
	require.NoError(t, err)
	return file.Bytes(), card
}

// inPieces returns the file in pieces, and then an error.
func inPieces(file []byte, end error) func() ([]byte, error) {
	return func() ([]byte, error) {
		if len(file) == 0 {
			return nil, end
		}
		piece := file[:min(len(file), 1000)]
		file = file[len(piece):]
		return piece, nil
	}
}

func TestATraceThatIsNotWholeIsNotKept(t *testing.T) {
	file, card := traceOf(t, 5000)
	another, _ := traceOf(t, 5001)
	damaged := bytes.Clone(file)
	damaged[len(damaged)/3] ^= 1
	lost := errors.New("the connection is lost")
	for name, test := range map[string]struct {
		next func() ([]byte, error)
		want error
	}{
		"nothing":          {inPieces(nil, io.EOF), wire.ErrBadSpec},
		"its first half":   {inPieces(file[:len(file)/2], io.EOF), wire.ErrBadSpec},
		"a changed bit":    {inPieces(damaged, io.EOF), wire.ErrBadSpec},
		"another trace":    {inPieces(another, io.EOF), wire.ErrBadSpec},
		"a lost client":    {inPieces(file[:len(file)/2], lost), lost},
		"more than a file": {inPieces(append(bytes.Clone(file), 0), io.EOF), wire.ErrBadSpec},
	} {
		t.Run(name, func(t *testing.T) {
			c := &Coordinator{config: Config{DataDir: t.TempDir()}}
			require.ErrorIs(t, c.receiveTrace(card, test.next), test.want)
			left, err := os.ReadDir(filepath.Dir(c.traceFile("")))
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}

func TestATraceIsSentAsItWasReceived(t *testing.T) {
	file, card := traceOf(t, 5000)
	c := &Coordinator{config: Config{DataDir: t.TempDir()}, clock: clock.NewSource(clock.Skew{})}
	require.NoError(t, c.receiveTrace(card, inPieces(file, io.EOF)))
	var got []byte
	keep := func(piece []byte) error {
		got = append(got, piece...)
		return nil
	}
	require.NoError(t, c.sendTrace(t.Context(), card.ID(), keep))
	require.Equal(t, file, got)
	require.ErrorIs(t, c.sendTrace(t.Context(), "0123456789abcdef", keep), wire.ErrNotFound)
	for _, id := range []string{"", ".", "..", "../benchd.db", "/etc/passwd", "a/b"} {
		require.Error(t, c.sendTrace(t.Context(), id, keep), id)
	}
}
