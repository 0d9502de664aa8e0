package bottleneck

import (
	"cmp"
	"slices"
)

// Limit is a verdict about what limited a phase.
type Limit struct {
	Name    string
	Title   string // as sentences begin
	Meaning string
}

// The names of the limits that this package knows by itself.
const (
	ClientBound   = "client_bound"
	Disk          = "disk"
	NIC           = "nic"
	ServerCPU     = "server_cpu"
	None          = "none"
	NotDetermined = "not_determined"
)

// Limits lists the verdicts. If several rules hold, the first limit is the verdict: causes come before their effects.
func Limits() []Limit {
	return []Limit{
		{Name: "client_bound", Title: "client-bound", Meaning: "an agent could not offer or measure more; the sentence names the agent and its resource"},
		{Name: "hot_region", Title: "hot region", Meaning: "one region received most of the requests"},
		{Name: "hot_server", Title: "hot server", Meaning: "one server received many more requests than the others"},
		{Name: "compaction", Title: "compaction", Meaning: "writes waited for flushes and compactions"},
		{Name: "cache_misses", Title: "cache misses", Meaning: "reads did not find their blocks in the cache of a server"},
		{Name: "gc", Title: "GC", Meaning: "a server spent its time in garbage collection"},
		{Name: "wal_sync", Title: "WAL sync", Meaning: "writes waited until the write-ahead log was synced"},
		{Name: "disk", Title: "disk", Meaning: "a disk of a server's machine was busy"},
		{Name: "nic", Title: "NIC", Meaning: "a network interface of a server's machine was near its speed"},
		{Name: "handler_queue", Title: "handler queue", Meaning: "calls waited for one of few handlers"},
		{Name: "server_cpu", Title: "CPU of the servers", Meaning: "the processors of a server or its machine were busy"},
		{Name: "none", Title: "none", Meaning: "an open loop, whose offered rate was kept"},
		{Name: "not_determined", Title: "not determined", Meaning: "no rule holds; the result lists what would have to be observed"},
	}
}

// rank is the place of a limit in the order of causes; unknown limits are last.
func rank(name string) int {
	i := slices.IndexFunc(Limits(), func(l Limit) bool { return l.Name == name })
	if i < 0 {
		return len(Limits())
	}
	return i
}

// title is the title of a limit.
func title(name string) string {
	if i := rank(name); i < len(Limits()) {
		return Limits()[i].Title
	}
	return name
}

func byCause(a, b string) int { return cmp.Compare(rank(a), rank(b)) }
