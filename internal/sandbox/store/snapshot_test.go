package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/sandbox/store"
)

func TestASnapshotIsRestoredAfterChangesAndARestart(t *testing.T) {
	dir := t.TempDir()
	s, err := store.Open(store.Options{Dir: dir})
	require.NoError(t, err)
	r := created(t, s, [][]byte{[]byte("m")}, store.Family{Name: "f", MaxVersions: 2})
	require.NoError(t, r.Mutate(put("a", "x", "1"), nil))
	require.NoError(t, s.TakeSnapshot(users(), "base"))
	require.ErrorIs(t, s.TakeSnapshot(users(), "base"), store.ErrSnapshotExists)
	require.ErrorIs(t, s.TakeSnapshot(store.Name{Qualifier: "none"}, "other"), store.ErrTableNotFound)
	require.NoError(t, r.Mutate(put("a", "x", "2"), nil))
	require.NoError(t, r.Mutate(put("b", "y", "3"), nil))
	_, _, err = r.Split([]byte("c"))
	require.NoError(t, err)
	_, err = s.RestoreSnapshot(users(), "base")
	require.ErrorIs(t, err, store.ErrTableEnabled)
	taken := s.Snapshots()
	require.NoError(t, s.Close())

	s, err = store.Open(store.Options{Dir: dir})
	require.NoError(t, err)
	require.Equal(t, taken, s.Snapshots())
	require.NoError(t, s.SetTableState(users(), store.Disabled))
	_, err = s.RestoreSnapshot(users(), "none")
	require.ErrorIs(t, err, store.ErrSnapshotNotFound)
	for range 2 { // a snapshot is not used up
		regions, err := s.RestoreSnapshot(users(), "base")
		require.NoError(t, err)
		require.Len(t, regions, 2, "the table has the regions of the snapshot")
		require.Equal(t, []string{"x=1"}, values(t, regions[0], "a"))
		require.Empty(t, values(t, regions[0], "b"))
		table, err := s.Table(users())
		require.NoError(t, err)
		require.Equal(t, store.Disabled, table.State)
		require.NoError(t, regions[0].Mutate(put("a", "x", "4"), nil))
	}
	require.NoError(t, s.Close())

	s = open(t, store.Options{Dir: dir})
	regions, err := s.Regions(users())
	require.NoError(t, err)
	require.Equal(t, []string{"x=4"}, values(t, regions[0], "a"))
	require.NoError(t, s.DeleteTable(users()))
	created(t, s, nil)
	require.NoError(t, s.SetTableState(users(), store.Disabled))
	regions, err = s.RestoreSnapshot(users(), "base")
	require.NoError(t, err, "a snapshot outlives its table")
	require.Equal(t, []string{"x=1"}, values(t, regions[0], "a"))
	require.NoError(t, s.DeleteSnapshot("base"))
	require.ErrorIs(t, s.DeleteSnapshot("base"), store.ErrSnapshotNotFound)
	require.Empty(t, s.Snapshots())
}

// A snapshot that does not fit into memory leaves nothing behind.
func TestASnapshotNeedsRoom(t *testing.T) {
	s := open(t, store.Options{MaxBytes: 6 << 20})
	r := created(t, s, nil)
	value := make([]byte, 1<<20)
	for _, row := range []string{"a", "b", "c", "d"} {
		require.NoError(t, r.Mutate(put(row, "x", string(value)), nil))
	}
	require.NoError(t, s.Flush())
	require.ErrorIs(t, s.TakeSnapshot(users(), "base"), store.ErrFull)
	require.Empty(t, s.Snapshots())
}
