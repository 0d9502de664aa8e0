package meta

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/sandbox/store"
)

// Regions are in the order of their start keys, whatever bytes follow: "a!" comes after "a", although '!' is below the
// comma that ends a start key in a region's name.
func TestOrderOfRows(t *testing.T) {
	rows := []string{
		"s,,9.x.", "t", "t,,1.x.", "t,,2.x.", "t,a,1.x.", "t,a!,1.x.", "t,a,b,1.x.", "t,b,1.x.", "t,b,1:", "t2,,1.x.", "u:t,,1.x.",
	}
	for i, a := range rows {
		for j, b := range rows {
			got := compare([]byte(a), []byte(b))
			switch {
			case i < j:
				require.Negative(t, got, "%s before %s", a, b)
			case i > j:
				require.Positive(t, got, "%s after %s", a, b)
			default:
				require.Zero(t, got)
			}
		}
	}
}

func region(start, end string, id int64) Row {
	info := store.RegionInfo{Table: store.Name{Qualifier: "t"}, ID: id, Start: []byte(start), End: []byte(end), Encoded: "e" + start, State: store.Online}
	return RegionRow(&info, Location{Host: "h", Port: 7, StartCode: 1, Name: "h,7,1"}, 1)
}

func keys(t *testing.T, table *Table, scan store.Scan, limit int) []string {
	t.Helper()
	s, err := table.Scan(scan)
	require.NoError(t, err)
	defer s.Close()
	var all []string
	for more := true; more; {
		var page store.Page
		more, err = s.Next(store.Limits{Rows: limit}, &page)
		require.NoError(t, err)
		from := 0
		for _, row := range page.Rows {
			all = append(all, string(page.Cells[from].Row))
			from = row.End
		}
	}
	return all
}

// A reversed scan from a key finds first the region that holds the key, as clients look up regions.
func TestScans(t *testing.T) {
	table := New()
	table.Update([]Row{region("a", "b", 2), region("", "a", 1), region("b", "", 3), TableRow(store.Name{Qualifier: "t"}, true)})
	all := []string{"t", "t,,1.e.", "t,a,2.ea.", "t,b,3.eb."}
	require.Equal(t, all, keys(t, table, store.Scan{}, 1))
	require.Equal(t, all, keys(t, table, store.Scan{}, 100))
	require.Equal(t, all[1:], keys(t, table, store.Scan{Start: []byte("t,,"), Stop: []byte("t ,,")}, 2))
	backwards := store.Scan{Start: []byte("t,a!,:"), Stop: []byte("t"), Reversed: true}
	require.Equal(t, "t,a,2.ea.", keys(t, table, backwards, 1)[0])
	backwards.Start = []byte("t,b,:")
	require.Equal(t, "t,b,3.eb.", keys(t, table, backwards, 1)[0])
	info := store.Scan{Read: store.Read{Columns: []store.Columns{{Family: "info"}}}}
	require.Equal(t, all[1:], keys(t, table, info, 100), "a row without such cells is left out")

	table.Update(nil, []byte("t,a,2.ea."))
	require.Equal(t, []string{"t", "t,,1.e.", "t,b,3.eb."}, keys(t, table, store.Scan{}, 100))
	_, err := table.Scan(store.Scan{Read: store.Read{Columns: []store.Columns{{Family: "x"}}}})
	require.ErrorIs(t, err, store.ErrNoFamily)
}
