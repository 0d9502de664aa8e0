package watch

import (
	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/observe"
)

// bean is a JMX bean that is read, and the attributes that are taken from it.
type bean struct {
	key, query string
	other      string // its name in HBase 1, if it has another one there; changed with query where the bean is not found
	// live means that the server computes the values at each read. It caches those of other beans for some seconds.
	live       bool
	attributes []attribute
	byName     map[string]int
}

// attribute is an attribute of a bean, and the figure that it becomes.
type attribute struct {
	bean   string // its name there
	figure string
	unit   string
	kind   observe.Kind
	scale  float64 // 0 is 1
	of     string  // of a Share: the attribute that together with it makes the whole
	during string  // of a Share of time: the attribute that is multiplied by the elapsed time
}

const (
	hadoop = "Hadoop:service=HBase,name="
	server = "hbase.regionserver."
	master = "hbase.master."
	mega   = 1 << 20

	percent    = "percent"
	nanosecond = 1e-9
)

// serverBeanKey is the key of the bean that every server must have, and that names the server whose figures these are.
const serverBeanKey = "server"

// serverBeans lists the beans of a region server. A test compares them with the table in docs/telemetry.md.
func serverBeans() []*bean {
	return indexed([]*bean{
		{key: serverBeanKey, query: hadoop + "RegionServer,sub=Server", attributes: []attribute{
			{bean: "totalRequestCount", figure: server + "requests", unit: "1/s", kind: observe.Counter},
			{bean: "readRequestCount", figure: server + "requests_read", unit: "1/s", kind: observe.Counter},
			{bean: "writeRequestCount", figure: server + "requests_write", unit: "1/s", kind: observe.Counter},
			{bean: "blockCacheHitCount", figure: server + "block_cache_hit_percent", unit: percent, kind: observe.Share, of: "blockCacheMissCount"},
			{bean: "blockCacheMissCount", figure: server + "block_cache_misses", unit: "1/s", kind: observe.Counter},
			{bean: "blockCacheSize", figure: server + "block_cache_size", unit: "bytes"},
			{bean: "blockCacheEvictionCount", figure: server + "block_cache_evictions", unit: "1/s", kind: observe.Counter},
			{bean: "storeFileCount", figure: server + "store_files", unit: "1"},
			{bean: "storeFileSize", figure: server + "store_file_size", unit: "bytes"},
			{bean: "memStoreSize", figure: server + "memstore_size", unit: "bytes"},
			{bean: "percentFilesLocal", figure: server + "files_local_percent", unit: percent},
			{bean: "compactionQueueLength", figure: server + "compaction_queue", unit: "1"},
			{bean: "flushQueueLength", figure: server + "flush_queue", unit: "1"},
			{bean: "compactedOutputBytes", figure: server + "compacted", unit: "bytes/s", kind: observe.Counter},
			{bean: "flushedMemstoreBytes", figure: server + "flushed", unit: "bytes/s", kind: observe.Counter},
			{bean: "updatesBlockedTime", figure: server + "updates_blocked", unit: "ms/s", kind: observe.Counter},
			{bean: "hlogFileCount", figure: server + "wal_files", unit: "1"},
			{bean: "hlogFileSize", figure: server + "wal_size", unit: "bytes"},
			{bean: "FlushTime_num_ops", figure: server + "flushes", unit: "1/s", kind: observe.Counter},
			{bean: "CompactionTime_num_ops", figure: server + "compactions", unit: "1/s", kind: observe.Counter},
		}},
		{key: "ipc", query: hadoop + "RegionServer,sub=IPC", attributes: []attribute{
			{bean: "numCallsInGeneralQueue", figure: server + "call_queue", unit: "1"},
			{bean: "queueSize", figure: server + "call_queue_size", unit: "bytes"},
			{bean: "numActiveHandler", figure: server + "handlers_active", unit: "1"},
			{bean: "numActiveGeneralHandler", figure: server + "handlers_active_general", unit: "1"},
			{bean: "TotalCallTime_num_ops", figure: server + "calls", unit: "1/s", kind: observe.Counter},
			{bean: "QueueCallTime_mean", figure: server + "queue_time_mean", unit: "ms"},
			{bean: "ProcessCallTime_mean", figure: server + "process_time_mean", unit: "ms"},
			{bean: "numOpenConnections", figure: server + "connections", unit: "1"},
			{bean: "receivedBytes", figure: server + "received", unit: "bytes/s", kind: observe.Counter},
			{bean: "sentBytes", figure: server + "sent", unit: "bytes/s", kind: observe.Counter},
			{bean: "exceptions", figure: server + "exceptions", unit: "1/s", kind: observe.Counter},
		}},
		{key: "wal", query: hadoop + "RegionServer,sub=WAL", attributes: []attribute{
			{bean: "writtenBytes", figure: server + "wal_written", unit: "bytes/s", kind: observe.Counter},
			{bean: "SyncTime_num_ops", figure: server + "wal_syncs", unit: "1/s", kind: observe.Counter},
			{bean: "SyncTime_mean", figure: server + "wal_sync_mean", unit: "ms"},
			{bean: "slowAppendCount", figure: server + "wal_slow_appends", unit: "1/s", kind: observe.Counter},
		}},
		{key: "os", query: "java.lang:type=OperatingSystem", live: true, attributes: []attribute{
			{bean: "ProcessCpuTime", figure: server + "cpu_percent", unit: percent, kind: observe.Share, scale: nanosecond, during: "AvailableProcessors"},
		}},
		jvmBean(server),
	})
}

// masterBeans lists the beans of the master.
func masterBeans() []*bean {
	return indexed([]*bean{
		{key: serverBeanKey, query: hadoop + "Master,sub=Server", attributes: []attribute{
			{bean: "averageLoad", figure: master + "average_load", unit: "1"},
			{bean: "clusterRequests", figure: master + "cluster_requests", unit: "1/s", kind: observe.Counter},
		}},
		{key: "assignment", query: hadoop + "Master,sub=AssignmentManager", other: hadoop + "Master,sub=AssignmentManger", attributes: []attribute{
			{bean: "ritCount", figure: master + "regions_in_transition", unit: "1"},
			{bean: "ritOldestAge", figure: master + "transition_oldest", unit: "ms"},
		}},
		jvmBean(master),
	})
}

func jvmBean(whose string) *bean {
	return &bean{key: "jvm", query: hadoop + "JvmMetrics", attributes: []attribute{
		{bean: "MemHeapUsedM", figure: whose + "heap_used", unit: "bytes", scale: mega},
		{bean: "GcTimeMillis", figure: whose + "gc_time", unit: "ms/s", kind: observe.Counter},
		{bean: "GcCount", figure: whose + "gc_count", unit: "1/s", kind: observe.Counter},
	}}
}

func indexed(beans []*bean) []*bean {
	for _, b := range beans {
		b.byName = make(map[string]int)
		for i, a := range b.attributes {
			b.byName[a.bean] = i
		}
	}
	return beans
}

// values has the attributes of a bean in the order of its table.
type values struct {
	of     []float64
	beside []float64 // the second attribute of a Share
	there  []bool
	server string // the server that the bean names

	at    clock.Instant // of the last read of a live bean
	whole []float64     // of Shares of time: the time since the first read, multiplied by the second attribute
}

// read parses the wanted attributes of a bean at an instant.
func (b *bean) read(page []byte, at clock.Instant, into *values) (found bool, err error) {
	n := len(b.attributes)
	if len(into.of) != n {
		*into = values{of: make([]float64, n), beside: make([]float64, n), there: make([]bool, n), whole: make([]float64, n)}
	}
	clear(into.there)
	clear(into.beside)
	into.server = ""
	found, err = attributes(page, func(name, value []byte) {
		for i := range b.attributes {
			a := &b.attributes[i]
			if a.kind == observe.Share && (a.of == string(name) || a.during == string(name)) {
				into.beside[i], _ = number(value)
			}
		}
		if i, wanted := b.byName[string(name)]; wanted {
			into.of[i], into.there[i] = number(value)
			return
		}
		if string(name) == "tag.serverName" && len(value) > 2 && value[0] == '"' {
			into.server = string(value[1 : len(value)-1])
		}
	})
	if found && err == nil {
		into.elapse(at)
	}
	return found, err
}

// elapse adds the time since the previous read to the wholes of Shares of time.
func (v *values) elapse(at clock.Instant) {
	if !v.at.IsZero() {
		for i, of := range v.beside {
			v.whole[i] += of * at.Sub(v.at).Seconds()
		}
	}
	v.at = at
}

// readings returns the figures whose attributes were present.
func (b *bean) readings(v *values) []observe.Reading {
	out := make([]observe.Reading, 0, len(b.attributes))
	for i := range b.attributes {
		a := &b.attributes[i]
		if !v.there[i] {
			continue
		}
		r := observe.Reading{Name: a.figure, Unit: a.unit, Kind: a.kind, Value: v.of[i]}
		if a.scale != 0 {
			r.Value *= a.scale
		}
		switch {
		case a.during != "":
			r.Of = v.whole[i]
		case a.kind == observe.Share:
			r.Of = r.Value + v.beside[i]
		}
		out = append(out, r)
	}
	return out
}
