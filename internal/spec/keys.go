package spec

import (
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/spelling"
)

// Kind is what a property's value is.
type Kind string

// The kinds.
const (
	Int      Kind = "int"      // a whole number within the key's bounds
	Float    Kind = "float"    // a number within the key's bounds
	Bool     Kind = "bool"     // true or false
	Enum     Kind = "enum"     // one of the key's Values
	Duration Kind = "duration" // as Go writes it: 90s, 1h30m
	Percent  Kind = "percent"  // a share: 0.001 or 0.1%
	Rate     Kind = "rate"     // operations per second, over time
	Text     Kind = "string"   // anything printable
	List     Kind = "list"     // values with commas between them
)

// Status is what becomes of a property that a submission sets.
type Status string

// The statuses.
const (
	Honoured Status = "honoured"
	// Alias is another name of a property, perhaps in another unit.
	Alias Status = "alias"
	// Reporting shapes only what is printed in YCSB's own form.
	Reporting Status = "reporting"
	// Idle concerns only YCSB's own program: accepted with a warning, without effect.
	Idle Status = "idle"
	// Refused names what we do not do; the reason says why.
	Refused Status = "refused"
)

// Key is one known property.
type Key struct {
	Name    string
	Kind    Kind
	Default string // "" is none
	Doc     string // one line
	Status  Status
	// Reason says why a key is Refused or Idle, why a Reporting one has no effect, or what to know about an Alias.
	Reason string
	// Values are an Enum's.
	Values []string
	// Min and Max bound numbers and durations (in seconds).
	Min, Max float64
	// Targets are those that know the key; none means all.
	Targets []string
	// Of is the property that an Alias means.
	Of string

	check func(string) (string, error) // instead of the kind's own
}

// Keys lists every property known, by topic. The names of other bindings' properties are known by their
// prefixes only.
func Keys() []Key {
	keys := slices.Concat(workloadKeys(), distributionKeys(), runKeys(), telemetryKeys(), reportingKeys(), targetKeys())
	for i := range keys {
		if keys[i].Status == "" {
			keys[i].Status = Honoured
		}
	}
	return keys
}

// table finds keys by name.
type table struct {
	keys  []Key
	index map[string]int
}

func newTable() table {
	t := table{keys: Keys()}
	t.index = make(map[string]int, len(t.keys))
	for i, k := range t.keys {
		t.index[k.Name] = i
	}
	return t
}

func (t table) find(name string) (Key, bool) {
	i, ok := t.index[name]
	if !ok {
		return Key{}, false
	}
	return t.keys[i], true
}

// defaultOf returns a property's default, or "".
func (t table) defaultOf(name string) string {
	k, _ := t.find(name)
	return k.Default
}

// near returns the known name nearest to one that is not known, or "".
func (t table) near(name string) string { return spelling.Nearest(name, t.names()) }

// names are those of all properties but the refused ones.
func (t table) names() []string {
	names := make([]string, 0, len(t.keys))
	for _, k := range t.keys {
		if k.Status != Refused {
			names = append(names, k.Name)
		}
	}
	return names
}

// serves reports whether a target knows the key.
func (k Key) serves(db string) bool {
	return len(k.Targets) == 0 || slices.Contains(k.Targets, db)
}

// foreign returns the prefix by which a property belongs to a binding that is not ours, or "".
func foreign(name string) string {
	for _, prefix := range foreignPrefixes() {
		if strings.HasPrefix(name, prefix) {
			return prefix
		}
	}
	return ""
}

// foreignPrefixes are those of YCSB's bindings, and of libraries that they hand properties on to.
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
