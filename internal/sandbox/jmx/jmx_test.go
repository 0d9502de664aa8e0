package jmx

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func figures() (Figures, Figures) {
	meter := &Meter{}
	meter.Gets.Add(70)
	meter.Mutates.Add(20)
	meter.Scans.Add(5)
	meter.Multis.Add(4)
	meter.OtherCalls.Add(1)
	meter.RowActions.Add(500)
	meter.Connections.Add(3)
	meter.Answered(2*time.Millisecond, 6*time.Millisecond)
	meter.Answered(4*time.Millisecond, 12*time.Millisecond)
	meter.Failed("org.apache.hadoop.hbase.RegionTooBusyException")
	meter.Failed("java.io.IOException")
	sync := &Histogram{}
	sync.Record(3 * time.Millisecond)
	server := Figures{RegionServer: &RegionServer{
		Name: "127.0.0.1,16020,17", Host: "127.0.0.1", Quorum: "127.0.0.1:2181", ClusterID: "c", Started: time.UnixMilli(17), Meter: meter,
		Regions: []Region{
			{Namespace: "default", Table: "usertable", Encoded: "aa", Reads: 300, Writes: 100, Stores: 1, Files: 2, FileBytes: 1000, MemstoreBytes: 10},
			{Namespace: "default", Table: "usertable", Encoded: "bb", Reads: 50, Writes: 50, Stores: 1, Files: 1, FileBytes: 500, MemstoreBytes: 20},
		},
		Storage: Storage{CacheHits: 90, CacheMisses: 10, LogSync: sync, LogWritten: 4096, LogFiles: 1, LogBytes: 2048, CompactionQueue: 2},
	}}
	master := Figures{Master: &Master{
		Name: "127.0.0.1,16000,17", Host: "127.0.0.1", Meter: &Meter{},
		Live: []string{"a,1,1", "b,2,2"}, Dead: []string{"c,3,3"}, Regions: 9, InTransition: 2, OldestInMotion: 1500 * time.Millisecond,
	}}
	return server, master
}

func ask(t *testing.T, f Figures, path string) (status int, body []byte) {
	t.Helper()
	h := Handler(func() Figures { return f }, func() map[string]string {
		return map[string]string{"hbase.regionserver.handler.count": "30", "benchd.sandbox": "true", "odd": "<&>"}
	})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody))
	body, err := io.ReadAll(w.Result().Body)
	require.NoError(t, err)
	require.NoError(t, w.Result().Body.Close())
	return w.Code, body
}

func read(t *testing.T, f Figures, query string) map[string]map[string]any {
	t.Helper()
	status, body := ask(t, f, "/jmx?"+query)
	require.Equal(t, http.StatusOK, status, string(body))
	var answer struct{ Beans []map[string]any }
	require.NoError(t, json.Unmarshal(body, &answer))
	beans := map[string]map[string]any{}
	for _, b := range answer.Beans {
		name, _ := b["name"].(string)
		beans[name] = b
	}
	return beans
}

// Readers of HBase's metrics use these names.
func TestBeansHaveTheNamesOfHBase(t *testing.T) {
	server, master := figures()
	for _, tt := range []struct {
		of    Figures
		bean  string
		attrs []string
	}{
		{server, "Hadoop:service=HBase,name=RegionServer,sub=Server", []string{
			"tag.serverName", "regionCount", "storeFileCount", "storeFileSize", "memStoreSize", "hlogFileCount", "hlogFileSize", "percentFilesLocal",
			"blockCacheCountHitPercent", "blockCacheExpressHitPercent", "blockCacheHitCount", "blockCacheMissCount", "blockCacheEvictionCount",
			"l1CacheHitRatio", "totalRequestCount", "readRequestCount", "writeRequestCount", "rpcGetRequestCount", "rpcScanRequestCount",
			"rpcMultiRequestCount", "rpcMutateRequestCount", "compactionQueueLength", "flushQueueLength", "splitQueueLength", "updatesBlockedTime",
		}},
		{server, "Hadoop:service=HBase,name=RegionServer,sub=WAL", []string{
			"SyncTime_num_ops", "SyncTime_mean", "SyncTime_median", "SyncTime_99th_percentile", "SyncTime_max", "writtenBytes",
		}},
		{server, "Hadoop:service=HBase,name=RegionServer,sub=IPC", []string{
			"queueSize", "numOpenConnections", "numActiveHandler", "numActiveGeneralHandler", "QueueCallTime_num_ops", "ProcessCallTime_99.9th_percentile", "TotalCallTime_mean",
		}},
		{server, "java.lang:type=OperatingSystem", []string{"ProcessCpuTime", "AvailableProcessors"}},
		{server, "Hadoop:service=HBase,name=RegionServer,sub=Tables", []string{"Namespace_default_table_usertable_metric_readRequestCount"}},
		{server, "Hadoop:service=HBase,name=RegionServer,sub=Regions", []string{"Namespace_default_table_usertable_region_aa_metric_storeFileSize"}},
		{server, "Hadoop:service=HBase,name=JvmMetrics", []string{"GcCount", "GcTimeMillis", "MemHeapUsedM"}},
		{server, "java.lang:type=GarbageCollector,name=Go", []string{"CollectionCount", "CollectionTime"}},
		{server, "java.lang:type=Memory", []string{"HeapMemoryUsage"}},
		{master, "Hadoop:service=HBase,name=Master,sub=Server", []string{
			"numRegionServers", "numDeadRegionServers", "averageLoad", "tag.liveRegionServers",
		}},
		{master, "Hadoop:service=HBase,name=Master,sub=AssignmentManager", []string{"ritCount", "ritOldestAge"}},
	} {
		b := read(t, tt.of, "")[tt.bean]
		require.NotNil(t, b, tt.bean)
		for _, a := range tt.attrs {
			require.Contains(t, b, a, tt.bean)
		}
	}
}

func TestBeansHaveTheCountedValues(t *testing.T) {
	server, master := figures()
	beans := read(t, server, "qry=Hadoop:service=HBase,name=RegionServer,*")
	require.Len(t, beans, 5)
	for bean, want := range map[string]map[string]any{
		"Server": {
			"totalRequestCount": 100.0, "rpcGetRequestCount": 70.0, "readRequestCount": 350.0, "writeRequestCount": 150.0, "regionCount": 2.0,
			"storeFileCount": 3.0, "storeFileSize": 1500.0, "memStoreSize": 30.0, "blockCacheCountHitPercent": 90.0, "compactionQueueLength": 2.0,
			"tag.serverName": "127.0.0.1,16020,17",
		},
		"IPC": {
			"numOpenConnections": 3.0, "exceptions": 2.0, "exceptions.RegionTooBusyException": 1.0, "QueueCallTime_num_ops": 2.0,
			"QueueCallTime_mean": 3.0, "ProcessCallTime_mean": 9.0, "TotalCallTime_mean": 12.0,
		},
		"WAL":     {"SyncTime_num_ops": 1.0, "SyncTime_mean": 3.0, "writtenBytes": 4096.0},
		"Tables":  {"Namespace_default_table_usertable_metric_readRequestCount": 350.0, "numTables": 1.0},
		"Regions": {"Namespace_default_table_usertable_region_bb_metric_writeRequestCount": 50.0, "numRegions": 2.0},
	} {
		b := beans["Hadoop:service=HBase,name=RegionServer,sub="+bean]
		for attribute, value := range want {
			require.Equal(t, value, b[attribute], "%s %s", bean, attribute)
		}
	}
	b := read(t, master, "qry=Hadoop:service=HBase,name=Master,sub=*")
	require.Equal(t, "a,1,1;b,2,2", b["Hadoop:service=HBase,name=Master,sub=Server"]["tag.liveRegionServers"])
	require.Equal(t, 4.5, b["Hadoop:service=HBase,name=Master,sub=Server"]["averageLoad"])
	require.Equal(t, 1500.0, b["Hadoop:service=HBase,name=Master,sub=AssignmentManager"]["ritOldestAge"])
}

// A sandbox in memory has no log, so it must not report sync times of zero.
func TestWithoutALogNoSyncTimesAreReported(t *testing.T) {
	server, _ := figures()
	server.RegionServer.Storage.LogSync = nil
	require.NotContains(t, read(t, server, "")["Hadoop:service=HBase,name=RegionServer,sub=WAL"], "SyncTime_mean")
}

func TestQueriesChooseBeans(t *testing.T) {
	server, _ := figures()
	for query, want := range map[string]int{
		"Hadoop:service=HBase,name=RegionServer,sub=Server": 1,
		"Hadoop:name=RegionServer,sub=Server,service=HBase": 1,
		"Hadoop:service=HBase,*":                            6,
		"Hadoop:service=HBase,name=JvmMetrics":              1,
		"Hadoop:service=HBase,name=RegionServer":            0,
		"java.lang:type=GarbageCollector,name=*":            1,
		"java.lang:*":                                       4,
		"*:*":                                               10,
		"none":                                              0,
		"*x*:y":                                             0,
	} {
		require.Len(t, read(t, server, "qry="+url.QueryEscape(query)), want, query)
	}
	b := read(t, server, "get="+url.QueryEscape("Hadoop:service=HBase,name=RegionServer,sub=Server::regionCount"))
	require.Equal(t, map[string]map[string]any{"Hadoop:service=HBase,name=RegionServer,sub=Server": {
		"name": "Hadoop:service=HBase,name=RegionServer,sub=Server", "modelerType": "RegionServer,sub=Server", "regionCount": 2.0,
	}}, b)
	for _, get := range []string{"none::x", "none", "Hadoop:service=HBase,name=RegionServer,sub=Server::none"} {
		status, body := ask(t, server, "/jmx?get="+url.QueryEscape(get))
		require.Equal(t, http.StatusNotFound, status)
		require.Contains(t, string(body), `"ERROR"`)
	}
}

func TestSettingsAreTreeOrList(t *testing.T) {
	server, _ := figures()
	status, body := ask(t, server, "/conf?format=json")
	require.Equal(t, http.StatusOK, status)
	var list struct{ Properties []struct{ Key, Value string } }
	require.NoError(t, json.Unmarshal(body, &list))
	require.Equal(t, "benchd.sandbox", list.Properties[0].Key)

	status, body = ask(t, server, "/conf")
	require.Equal(t, http.StatusOK, status)
	var tree struct {
		Properties []struct {
			Name  string `xml:"name"`
			Value string `xml:"value"`
		} `xml:"property"`
	}
	require.NoError(t, xml.Unmarshal(body, &tree))
	require.Len(t, tree.Properties, 3)
	require.Equal(t, "<&>", tree.Properties[2].Value)

	status, _ = ask(t, server, "/conf?format=ini")
	require.Equal(t, http.StatusBadRequest, status)
}

func TestPercentilesAreRightToAnEighth(t *testing.T) {
	var h Histogram
	h.Read(time.Now())
	rng := rand.New(rand.NewPCG(1, 1))
	var all []time.Duration
	var sum time.Duration
	for range 10_000 {
		d := time.Duration(rng.ExpFloat64() * 1e6)
		all, sum = append(all, d), sum+d
		h.Record(d)
	}
	slices.Sort(all)
	read := h.Read(time.Now())
	require.EqualValues(t, 10_000, read.Count)
	require.Equal(t, sum/10_000, read.Mean)
	for _, share := range []float64{0, 0.01, 0.5, 0.9, 0.99, 0.999, 1} {
		exact := all[max(int(share*10_000+0.999999), 1)-1]
		got := read.Percentile(share)
		require.GreaterOrEqual(t, got, exact)
		require.LessOrEqual(t, float64(got), 1.126*float64(exact)+1)
	}
	h.Record(-time.Second)
	h.Record(100 * time.Hour)
	require.EqualValues(t, 10_002, h.Read(time.Now()).Count)
}

func TestBucketsAreContiguous(t *testing.T) {
	for i := range buckets - 1 {
		top := uint64(highest(i))
		require.Equal(t, i, bucket(top))
		require.Equal(t, i+1, bucket(top+1))
	}
	require.Equal(t, buckets-1, bucket(1<<63))
}

// Percentiles cover recent values: values from an hour ago do not show, and counts continue.
func TestPercentilesAndMeansForgetAndCountsDoNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h Histogram
		h.Read(time.Now())
		h.Record(time.Second)
		read := h.Read(time.Now())
		require.Greater(t, read.Percentile(0.5), 900*time.Millisecond)
		for range 30 {
			<-time.After(time.Second)
			h.Record(time.Millisecond)
			read = h.Read(time.Now())
		}
		require.EqualValues(t, 31, read.Count)
		require.Less(t, read.Percentile(1), 2*time.Millisecond)
		require.Equal(t, time.Millisecond, read.Mean)
		for range 3 {
			<-time.After(time.Minute)
			read = h.Read(time.Now())
		}
		require.Zero(t, read.Percentile(0.5))
		require.Zero(t, read.Mean)
		require.EqualValues(t, 31, read.Count)
	})
}

func FuzzQuery(f *testing.F) {
	for _, q := range []string{"*:*", "Hadoop:service=HBase,name=*,sub=*", "a::b", ":", "*,*:*,*"} {
		f.Add(q)
	}
	server, _ := figures()
	f.Fuzz(func(_ *testing.T, query string) {
		for _, b := range beansOf(server, time.UnixMilli(0)) {
			matches(query, b.name)
		}
		attributeOf(beansOf(server, time.UnixMilli(0)), query)
	})
}

func BenchmarkRecord(b *testing.B) {
	var h Histogram
	b.ReportAllocs()
	for b.Loop() {
		h.Record(12345)
	}
}
