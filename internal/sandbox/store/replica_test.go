package store_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/sandbox/store"
)

// A replica returns the cells of one instant, until they are too old; scanners keep theirs.
func TestReplicasReadThePast(t *testing.T) {
	var now atomic.Int64
	r := created(t, open(t, store.Options{ReplicaAge: time.Second, Now: func() time.Time { return time.UnixMilli(now.Load()) }}), nil)
	past := func() int {
		var found store.Result
		require.NoError(t, r.GetPast(&store.Get{Row: []byte("a")}, &found))
		return len(found.Cells)
	}
	require.Zero(t, past())
	older, err := r.ScanPast(store.Scan{})
	require.NoError(t, err)
	require.NoError(t, r.Mutate(put("a", "x", "1"), nil))
	require.Zero(t, past())
	require.Len(t, values(t, r, "a"), 1)
	now.Store(1000)
	require.Equal(t, 1, past())
	var page store.Page
	_, err = older.Next(store.Limits{}, &page)
	require.NoError(t, err)
	require.Empty(t, page.Rows)
	require.NoError(t, older.Close())
	newer, err := r.ScanPast(store.Scan{})
	require.NoError(t, err)
	_, err = newer.Next(store.Limits{}, &page)
	require.NoError(t, err)
	require.Len(t, page.Rows, 1)
	require.NoError(t, newer.Close())
	_, err = r.ScanPast(store.Scan{Read: store.Read{Columns: []store.Columns{{Family: "none"}}}})
	require.ErrorIs(t, err, store.ErrNoFamily)
}
