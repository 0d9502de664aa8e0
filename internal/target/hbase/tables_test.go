package hbase_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/sandbox"
	"github.com/benchd/benchd/internal/target/hbase"
	"github.com/benchd/benchd/internal/target/hbase/admin"
	"github.com/benchd/benchd/internal/workload"
)

// largeTable is a table of n regions on one server, which holds the keys of benchKey.
func largeTable(addr string, n int) table {
	return func(context.Context) ([]hbase.Place, error) {
		places := make([]hbase.Place, n)
		for i := range places {
			p := &places[i]
			if i > 0 {
				p.Start = benchKey(i * benchRows / n)
				places[i-1].Stop = p.Start
			}
			p.Name, p.Addr = fmt.Sprintf("usertable,%s,%d.0123456789abcdef0123456789abcdef.", p.Start, i), addr
		}
		return places, nil
	}
}

// All workers of an agent share one cache, which is filled by one read of hbase:meta and takes less than 640 bytes for a region.
func TestTheRegionCacheIsSharedAndSmall(t *testing.T) {
	const regions, perRegion = 10_000, 640
	places := &counted{Locator: largeTable("127.0.0.1:1", regions)}
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	target := hbase.New(settings(t), load.Settings{}, places)
	defer func() { require.NoError(t, target.Close()) }()
	s, err := target.Open(t.Context(), 0)
	require.NoError(t, err)
	taken := heap() - before
	t.Logf("%d bytes per region", taken/regions)
	require.Less(t, taken, int64(regions*perRegion))
	require.NoError(t, s.Close(t.Context()))

	fresh := hbase.New(settings(t), load.Settings{}, places)
	defer func() { require.NoError(t, fresh.Close()) }()
	places.tables.Store(0)
	var work sync.WaitGroup
	for w := range 1000 {
		work.Go(func() {
			if _, err := fresh.Open(t.Context(), w); err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
	require.EqualValues(t, 1, places.tables.Load(), "reads of the whole table by 1000 workers")
}

// metaReads returns how many rows of hbase:meta were read.
func metaReads(t *testing.T, c *admin.Client) (n int64) {
	t.Helper()
	cluster, err := c.Cluster(t.Context())
	require.NoError(t, err)
	found := false
	for i := range cluster.Servers {
		for _, l := range cluster.Servers[i].RegionLoads {
			if strings.HasPrefix(l.Region, "hbase:meta,") {
				n, found = n+int64(l.Reads), true
			}
		}
	}
	require.True(t, found, "no server reports hbase:meta")
	return n
}

// After the loss of a server, each lost region that is used costs a look-up of one row; the whole table is not read again.
func TestALostServerOfALargeTableCausesNoStormOnMeta(t *testing.T) {
	const regions, workers = 10_000, 1000
	box, err := sandbox.Start(t.Context(), sandbox.Options{Detection: 100 * time.Millisecond})
	require.NoError(t, err)
	defer func() { require.NoError(t, box.Close()) }()
	c, err := admin.Connect(t.Context(), admin.Config{Quorum: box.Quorum()})
	require.NoError(t, err)
	defer c.Close()
	points := make([][]byte, regions-1)
	for i := range points {
		points[i] = fmt.Appendf(nil, "k%05d", 1+i)
	}
	require.NoError(t, c.Create(t.Context(), admin.Table{Name: "large", Families: []admin.Family{{Name: "cf"}}}, points))
	before := metaReads(t, c)
	opened, err := hbase.Open(t.Context(), load.Settings{Properties: map[string]string{
		"db": "hbase", "table": "large", "columnfamily": "cf", "hbase.zookeeper.quorum": box.Quorum(),
	}})
	require.NoError(t, err)
	defer func() { require.NoError(t, opened.Close()) }()
	target := opened.(*hbase.Table)
	write := func() {
		for _, out := range crowd(t, target, workers, func(w int) *workload.Op {
			return &workload.Op{Kind: workload.Update, Key: fmt.Appendf(nil, "k%05d", w*regions/workers), Fields: b("f"), Values: b("v")}
		}) {
			require.NoError(t, out.Err)
		}
	}
	write()
	filled := metaReads(t, c)
	require.LessOrEqual(t, filled-before, int64(regions+100), "rows read to find all regions, once for all workers")
	require.NoError(t, box.KillServer(t.Context(), box.Servers()[2].Name))
	write()
	again := metaReads(t, c) - filled
	t.Logf("rows of hbase:meta read: %d at first, %d after the loss", filled-before, again)
	require.Positive(t, again)
	require.LessOrEqual(t, again, int64(2*workers), "at most two rows for each region that is used")
}

// Values of 1 MB and rows of 10 000 columns arrive byte by byte; a scan's page that ends within such a row loses nothing.
func TestLargeValuesAndWideRows(t *testing.T) {
	box, err := sandbox.Start(t.Context(), sandbox.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, box.Close()) }()
	c, err := admin.Connect(t.Context(), admin.Config{Quorum: box.Quorum()})
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, c.Create(t.Context(), admin.Table{Name: "rows", Families: []admin.Family{{Name: "cf"}}}, nil))
	target, err := hbase.Open(t.Context(), load.Settings{Properties: map[string]string{
		"db": "hbase", "table": "rows", "columnfamily": "cf", "hbase.zookeeper.quorum": box.Quorum(),
		"hbase.client.scanner.max.result.size": "300000",
	}})
	require.NoError(t, err)
	defer func() { require.NoError(t, target.Close()) }()
	s, err := target.Open(t.Context(), 0)
	require.NoError(t, err)
	const columns, width, large = 10_000, 100, 1 << 20
	wide := workload.Op{Kind: workload.Insert}
	for i := range columns {
		wide.Fields = append(wide.Fields, fmt.Appendf(nil, "field%d", i))
		wide.Values = append(wide.Values, bytes.Repeat([]byte{byte(i), byte(i >> 8)}, width/2))
	}
	written := map[string]map[string][]byte{"k2": {"f": bytes.Repeat([]byte("0123456789abcdef"), large/16)}}
	for _, key := range []string{"k1", "k3"} {
		wide.Key = []byte(key)
		require.NoError(t, s.Do(t.Context(), &wide).Err)
		written[key] = make(map[string][]byte)
		for i, f := range wide.Fields {
			written[key][string(f)] = wide.Values[i]
		}
	}
	require.NoError(t, s.Do(t.Context(), &workload.Op{
		Kind: workload.Update, Key: []byte("k2"), Fields: b("f"), Values: [][]byte{written["k2"]["f"]},
	}).Err)
	for key, want := range written {
		got := make(map[string][]byte)
		out := s.Do(t.Context(), &workload.Op{Kind: workload.Read, Key: []byte(key), Collect: func(field, value []byte) {
			got[string(field)] = bytes.Clone(value)
		}})
		require.NoError(t, out.Err)
		require.Len(t, got, len(want))
		for f, v := range want {
			require.True(t, bytes.Equal(v, got[f]), "row %s, column %s", key, f)
		}
	}
	out := s.Do(t.Context(), &workload.Op{Kind: workload.Read, Key: []byte("k3"), Fields: b("field4321")})
	require.NoError(t, out.Err)
	require.EqualValues(t, len("k3")+width, out.Bytes)
	out = s.Do(t.Context(), &workload.Op{Kind: workload.Scan, Key: []byte("k1"), ScanLength: 3})
	require.NoError(t, out.Err)
	require.EqualValues(t, 3, out.Rows)
	require.EqualValues(t, 3*len("k1")+2*columns*width+large, out.Bytes, "each cell counts once")
}

// BenchmarkRegions measures a read from tables of 1 to 10 000 regions:
//
//	go test ./internal/target/hbase -run '^$' -bench Regions -benchtime 100000x -count 3
func BenchmarkRegions(b *testing.B) {
	for _, n := range []int{1, 100, 10_000} {
		b.Run(fmt.Sprintf("regions=%d", n), func(b *testing.B) {
			target := hbase.New(settings(b), load.Settings{}, largeTable(canned(b), n))
			b.Cleanup(func() { require.NoError(b, target.Close()) })
			read := sessionRead(b, target, 0)
			keys := make([][]byte, benchRows)
			for i := range keys {
				keys[i] = benchKey(i)
			}
			require.NoError(b, read(b.Context(), keys[0]))
			b.ReportAllocs()
			before := used(b)
			b.ResetTimer()
			for i := range b.N {
				if err := read(b.Context(), keys[i*7919%benchRows]); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(used(b)-before)/float64(b.N), "cpu-ns/op")
		})
	}
}
