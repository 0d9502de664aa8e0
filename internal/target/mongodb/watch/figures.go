package watch

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/benchd/benchd/internal/observe"
	"github.com/benchd/benchd/internal/target/mongodb/mongodbspec"
)

// figure is a figure of a server, and where serverStatus has it. Values of several places are added up; one with a minus is taken off.
type figure struct {
	name, unit string
	kind       observe.Kind
	paths      [][]string
	scale      float64    // 0 is 1
	of         [][]string // of a Share: the whole
}

// The parts of serverStatus.
const (
	cache    = "wiredTiger/cache"
	journal  = "wiredTiger/log"
	commands = "metrics/commands"
)

// figures lists what is read from serverStatus.
func figures() []figure {
	const counter, level, share = observe.Counter, observe.Level, observe.Share
	bytes, perSecond := "bytes", "1/s"
	return []figure{
		{name: "operations", unit: perSecond, kind: counter, paths: paths(
			commands+"/find/total", commands+"/insert/total", commands+"/update/total", commands+"/delete/total",
			commands+"/findAndModify/total", commands+"/getMore/total", commands+"/aggregate/total")},
		{name: "finds", unit: perSecond, kind: counter, paths: paths(commands + "/find/total")},
		{name: "inserts", unit: perSecond, kind: counter, paths: paths(commands + "/insert/total")},
		{name: "updates", unit: perSecond, kind: counter, paths: paths(commands + "/update/total")},
		{name: "deletes", unit: perSecond, kind: counter, paths: paths(commands + "/delete/total")},
		{name: "failures", unit: perSecond, kind: counter, paths: paths(
			commands+"/find/failed", commands+"/insert/failed", commands+"/update/failed", commands+"/delete/failed")},
		{name: "documents_returned", unit: perSecond, kind: counter, paths: paths("metrics/document/returned")},
		{name: "documents_inserted", unit: perSecond, kind: counter, paths: paths("metrics/document/inserted")},
		{name: "documents_updated", unit: perSecond, kind: counter, paths: paths("metrics/document/updated")},
		{name: "documents_deleted", unit: perSecond, kind: counter, paths: paths("metrics/document/deleted")},
		{name: "replicated", unit: perSecond, kind: counter, paths: paths("metrics/repl/apply/ops")},
		{name: "read_time", unit: "ms/s", kind: counter, scale: 1e-3, paths: paths("opLatencies/reads/latency")},
		{name: "write_time", unit: "ms/s", kind: counter, scale: 1e-3, paths: paths("opLatencies/writes/latency")},
		{name: "connections", unit: "1", kind: level, paths: paths("connections/current")},
		{name: "queue", unit: "1", kind: level, paths: paths("globalLock/currentQueue/total")},
		{name: "active_clients", unit: "1", kind: level, paths: paths("globalLock/activeClients/total")},
		{name: "received", unit: "bytes/s", kind: counter, paths: paths("network/bytesIn")},
		{name: "sent", unit: "bytes/s", kind: counter, paths: paths("network/bytesOut")},
		{name: "memory", unit: bytes, kind: level, scale: 1 << 20, paths: paths("mem/resident")},
		{name: "page_faults", unit: perSecond, kind: counter, paths: paths("extra_info/page_faults")},
		{name: "cache_used", unit: bytes, kind: level, paths: paths(cache + "/bytes currently in the cache")},
		{name: "cache_size", unit: bytes, kind: level, paths: paths(cache + "/maximum bytes configured")},
		{name: "cache_dirty", unit: bytes, kind: level, paths: paths(cache + "/tracked dirty bytes in the cache")},
		{name: "cache_read", unit: "bytes/s", kind: counter, paths: paths(cache + "/bytes read into cache")},
		{name: "cache_written", unit: "bytes/s", kind: counter, paths: paths(cache + "/bytes written from cache")},
		{name: "cache_misses", unit: perSecond, kind: counter, paths: paths(cache + "/pages read into cache")},
		{
			name: "cache_hit_percent", unit: "percent", kind: share,
			paths: paths(cache+"/pages requested from the cache", "-"+cache+"/pages read into cache"), of: paths(cache + "/pages requested from the cache"),
		},
		{name: "evictions_by_operations", unit: perSecond, kind: counter, paths: paths(cache + "/pages evicted by application threads")},
		{name: "journal_syncs", unit: perSecond, kind: counter, paths: paths(journal + "/log sync operations")},
		{name: "journal_sync", unit: "ms/s", kind: counter, scale: 1e-3, paths: paths(journal + "/log sync time duration (usecs)")},
		{name: "journal_written", unit: "bytes/s", kind: counter, paths: paths(journal + "/log bytes written")},
		{name: "checkpoint_time", unit: "ms/s", kind: counter, paths: paths("wiredTiger/transaction/transaction checkpoint total time (msecs)")},
		{name: "read_tickets_left", unit: "1", kind: level, paths: paths("wiredTiger/concurrentTransactions/read/available")},
		{name: "write_tickets_left", unit: "1", kind: level, paths: paths("wiredTiger/concurrentTransactions/write/available")},
		{name: "uptime", unit: "s", kind: level, paths: paths("uptime")},
	}
}

// paths splits places at slashes.
func paths(places ...string) [][]string {
	all := make([][]string, len(places))
	for i, place := range places {
		all[i] = strings.Split(place, "/")
	}
	return all
}

// readings returns the figures that a serverStatus has. Cores are the processors of the server's machine; 0 if unknown.
func readings(status bson.Raw, cores float64) []observe.Reading {
	var all []observe.Reading
	for _, f := range figures() {
		value, ok := sum(status, f.paths)
		if !ok {
			continue
		}
		of, _ := sum(status, f.of)
		scale := f.scale
		if scale == 0 {
			scale = 1
		}
		all = append(all, observe.Reading{Name: mongodbspec.ServerFigures + f.name, Unit: f.unit, Kind: f.kind, Value: scale * value, Of: of})
	}
	if used, ok := sum(status, paths("extra_info/user_time_us", "extra_info/system_time_us")); ok && cores > 0 {
		const percentPerMicrosecond = 1e-4
		all = append(all, observe.Reading{
			Name: mongodbspec.ServerFigures + "cpu_percent", Unit: "percent", Kind: observe.Counter, Value: percentPerMicrosecond * used / cores,
		})
	}
	return all
}

// sum adds up the values of several places. Ok is false if none of them is there.
func sum(status bson.Raw, places [][]string) (total float64, ok bool) {
	for _, path := range places {
		sign := 1.0
		if len(path[0]) > 0 && path[0][0] == '-' {
			sign, path = -1, append([]string{path[0][1:]}, path[1:]...)
		}
		value, err := status.LookupErr(path...)
		if err != nil {
			continue
		}
		if n, is := value.AsFloat64OK(); is {
			total, ok = total+sign*n, true
		}
	}
	return total, ok
}
