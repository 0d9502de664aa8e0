package jmx

import (
	"fmt"
	"time"
)

const hbase = "Hadoop:service=HBase,name="

// regionServerBeans returns the beans of one region server.
func regionServerBeans(r *RegionServer, now time.Time) []*bean {
	beans := []*bean{serverBean(r, now), ipcBean("RegionServer", r.Meter, r.Host, now), walBean(r, now), tablesBean(r), regionsBean(r)}
	return beans
}

func hbaseBean(of, sub, host string) *bean {
	modeler := of + ",sub=" + sub
	b := newBean(hbase+modeler, modeler)
	b.set("tag.Context", contextOf(of))
	b.set("tag.Hostname", host)
	return b
}

func contextOf(of string) string {
	if of == "Master" {
		return "master"
	}
	return "regionserver"
}

func serverBean(r *RegionServer, now time.Time) *bean {
	b := hbaseBean("RegionServer", "Server", r.Host)
	b.set("tag.zookeeperQuorum", r.Quorum)
	b.set("tag.serverName", r.Name)
	b.set("tag.clusterId", r.ClusterID)
	regionCounters(b, r)
	cacheCounters(b, &r.Storage)
	s, m := &r.Storage, r.Meter
	b.counters(
		counter{"regionServerStartTime", r.Started.UnixMilli()},
		counter{"hlogFileCount", int64(s.LogFiles)},
		counter{"hlogFileSize", s.LogBytes},
		counter{"compactionQueueLength", int64(s.CompactionQueue)},
		counter{"flushQueueLength", int64(s.FlushQueue)},
		counter{"splitQueueLength", 0}, // splits happen on request
		counter{"updatesBlockedTime", s.UpdatesBlocked.Milliseconds()},
		counter{"flushedMemstoreBytes", s.FlushedBytes},
		counter{"compactedOutputBytes", s.CompactedBytes},
		counter{"mutationsWithoutWALCount", s.WithoutLog},
		counter{"splitRequestCount", s.SplitRequests},
		counter{"splitSuccessCount", s.SplitsOK},
	)
	gets, scans, multis, mutates := m.Gets.Load(), m.Scans.Load(), m.Multis.Load(), m.Mutates.Load()
	b.counters(
		counter{"totalRequestCount", gets + scans + multis + mutates + m.OtherCalls.Load()},
		counter{"totalRowActionRequestCount", m.RowActions.Load()},
		counter{"rpcGetRequestCount", gets},
		counter{"rpcScanRequestCount", scans},
		counter{"rpcMultiRequestCount", multis},
		counter{"rpcMutateRequestCount", mutates},
		counter{"checkMutatePassedCount", m.CheckPassed.Load()},
		counter{"checkMutateFailedCount", m.CheckFailed.Load()},
	)
	for _, t := range []struct {
		name string
		h    *Histogram
	}{
		{"Get", &m.Get},
		{"Put", &m.Put},
		{"Delete", &m.Delete},
		{"Increment", &m.Increment},
		{"Append", &m.Append},
		{"ScanTime", &m.Scan},
		{"CheckAndMutate", &m.CheckAndMutate},
	} {
		b.times(t.name, t.h, now)
	}
	return b
}

func regionCounters(b *bean, r *RegionServer) {
	var sum Region
	for i := range r.Regions {
		one := &r.Regions[i]
		sum.Stores += one.Stores
		sum.Files += one.Files
		sum.FileBytes += one.FileBytes
		sum.MemstoreBytes += one.MemstoreBytes
		sum.Reads += one.Reads
		sum.Writes += one.Writes
		sum.FilteredReads += one.FilteredReads
	}
	var average int64
	if n := int64(len(r.Regions)); n > 0 {
		average = (sum.FileBytes + sum.MemstoreBytes) / n
	}
	b.counters(
		counter{"regionCount", int64(len(r.Regions))},
		counter{"storeCount", int64(sum.Stores)},
		counter{"storeFileCount", int64(sum.Files)},
		counter{"storeFileSize", sum.FileBytes},
		counter{"memStoreSize", sum.MemstoreBytes},
		counter{"averageRegionSize", average},
		counter{"percentFilesLocal", 100}, // the sandbox serves all data locally
		counter{"readRequestCount", sum.Reads},
		counter{"filteredReadRequestCount", sum.FilteredReads},
		counter{"writeRequestCount", sum.Writes},
	)
}

func cacheCounters(b *bean, s *Storage) {
	b.counters(
		counter{"blockCacheSize", s.CacheBytes},
		counter{"blockCacheFreeSize", s.CacheFree},
		counter{"blockCacheCount", s.CacheBlocks},
		counter{"blockCacheHitCount", s.CacheHits},
		counter{"blockCacheMissCount", s.CacheMisses},
		counter{"blockCacheEvictionCount", s.CacheEvicted},
		counter{"l1CacheHitCount", s.CacheHits},
		counter{"l1CacheMissCount", s.CacheMisses},
	)
	ratio := 0.0
	if n := s.CacheHits + s.CacheMisses; n > 0 {
		ratio = float64(s.CacheHits) / float64(n)
	}
	// All reads use the one cache.
	b.set("blockCacheCountHitPercent", 100*ratio)
	b.set("blockCacheExpressHitPercent", 100*ratio)
	b.set("l1CacheHitRatio", 100*ratio)
	b.set("l1CacheMissRatio", 100*(1-ratio))
}

func ipcBean(of string, m *Meter, host string, now time.Time) *bean {
	b := hbaseBean(of, "IPC", host)
	active := m.Serving.Load()
	b.counters(
		counter{"queueSize", 0}, // waiting calls hold no memory of the queue
		counter{"numCallsInGeneralQueue", m.Queued.Load()},
		counter{"numOpenConnections", m.Connections.Load()},
		counter{"numActiveHandler", active},
		counter{"numActiveGeneralHandler", active},
		counter{"receivedBytes", m.Received.Load()},
		counter{"sentBytes", m.Sent.Load()},
		counter{"exceptions", m.Exceptions.Load()},
		counter{"exceptions.NotServingRegionException", m.NotServing.Load()},
		counter{"exceptions.RegionMovedException", m.Moved.Load()},
		counter{"exceptions.RegionTooBusyException", m.TooBusy.Load()},
		counter{"exceptions.UnknownScannerException", m.UnknownScanner.Load()},
		counter{"exceptions.callQueueTooBig", m.QueueTooBig.Load()},
	)
	b.times("QueueCallTime", &m.Queue, now)
	b.times("ProcessCallTime", &m.Process, now)
	b.times("TotalCallTime", &m.Total, now)
	return b
}

func walBean(r *RegionServer, now time.Time) *bean {
	b := hbaseBean("RegionServer", "WAL", r.Host)
	s := &r.Storage
	b.set("writtenBytes", s.LogWritten)
	// A sandbox in memory has no log to report about.
	if s.LogSync != nil {
		b.times("SyncTime", s.LogSync, now)
	}
	if s.LogAppend != nil {
		b.times("AppendTime", s.LogAppend, now)
	}
	return b
}

// tablesBean has the metrics of each table on the server.
func tablesBean(r *RegionServer) *bean {
	b := hbaseBean("RegionServer", "Tables", r.Host)
	type key struct{ namespace, table string }
	sums := map[key]*Region{}
	var order []key
	counts := map[key]int{}
	for i := range r.Regions {
		one := &r.Regions[i]
		k := key{one.Namespace, one.Table}
		sum := sums[k]
		if sum == nil {
			sum = &Region{}
			sums[k] = sum
			order = append(order, k)
		}
		counts[k]++
		sum.Reads += one.Reads
		sum.Writes += one.Writes
		sum.FilteredReads += one.FilteredReads
		sum.Stores += one.Stores
		sum.Files += one.Files
		sum.FileBytes += one.FileBytes
		sum.MemstoreBytes += one.MemstoreBytes
	}
	for _, k := range order {
		prefix := fmt.Sprintf("Namespace_%s_table_%s_metric_", k.namespace, k.table)
		sum := sums[k]
		b.counters(
			counter{prefix + "readRequestCount", sum.Reads},
			counter{prefix + "filteredReadRequestCount", sum.FilteredReads},
			counter{prefix + "writeRequestCount", sum.Writes},
			counter{prefix + "totalRequestCount", sum.Reads + sum.Writes},
			counter{prefix + "memStoreSize", sum.MemstoreBytes},
			counter{prefix + "storeFileCount", int64(sum.Files)},
			counter{prefix + "storeFileSize", sum.FileBytes},
			counter{prefix + "tableSize", sum.FileBytes + sum.MemstoreBytes},
			counter{prefix + "regionCount", int64(counts[k])},
		)
	}
	b.set("numTables", len(order))
	return b
}

// regionsBean has the metrics of each region of the server.
func regionsBean(r *RegionServer) *bean {
	b := hbaseBean("RegionServer", "Regions", r.Host)
	for i := range r.Regions {
		one := &r.Regions[i]
		prefix := fmt.Sprintf("Namespace_%s_table_%s_region_%s_metric_", one.Namespace, one.Table, one.Encoded)
		b.counters(
			counter{prefix + "storeCount", int64(one.Stores)},
			counter{prefix + "storeFileCount", int64(one.Files)},
			counter{prefix + "storeFileSize", one.FileBytes},
			counter{prefix + "memStoreSize", one.MemstoreBytes},
			counter{prefix + "readRequestCount", one.Reads},
			counter{prefix + "filteredReadRequestCount", one.FilteredReads},
			counter{prefix + "writeRequestCount", one.Writes},
		)
	}
	b.set("numRegions", len(r.Regions))
	return b
}
