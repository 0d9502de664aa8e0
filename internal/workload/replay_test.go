package workload

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// An operation of a trace has its key and its size; what a trace does not know is drawn.
func TestOperationsOfATrace(t *testing.T) {
	cfg := core()
	cfg.Proportions, cfg.FieldCount, cfg.FieldLength, cfg.IncrementBy = everything(), 3, 10, 7
	g := shard(t, cfg, false, 0).Generator(0)
	key := []byte("row")
	var op Op
	for _, kind := range []Kind{Update, Insert, CheckAndPut, Append, ReadModifyWrite} {
		for _, size := range []int{1, 500, 20, 100_000} {
			g.Replay(&op, kind, key, size, 0)
			require.Equal(t, kind, op.Kind)
			require.Equal(t, key, op.Key)
			require.Equal(t, [][]byte{[]byte("field0")}, op.Fields, kind)
			require.Len(t, op.Values, 1)
			require.Len(t, op.Values[0], size)
		}
	}
	g.Replay(&op, Insert, key, 0, 0)
	require.Len(t, op.Fields, 3, "without a size the row is that of the workload")
	require.Len(t, op.Values, 3)
	g.Replay(&op, Update, key, 0, 0)
	require.Len(t, op.Values, 1)
	require.Len(t, op.Values[0], 10)
	g.Replay(&op, Scan, key, 0, 42)
	require.Equal(t, 42, op.ScanLength)
	g.Replay(&op, Scan, key, 0, 0)
	require.Positive(t, op.ScanLength)
	g.Replay(&op, Increment, key, 0, 0)
	require.EqualValues(t, 7, op.Delta)
	g.Replay(&op, Delete, key, 0, 0)
	require.Equal(t, Op{Kind: Delete, Key: key}, op)
	g.Done(&op, Outcome{Code: OK})
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		g.Replay(&op, Update, key, 50_000, 0)
		g.Replay(&op, Scan, key, 0, 0)
	}))
}
