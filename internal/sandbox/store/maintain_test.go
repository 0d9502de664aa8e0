package store_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/sandbox/store"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

// entries counts all versions and markers of a region.
func entries(t *testing.T, r *store.Region) int {
	t.Helper()
	sc, err := r.Scan(store.Scan{Read: store.Read{Raw: true, MaxVersions: 1 << 30}})
	require.NoError(t, err)
	defer sc.Close()
	n := 0
	for more := true; more; {
		var page store.Page
		more, err = sc.Next(store.Limits{Rows: 100}, &page)
		require.NoError(t, err)
		n += len(page.Cells)
	}
	return n
}

func TestAMajorCompactionRemovesInvisibleCells(t *testing.T) {
	r := created(t, open(t, store.Options{TidyBytes: -1}), nil)
	for i := range 5 {
		m := put("r", "x", strconv.Itoa(i))
		m.Cells[0].Timestamp = int64(i + 1)
		require.NoError(t, r.Mutate(m, nil))
	}
	require.NoError(t, r.Mutate(put("s", "x", "1"), nil))
	require.NoError(t, r.Mutate(remove("s", "x", protocol.TypeDeleteColumn, protocol.LatestTimestamp), nil))
	require.Equal(t, 7, entries(t, r))
	require.NoError(t, r.Compact(false))
	require.Equal(t, 7, entries(t, r), "a minor compaction removes nothing")
	require.NoError(t, r.Compact(true))
	require.Equal(t, 1, entries(t, r))
	require.Equal(t, []string{"x=4"}, values(t, r, "r"))
}

// Invisible versions do not pile up without a requested compaction; markers stay, because they may hide later writes.
func TestOverwrittenVersionsAreRemoved(t *testing.T) {
	r := created(t, open(t, store.Options{TidyBytes: 1 << 14}), nil)
	require.NoError(t, r.Mutate(remove("r", "y", protocol.TypeDeleteColumn, 1000), nil))
	for i := range 5000 {
		m := put("r", "x", "a value")
		m.Cells[0].Timestamp = int64(i + 1)
		require.NoError(t, r.Mutate(m, nil))
	}
	require.Eventually(t, func() bool {
		m := put("r", "x", "a value")
		m.Cells[0].Timestamp = 5001
		require.NoError(t, r.Mutate(m, nil))
		return entries(t, r) < 2500
	}, time.Minute, time.Millisecond)
	late := put("r", "y", "late")
	late.Cells[0].Timestamp = 999
	require.NoError(t, r.Mutate(late, nil))
	require.Equal(t, []string{"x=a value"}, values(t, r, "r"))
}

func TestFiguresDescribeARegion(t *testing.T) {
	r := created(t, open(t, store.Options{}), nil)
	value := string(make([]byte, 1000))
	for i := range 100 {
		require.NoError(t, r.Mutate(put(fmt.Sprintf("%03d", i), "x", value), nil))
	}
	f, err := r.Figures()
	require.NoError(t, err)
	require.Equal(t, int64(100), f.Writes)
	require.Greater(t, f.MemStoreBytes, int64(100_000))
	require.Zero(t, f.StoreFiles)
	require.NoError(t, r.Flush())
	f, err = r.Figures()
	require.NoError(t, err)
	require.Zero(t, f.MemStoreBytes)
	require.Equal(t, 1, f.StoreFiles)
	require.Positive(t, f.StoreFileBytes)

	at, err := r.SplitPoint()
	require.NoError(t, err)
	require.Equal(t, "050", string(at))
	low, high, err := r.Split(at)
	require.NoError(t, err)
	for _, half := range []*store.Region{low, high} {
		f, err := half.Figures()
		require.NoError(t, err)
		require.Equal(t, 1, f.StoreFiles, "both regions share one file")
	}
	_, err = r.SplitPoint()
	require.ErrorIs(t, err, store.ErrRegionGone)
}

func TestAStoreInMemoryIsBounded(t *testing.T) {
	s := open(t, store.Options{MaxBytes: 5 << 20, MemTableBytes: 512 << 10})
	r := created(t, s, nil)
	value := make([]byte, 100<<10)
	for i := range value {
		value[i] = byte(i * i >> 3)
	}
	var err error
	written := 0
	for ; err == nil && written < 10_000; written++ {
		err = r.Mutate(put(fmt.Sprintf("%05d", written), "x", string(value)), nil)
	}
	require.ErrorIs(t, err, store.ErrFull)
	require.Equal(t, []string{"x=" + string(value)}, values(t, r, "00000"), "existing rows can be read")
	require.NoError(t, s.SetTableState(users(), store.Disabled))
	regions, err := s.TruncateTable(users(), false)
	require.NoError(t, err)
	require.NoError(t, s.Flush())
	require.Eventually(t, func() bool { return regions[0].Mutate(put("a", "x", "1"), nil) == nil }, time.Minute, time.Millisecond)
}

func TestATooLargeRowIsReadInParts(t *testing.T) {
	r := created(t, open(t, store.Options{MaxRowBytes: 2000}), nil)
	for i := range 30 {
		require.NoError(t, r.Mutate(put("r", fmt.Sprintf("%02d", i), string(make([]byte, 100))), nil))
	}
	require.ErrorIs(t, r.Get(&store.Get{Row: []byte("r")}, &store.Result{}), store.ErrTooLarge)
	sc, err := r.Scan(store.Scan{Batch: 10})
	require.NoError(t, err)
	defer sc.Close()
	cells := 0
	for more := true; more; {
		var page store.Page
		more, err = sc.Next(store.Limits{Rows: 1}, &page)
		require.NoError(t, err)
		cells += len(page.Cells)
	}
	require.Equal(t, 30, cells)
}
