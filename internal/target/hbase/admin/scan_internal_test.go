package admin

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

// A busy server may end a scan of hbase:meta before it finds a row. That does not mean that the table is missing.
func TestAScanThatEndsEarlyDoesNotReportAMissingTable(t *testing.T) {
	_, ok, err := scanAnswer{heartbeat: true, more: true}.first()
	require.False(t, ok)
	require.ErrorIs(t, err, errNoRowYet)

	_, ok, err = scanAnswer{}.first()
	require.False(t, ok)
	require.NoError(t, err)

	found, ok, err := scanAnswer{heartbeat: true, rows: [][]protocol.Cell{{{Row: []byte("t,,1.")}}}}.first()
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "t,,1.", string(found.key))
}
