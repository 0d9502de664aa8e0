package spec

import (
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/figure"
	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/suggest"
)

// keysFor returns all properties of these targets, grouped by topic. The properties of other YCSB bindings are recognized
// by their prefixes.
func keysFor(targets descriptor.List) []property.Key {
	keys := slices.Concat(workloadKeys(), distributionKeys(), seriesKeys(), traceKeys(), runKeys(targets), groupKeys(), searchKeys(), betweenKeys(targets), telemetryKeys(targets), reportingKeys(), targets.Keys())
	for i := range keys {
		if keys[i].Status == "" {
			keys[i].Status = property.Honoured
		}
	}
	for i, k := range keys {
		if k.Status != property.Alias || k.Kind != "" {
			continue
		}
		of := keys[slices.IndexFunc(keys, func(other property.Key) bool { return other.Name == k.Of })]
		keys[i].Kind, keys[i].Values, keys[i].Min, keys[i].Max, keys[i].Check = of.Kind, of.Values, of.Min, of.Max, of.Check
	}
	return keys
}

// table is an index of the keys by name.
type table struct {
	targets descriptor.List
	figures figure.Vocabulary
	keys    []property.Key
	index   map[string]int
}

func newTable(targets descriptor.List) table {
	t := table{targets: targets, figures: figure.New(targets.Columns()), keys: keysFor(targets)}
	t.index = make(map[string]int, len(t.keys))
	for i, k := range t.keys {
		t.index[k.Name] = i
	}
	return t
}

func (t table) find(name string) (property.Key, bool) {
	if group, own, ok := splitGroup(name); ok {
		k, ok := t.find(own)
		return k, ok && isGroupName(group) && t.ofGroups(k)
	}
	i, ok := t.index[name]
	if !ok {
		return property.Key{}, false
	}
	return t.keys[i], true
}

// defaultOf returns a property's default, or "".
func (t table) defaultOf(name string) string {
	k, _ := t.find(name)
	return k.Default
}

// near returns the known name nearest to an unknown one, or "". Of a database's property, that is one of the same database: the nearest, else
// the first that ends with the same word.
func (t table) near(name string) string {
	all := t.names()
	prefix, rest, _ := strings.Cut(name, ".")
	own := slices.DeleteFunc(slices.Clone(all), func(known string) bool { return !strings.HasPrefix(known, prefix+".") })
	if len(own) == 0 {
		return suggest.Nearest(name, all)
	}
	if near := suggest.Nearest(name, own); near != "" {
		return near
	}
	ending := "." + rest[strings.LastIndexByte(rest, '.')+1:]
	if i := slices.IndexFunc(own, func(known string) bool { return strings.HasSuffix(known, ending) }); i >= 0 {
		return own[i]
	}
	return ""
}

// names returns the names of all properties but the refused ones.
func (t table) names() []string {
	names := make([]string, 0, len(t.keys))
	for _, k := range t.keys {
		if k.Status != property.Refused {
			names = append(names, k.Name)
		}
	}
	return names
}

// foreign returns the prefix that marks a property as that of another YCSB binding, or "". A target's own properties make their prefix
// known: another name with that prefix is a mistake.
func (t table) foreign(name string) string {
	for _, prefix := range foreignPrefixes() {
		own := func(k property.Key) bool { return strings.HasPrefix(k.Name, prefix) }
		if strings.HasPrefix(name, prefix) && !slices.ContainsFunc(t.keys, own) {
			return prefix
		}
	}
	return ""
}

// foreignPrefixes are the prefixes of YCSB's bindings, and of the libraries to which they pass properties.
func foreignPrefixes() []string {
	return []string{
		"accumulo.", "aerospike.", "arangodb.", "as.", "asynchbase.", "azurecosmos.", "azuretablestorage.", "basicdb.",
		"cassandra.", "cloudspanner.", "couchbase.", "couchbase2.", "crail.", "db.", "dynamodb.", "elasticsearch.", "es.",
		"foundationdb.", "geode.", "google.bigtable.", "googlebigtable.", "googledatastore.", "griddb.", "hosts.", "htrace.",
		"ignite.", "infinispan.", "jdbc.", "kudu_", "kudu.", "maprjsondb.", "memcached.", "mongodb.", "nosqldb.", "oracle.",
		"orientdb.", "postgrenosql.", "postgrenosql_", "rados.", "redis.", "rest.", "riak.", "rocksdb.", "s3.", "scylla.", "sequoiadb.",
		"seaweed.", "solr.", "tablestore.", "tarantool.", "voltdb.", "zookeeper.connect",
	}
}
