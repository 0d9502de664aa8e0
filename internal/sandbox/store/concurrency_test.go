package store_test

import (
	"encoding/binary"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/sandbox/filter"
	"github.com/benchd/benchd/internal/sandbox/store"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

func number(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

func of(row, qualifier string, value []byte, kind store.Kind) *store.Mutation {
	m := put(row, qualifier, string(value))
	m.Kind = kind
	return m
}

func one(t testing.TB, r *store.Region, row, qualifier string) []byte {
	t.Helper()
	var found store.Result
	require.NoError(t, r.Get(&store.Get{
		Row: []byte(row), Read: store.Read{Columns: []store.Columns{{Family: "f", Qualifiers: [][]byte{[]byte(qualifier)}}}},
	}, &found))
	require.Len(t, found.Cells, 1)
	return append([]byte(nil), found.Cells[0].Value...)
}

func TestSumsOfManyWritersAreExact(t *testing.T) {
	const writers, rounds = 8, 200
	for where, dir := range map[string]string{"in memory": "", "in a folder": t.TempDir()} {
		t.Run(where, func(t *testing.T) {
			r := created(t, open(t, store.Options{Dir: dir}), nil)
			require.NoError(t, r.Mutate(of("r", "checked", number(0), store.Put), nil))
			require.NoError(t, r.Mutate(of("r", "text", []byte("|"), store.Put), nil))
			var all sync.WaitGroup
			for w := range writers {
				all.Go(func() {
					var after store.Result
					for i := range rounds {
						m := of("r", "counted", number(1), store.Increment)
						m.Durability = store.Unsynced
						if i%2 == 0 {
							require.NoError(t, r.Mutate(m, &after))
						} else {
							require.NoError(t, r.Batch([]*store.Mutation{m}, []*store.Result{&after})[0])
						}
						require.Len(t, after.Cells, 1)
						a := of("r", "text", []byte{byte('a' + w)}, store.Append)
						a.Durability = store.Unsynced
						require.NoError(t, r.Mutate(a, nil))
						for added := false; !added; {
							was := one(t, r, "r", "checked")
							next := of("r", "checked", number(binary.BigEndian.Uint64(was)+1), store.Put)
							next.Durability = store.Unsynced
							var err error
							added, err = r.CheckAndMutate(&store.Check{
								Row: []byte("r"), Family: []byte("f"), Qualifier: []byte("checked"), Compare: filter.Equal, Comparator: filter.Binary(was),
							}, []*store.Mutation{next}, nil)
							require.NoError(t, err)
						}
					}
				})
			}
			all.Wait()
			require.Equal(t, number(writers*rounds), one(t, r, "r", "counted"))
			require.Equal(t, number(writers*rounds), one(t, r, "r", "checked"))
			require.Len(t, one(t, r, "r", "text"), 1+writers*rounds)
		})
	}
}

// Each write sets two rows to the same number, so a view that mixes two points in time shows a difference.
func TestReadersSeeAtomicWritesAndScannersOnePointInTime(t *testing.T) {
	s := open(t, store.Options{TidyBytes: 1 << 12})
	r := created(t, s, nil)
	write := func(n uint64) {
		for _, err := range []error{
			r.MutateRows([]*store.Mutation{of("a", "x", number(n), store.Put), of("b", "x", number(n), store.Put)}),
			r.Mutate(&store.Mutation{Row: []byte("c"), Cells: []protocol.Cell{
				{Family: []byte("f"), Qualifier: []byte("x"), Timestamp: protocol.LatestTimestamp, Value: number(n)},
				{Family: []byte("f"), Qualifier: []byte("y"), Timestamp: protocol.LatestTimestamp, Value: number(n)},
			}}, nil),
		} {
			require.NoError(t, err)
		}
	}
	write(0)
	stop := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		for n := uint64(1); ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			write(n)
			if n%64 == 0 {
				require.NoError(t, r.Flush())
				require.NoError(t, r.Compact(true))
			}
		}
	})
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			var row store.Result
			var page store.Page
			for range 300 {
				require.NoError(t, r.Get(&store.Get{Row: []byte("c")}, &row))
				require.Len(t, row.Cells, 2)
				require.Equal(t, row.Cells[0].Value, row.Cells[1].Value)
				sc, err := r.Scan(store.Scan{})
				require.NoError(t, err)
				var seen []string
				for more := true; more; {
					more, err = sc.Next(store.Limits{Rows: 1}, &page)
					require.NoError(t, err)
					for _, c := range page.Cells {
						seen = append(seen, string(c.Value))
					}
				}
				require.NoError(t, sc.Close())
				require.Len(t, seen, 4)
				require.Equal(t, seen[0], seen[1])
			}
		})
	}
	readers.Wait()
	close(stop)
	all.Wait()
}

// Regions are split and merged under load: a writer whose region is gone continues with its successor, and no write is
// lost.
func TestSplitsAndMergesLoseNothing(t *testing.T) {
	s := open(t, store.Options{})
	created(t, s, nil)
	const writers, rounds = 4, 300
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := range rounds {
				row := fmt.Sprintf("%03d-%d", i, w)
				for {
					r, err := s.Locate(users(), []byte(row))
					require.NoError(t, err)
					if err = r.Mutate(put(row, "x", row), nil); err == nil {
						break
					}
					require.ErrorIs(t, err, store.ErrRegionGone)
				}
			}
		})
	}
	for i := range 40 {
		regions, err := s.Regions(users())
		require.NoError(t, err)
		if i%3 == 2 && len(regions) > 1 {
			_, err = s.Merge(regions[0], regions[1])
			require.NoError(t, err)
			continue
		}
		at, err := regions[len(regions)-1].SplitPoint()
		if err == nil {
			_, _, err = regions[len(regions)-1].Split(at)
			require.NoError(t, err)
		}
	}
	all.Wait()
	regions, err := s.Regions(users())
	require.NoError(t, err)
	total := 0
	for _, r := range regions {
		sc, err := r.Scan(store.Scan{})
		require.NoError(t, err)
		var page store.Page
		_, err = sc.Next(store.Limits{}, &page)
		require.NoError(t, err)
		total += len(page.Rows)
		require.NoError(t, sc.Close())
	}
	require.Equal(t, writers*rounds, total)
}
