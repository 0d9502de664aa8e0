package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/benchd/benchd/internal/sandbox/store"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func users() store.Name { return store.Name{Namespace: store.DefaultNamespace, Qualifier: "users"} }

func open(t *testing.T, opts store.Options) *store.Store {
	t.Helper()
	s, err := store.Open(opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// created returns the first region of a new table with the given families and splits.
func created(t *testing.T, s *store.Store, splits [][]byte, families ...store.Family) *store.Region {
	t.Helper()
	if len(families) == 0 {
		families = []store.Family{{Name: "f"}}
	}
	regions, err := s.CreateTable(store.Table{Name: users(), Families: families}, splits)
	require.NoError(t, err)
	require.Len(t, regions, len(splits)+1)
	return regions[0]
}

func put(row, qualifier, value string) *store.Mutation {
	return &store.Mutation{Row: []byte(row), Cells: []protocol.Cell{{
		Family: []byte("f"), Qualifier: []byte(qualifier), Timestamp: protocol.LatestTimestamp, Value: []byte(value),
	}}}
}

// values returns a row's cells as qualifier=value.
func values(t *testing.T, r *store.Region, row string) []string {
	t.Helper()
	var found store.Result
	require.NoError(t, r.Get(&store.Get{Row: []byte(row)}, &found))
	var all []string
	for _, c := range found.Cells {
		all = append(all, string(c.Qualifier)+"="+string(c.Value))
	}
	return all
}

func TestARowSurvivesARoundTrip(t *testing.T) {
	r := created(t, open(t, store.Options{}), nil)
	require.NoError(t, r.Mutate(put("a", "x", "1"), nil))
	require.NoError(t, r.Mutate(put("a", "y", "2"), nil))
	require.NoError(t, r.Mutate(put("a", "x", "3"), nil))
	require.NoError(t, r.Mutate(put("b", "x", "4"), nil))
	require.Equal(t, []string{"x=3", "y=2"}, values(t, r, "a"))
	require.NoError(t, r.Flush())
	require.Equal(t, []string{"x=3", "y=2"}, values(t, r, "a"))
	require.NoError(t, r.Mutate(&store.Mutation{Kind: store.Delete, Row: []byte("a")}, nil))
	require.Empty(t, values(t, r, "a"))
	require.NoError(t, r.Mutate(put("a", "x", "5"), nil))
	require.Equal(t, []string{"x=5"}, values(t, r, "a"), "a value written after a delete in the same millisecond")
	require.Equal(t, []string{"x=4"}, values(t, r, "b"))
}

func TestAFolderKeepsEverythingOverARestart(t *testing.T) {
	dir := t.TempDir()
	s, err := store.Open(store.Options{Dir: dir})
	require.NoError(t, err)
	r := created(t, s, [][]byte{[]byte("m")})
	require.NoError(t, r.Mutate(put("a", "x", "1"), nil))
	low, high, err := r.Split([]byte("c"))
	require.NoError(t, err)
	require.NoError(t, high.Assign("rs2", store.Online))
	require.ErrorIs(t, r.Mutate(put("a", "x", "2"), nil), store.ErrRegionGone)
	require.ErrorIs(t, low.Mutate(put("d", "x", "2"), nil), store.ErrWrongRegion)
	require.NoError(t, high.Mutate(put("d", "x", "2"), nil))
	require.NoError(t, s.Close())

	s = open(t, store.Options{Dir: dir})
	regions, err := s.Regions(users())
	require.NoError(t, err)
	require.Len(t, regions, 3)
	require.Equal(t, "rs2", regions[1].Info().Server)
	require.Equal(t, high.Info(), regions[1].Info())
	require.Equal(t, []string{"x=1"}, values(t, regions[0], "a"))
	require.Equal(t, []string{"x=2"}, values(t, regions[1], "d"))
}

func TestAScanGoesThroughRowsBothWays(t *testing.T) {
	r := created(t, open(t, store.Options{}), nil)
	for _, row := range []string{"a", "b", "c", "d"} {
		require.NoError(t, r.Mutate(put(row, "x", row), nil))
	}
	for _, c := range []struct {
		name string
		scan store.Scan
		want string
	}{
		{"all", store.Scan{}, "abcd"},
		{"all, reversed", store.Scan{Reversed: true}, "dcba"},
		{"from, to", store.Scan{Start: []byte("b"), Stop: []byte("d")}, "bc"},
		{"after, with", store.Scan{Start: []byte("b"), StartExcluded: true, Stop: []byte("d"), StopIncluded: true}, "cd"},
		{"from, to, reversed", store.Scan{Start: []byte("c"), Stop: []byte("a"), Reversed: true}, "cb"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sc, err := r.Scan(c.scan)
			require.NoError(t, err)
			defer sc.Close()
			var got []byte
			more := true
			for more {
				var page store.Page
				more, err = sc.Next(store.Limits{Rows: 2}, &page)
				require.NoError(t, err)
				for _, cell := range page.Cells {
					got = append(got, cell.Row...)
				}
			}
			require.Equal(t, c.want, string(got))
		})
	}
}
