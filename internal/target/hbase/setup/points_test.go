package setup_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/target/hbase/admin"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
	"github.com/benchd/benchd/internal/target/hbase/setup"
	"github.com/benchd/benchd/internal/workload"
)

func points(t *testing.T, splits hbasespec.Splits, w workload.Config) [][]byte {
	t.Helper()
	keys, err := setup.Points(splits, w)
	require.NoError(t, err)
	return keys
}

func texts(points [][]byte) []string {
	out := make([]string, 0, len(points))
	for _, p := range points {
		out = append(out, string(p))
	}
	return out
}

// Published figures can be compared only with those of a table with the same split points.
func TestPointsFollowThePublishedFormulas(t *testing.T) {
	w := workload.Config{KeyPrefix: "user", RecordCount: 1000}
	four := texts(points(t, hbasespec.Splits{Count: 200, Formula: hbasespec.SplitFourDigits}, w))
	require.Len(t, four, 200)
	require.Equal(t, []string{"user1044", "user1089", "user1134"}, four[:3])
	require.Equal(t, "user9999", four[199])
	five := texts(points(t, hbasespec.Splits{Count: 1050, Formula: hbasespec.SplitFiveDigits}, w))
	require.Len(t, five, 1050)
	require.Equal(t, []string{"user10085", "user10171"}, five[:2])
	require.Equal(t, "user99999", five[1049])
	many := texts(points(t, hbasespec.Splits{Count: 20_000, Formula: hbasespec.SplitFourDigits}, w))
	require.Len(t, many, 9000, "HBase refuses a point that comes twice")
}

func TestPointsByQuantiles(t *testing.T) {
	hashed := workload.Config{KeyPrefix: "user", RecordCount: 1000, ZeroPadding: 1}
	require.Len(t, points(t, hbasespec.Splits{Count: 20, Formula: hbasespec.SplitQuantiles}, hashed), 20)
	ordered := hashed
	ordered.Ordered, ordered.ZeroPadding = true, 4
	require.Equal(t, []string{"user0250", "user0500", "user0750"}, texts(points(t, hbasespec.Splits{Count: 3, Formula: hbasespec.SplitQuantiles}, ordered)))
}

// A template has its own points, and they are those of its rows.
func TestPointsOfATemplate(t *testing.T) {
	w := workload.Config{KeyPrefix: "user", RecordCount: 1000, KeyTemplate: "{seq:pad(4)}"}
	require.Equal(t, []string{"0250", "0500", "0750"}, texts(points(t, hbasespec.Splits{Count: 3, Formula: hbasespec.SplitQuantiles}, w)))
	w.KeyTemplate = "{salt(4)}-{seq:hash}"
	require.Len(t, points(t, hbasespec.Splits{Count: 7, Formula: hbasespec.SplitQuantiles}, w), 7)
}

func TestExplicitPointsAreTaken(t *testing.T) {
	keys := [][]byte{[]byte("a"), []byte("b")}
	require.Equal(t, keys, points(t, hbasespec.Splits{Keys: keys}, workload.Config{}))
	require.Empty(t, points(t, hbasespec.Splits{}, workload.Config{}))
}

func TestTheDescriptorNamesTheCreator(t *testing.T) {
	table := setup.Descriptor(hbasespec.Settings{Namespace: "n", Table: "t", Family: hbasespec.Family{Name: "cf", Versions: 3}}, workload.Config{}, "20261121-abcd.1")
	require.Equal(t, "n:t", table.Name)
	require.True(t, table.Marked())
	require.Equal(t, "20261121-abcd.1", table.Attributes[admin.Mark])
	require.Equal(t, "3", table.Families[0].Attributes["VERSIONS"])
	require.NotContains(t, table.Families[0].Attributes, "TTL", "0 is forever")
}

func TestSizesOfATableDefaultToHBases(t *testing.T) {
	s := hbasespec.Settings{Table: "t", Family: hbasespec.Family{Name: "cf"}}
	require.Len(t, setup.Descriptor(s, workload.Config{}, "x").Attributes, 1, "the mark alone")
	s.FileSize, s.FlushSize = 2<<20, 1<<20
	attributes := setup.Descriptor(s, workload.Config{}, "x").Attributes
	require.Equal(t, "2097152", attributes["MAX_FILESIZE"])
	require.Equal(t, "1048576", attributes["MEMSTORE_FLUSHSIZE"])
}
