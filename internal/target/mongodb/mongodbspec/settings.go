package mongodbspec

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/property"
)

// Sharding is the key by which a collection is sharded.
type Sharding string

// The values of mongodb.shard.key.
const (
	Unsharded Sharding = "none"
	Hashed    Sharding = "hashed" // {_id: "hashed"}
	Ranged    Sharding = "ranged" // {_id: 1}
)

// WriteConcern is how many servers acknowledge a write; the zero value is the server's default.
type WriteConcern struct {
	W       string // a number, majority, or the name of a write concern of the replica set
	Journal string // true, false, or empty
	Timeout int64  // milliseconds; 0 is none
}

// Unacknowledged reports that the server does not answer writes.
func (w WriteConcern) Unacknowledged() bool { return w.W == "0" && w.Journal != "true" }

// Servers returns W if it is a number.
func (w WriteConcern) Servers() (n int, ok bool) {
	n, err := strconv.Atoi(w.W)
	return n, err == nil
}

// Settings are the settings of target mongodb.
type Settings struct {
	URL        URL // with the options that other properties set
	Database   string
	Collection string
	User       string

	Upsert         bool
	Write          WriteConcern
	ReadPreference string // as connection strings have it
	ReadConcern    string // empty is the server's default
	Timeout        time.Duration
	Connections    int

	Create descriptor.Creation
	Shard  Sharding
	Chunks int
}

// Namespace returns the collection's name with its database.
func (s Settings) Namespace() string { return s.Database + "." + s.Collection }

// Read returns the settings of resolved properties. The error is of type property.Problems.
func Read(properties map[string]string) (Settings, error) {
	known := slices.DeleteFunc(keys(), func(k property.Key) bool { return k.Status != "" })
	v, err := property.Read(properties, append(known,
		property.Key{Name: "table", Kind: property.Text, Default: "usertable"}, property.Key{Name: "phase", Kind: property.Text, Default: "run"}))
	if err != nil {
		return Settings{}, err //nolint:wrapcheck // it lists the mistakes
	}
	if err := CheckCollection(v.Text("table")); err != nil {
		return Settings{}, property.Problems{{Key: "table", Text: err.Error()}}
	}
	u, err := parseURL(v.Text(urlKey))
	if err != nil {
		return Settings{}, property.Problems{{Key: urlKey, Text: err.Error()}}
	}
	u = withProperties(u, v)
	s := Settings{
		URL: u, Database: databaseOf(v, u), Collection: v.Text("table"), User: v.Text(userKey),
		Upsert:         v.Bool(upsertKey),
		Write:          WriteConcern{W: u.Option("w"), Journal: u.Option("journal"), Timeout: optionNumber(u, "wtimeoutMS")},
		ReadPreference: u.Option("readPreference"),
		ReadConcern:    u.Option("readConcernLevel"),
		Timeout:        v.Milliseconds(timeoutKey),
		Connections:    int(optionNumber(u, "maxPoolSize")),
		Create:         descriptor.CreationOf(v, createKey), Shard: Sharding(v.Text(shardKey)), Chunks: v.Int(chunksKey),
	}
	if s.User == "" {
		s.User = u.User
	}
	return s, nil
}

// databaseOf returns the database as YCSB's binding does: that of the url, unless the url is the default or names admin.
func databaseOf(v property.Values, u URL) string {
	if u.Database == "" || u.Database == "admin" || v.Text(urlKey) == defaultURL {
		return "ycsb"
	}
	return u.Database
}

// withProperties adds the properties of YCSB's binding to the options that the url does not have, as the binding does.
func withProperties(u URL, v property.Values) URL {
	u = u.withDefault("maxPoolSize", v.Text(connectionsKey))
	switch v.Text(writeKey) {
	case "errors_ignored", "unacknowledged":
		u = u.withDefault("w", "0")
	case "acknowledged":
		u = u.withDefault("w", "1")
	case "replica_acknowledged":
		u = u.withDefault("w", "2")
	case "majority":
		u = u.withDefault("w", "majority")
	case "journaled":
		u = u.withDefault("journal", "true")
	}
	i := slices.IndexFunc(readPreferences(), func(one string) bool {
		return strings.ToLower(one) == strings.ReplaceAll(v.Text(readKey), "_", "")
	})
	if i >= 0 {
		u = u.withDefault("readPreference", readPreferences()[i])
	}
	if level := v.Text(readConcernKey); level != "" {
		u = u.withDefault("readConcernLevel", level)
	}
	return u.withDefault("readPreference", readPreferences()[0])
}

func optionNumber(u URL, name string) int64 {
	n, _ := strconv.ParseInt(u.Option(name), 10, 64)
	return n
}

// recreates reports whether the collection and its documents are dropped.
func recreates(v property.Values) bool {
	return descriptor.CreationOf(v, createKey) == descriptor.Recreate
}

// splitsOf describes how a collection that is created is split.
func splitsOf(v property.Values) string {
	if Sharding(v.Text(shardKey)) == Unsharded || v.Int(chunksKey) == 0 {
		return ""
	}
	return v.Text(shardKey) + " " + v.Text(chunksKey)
}
