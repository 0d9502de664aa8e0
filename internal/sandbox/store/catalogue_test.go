package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/sandbox/store"
)

func TestTheCatalogueSurvivesARestart(t *testing.T) {
	dir := t.TempDir()
	s, err := store.Open(store.Options{Dir: dir})
	require.NoError(t, err)
	other := store.Name{Namespace: "ours", Qualifier: "events"}
	require.ErrorIs(t, func() error {
		_, err := s.CreateTable(store.Table{Name: other, Families: []store.Family{{Name: "f"}}}, nil)
		return err
	}(), store.ErrNamespaceNotFound)
	require.NoError(t, s.CreateNamespace(store.Namespace{Name: "ours", Descriptor: []byte("d")}))
	require.ErrorIs(t, s.CreateNamespace(store.Namespace{Name: "ours"}), store.ErrNamespaceExists)
	_, err = s.CreateTable(store.Table{Name: other, Descriptor: []byte{0, 1}, Families: []store.Family{{Name: "f"}}}, [][]byte{{0}, {1}})
	require.NoError(t, err)
	r := created(t, s, [][]byte{[]byte("m")}, store.Family{Name: "f"}, store.Family{Name: "g", MaxVersions: 2})
	require.NoError(t, r.Mutate(put("a", "x", "1"), nil))
	require.NoError(t, s.SetTableState(users(), store.Disabled))
	require.ErrorIs(t, s.DeleteNamespace("ours"), store.ErrNamespaceInUse)
	tables := s.Tables()
	require.NoError(t, s.Close())

	s, err = store.Open(store.Options{Dir: dir})
	require.NoError(t, err)
	require.Equal(t, tables, s.Tables())
	require.Len(t, s.Namespaces(), 3)
	require.Len(t, s.AllRegions(), 5)
	fresh, err := s.TruncateTable(users(), true)
	require.NoError(t, err)
	require.Len(t, fresh, 2)
	require.Empty(t, values(t, fresh[0], "a"))
	require.ErrorIs(t, s.DeleteTable(other), store.ErrTableEnabled)
	require.NoError(t, s.SetTableState(other, store.Disabled))
	require.NoError(t, s.DeleteTable(other))
	require.NoError(t, s.DeleteNamespace("ours"))
	require.NoError(t, s.Close())

	s = open(t, store.Options{Dir: dir})
	require.Len(t, s.Tables(), 1)
	require.Len(t, s.Namespaces(), 2)
	regions, err := s.Regions(users())
	require.NoError(t, err)
	require.Len(t, regions, 2)
	require.Equal(t, fresh[0].Info(), regions[0].Info())
	_, err = s.Table(other)
	require.ErrorIs(t, err, store.ErrTableNotFound)
}

// A new table must not show the cells of a former table with the same name.
func TestARecreatedTableIsEmpty(t *testing.T) {
	s := open(t, store.Options{})
	for range 3 {
		r := created(t, s, nil)
		require.Empty(t, values(t, r, "a"))
		require.NoError(t, r.Mutate(put("a", "x", "1"), nil))
		require.NoError(t, s.SetTableState(users(), store.Disabled))
		require.NoError(t, s.DeleteTable(users()))
		require.ErrorIs(t, r.Mutate(put("a", "x", "1"), nil), store.ErrRegionGone)
	}
}

func TestAChangedFamilyAppliesToExistingCells(t *testing.T) {
	s := open(t, store.Options{})
	r := created(t, s, nil, store.Family{Name: "f", MaxVersions: 3}, store.Family{Name: "g"})
	for at := range int64(3) {
		m := put("a", "x", "1")
		m.Cells[0].Timestamp = at + 1
		require.NoError(t, r.Mutate(m, nil))
	}
	versions := func() int {
		var found store.Result
		require.NoError(t, r.Get(&store.Get{Row: []byte("a"), Read: store.Read{MaxVersions: 10}}, &found))
		return len(found.Cells)
	}
	require.Equal(t, 3, versions())
	require.NoError(t, s.ModifyTable(store.Table{Name: users(), Families: []store.Family{{Name: "f", MaxVersions: 2}}}))
	require.Equal(t, 2, versions())
	require.NoError(t, s.ModifyTable(store.Table{Name: users(), Families: []store.Family{{Name: "g"}}}))
	require.Zero(t, versions(), "a removed family")
	require.NoError(t, r.Compact(true))
	require.NoError(t, s.ModifyTable(store.Table{Name: users(), Families: []store.Family{{Name: "f", MaxVersions: 2}}}))
	require.Zero(t, versions(), "a compaction removed it")
}

func TestAnInvalidTableIsRefused(t *testing.T) {
	s := open(t, store.Options{})
	created(t, s, nil)
	f := []store.Family{{Name: "f"}}
	for _, c := range []struct {
		name   string
		table  store.Table
		splits [][]byte
		want   error
	}{
		{"of a name in use", store.Table{Name: users(), Families: f}, nil, store.ErrTableExists},
		{"without a name", store.Table{Families: f}, nil, store.ErrBadRequest},
		{"without a family", store.Table{Name: store.Name{Qualifier: "t"}}, nil, store.ErrBadRequest},
		{"with a family twice", store.Table{Name: store.Name{Qualifier: "t"}, Families: []store.Family{{Name: "f"}, {Name: "f"}}}, nil, store.ErrBadRequest},
		{"with a family that has a zero byte", store.Table{Name: store.Name{Qualifier: "t"}, Families: []store.Family{{Name: "f\x00"}}}, nil, store.ErrBadRequest},
		{"with more versions to keep than to have", store.Table{Name: store.Name{Qualifier: "t"}, Families: []store.Family{{Name: "f", MinVersions: 2}}}, nil, store.ErrBadRequest},
		{"with a split key twice", store.Table{Name: store.Name{Qualifier: "t"}, Families: f}, [][]byte{{1}, {1}}, store.ErrBadRequest},
		{"with an empty split key", store.Table{Name: store.Name{Qualifier: "t"}, Families: f}, [][]byte{{}}, store.ErrBadRequest},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := s.CreateTable(c.table, c.splits)
			require.ErrorIs(t, err, c.want)
		})
	}
}
