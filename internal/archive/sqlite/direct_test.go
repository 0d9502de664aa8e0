package sqlite

import (
	"database/sql"
	"database/sql/driver"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive/archivetest"
	"github.com/benchd/benchd/internal/latency"
)

// A connection that has failed is replaced, with all that is prepared on it.
func TestWindowsAreAddedOnANewConnection(t *testing.T) {
	a := openIn(t, t.TempDir())
	run := archivetest.Create(t, a, "s")
	window := func(seq int) latency.Window {
		return archivetest.WindowOf(latency.WindowID{Run: run, Phase: "measure", Attempt: 1, Seq: seq}, 10)
	}
	connection := func() (on any) {
		conn, err := a.writer.Conn(t.Context())
		require.NoError(t, err)
		require.NoError(t, conn.Raw(func(raw any) error { on = raw; return nil }))
		require.NoError(t, conn.Close())
		return on
	}
	archivetest.Add(t, a, window(0))
	before := connection()

	conn, err := a.writer.Conn(t.Context())
	require.NoError(t, err)
	require.ErrorIs(t, conn.Raw(func(any) error { return driver.ErrBadConn }), driver.ErrBadConn)
	require.ErrorIs(t, conn.Close(), sql.ErrConnDone)
	require.NotSame(t, before, connection())

	archivetest.Add(t, a, window(1), window(2))
	n := 0
	for _, err := range a.Windows(t.Context(), run) {
		require.NoError(t, err)
		n++
	}
	require.Equal(t, 3, n)
}

// An argument that equals that of the row before is not allocated again, and one that differs replaces it.
func TestArgumentsOfARowAreReused(t *testing.T) {
	var d direct
	blob := []byte{1}
	row := func(n int64, text string) {
		d.row().int(n, 1<<40).text(text).real(0.5).bool(true).blob(blob).null(1)
	}
	values := func() (list []any) {
		for i, a := range d.args[:d.next] {
			require.Equal(t, i+1, a.Ordinal)
			list = append(list, a.Value)
		}
		return list
	}
	row(1<<41, "READ")
	require.Equal(t, []any{int64(1 << 41), int64(1 << 40), "READ", 0.5, true, blob, nil}, values())
	row(3, "SCAN")
	require.Equal(t, []any{int64(3), int64(1 << 40), "SCAN", 0.5, true, blob, nil}, values())
	require.NoError(t, d.row().json(0, nil))
	require.NoError(t, d.json(1, []string{"a"}))
	require.Equal(t, []any{nil, `["a"]`}, values())
	require.InDelta(t, 1, testing.AllocsPerRun(100, func() { row(3, "SCAN") }), 0, "the slice of the blob")
}
