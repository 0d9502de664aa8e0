package mongodbspec

import (
	"errors"
	"fmt"
	"strings"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/property"
)

// The properties. Those of YCSB's binding have its names.
const (
	urlKey         = "mongodb.url"
	upsertKey      = "mongodb.upsert"
	writeKey       = "mongodb.writeConcern"
	readKey        = "mongodb.readPreference"
	connectionsKey = "mongodb.maxconnections"
	readConcernKey = "mongodb.readConcern"
	timeoutKey     = "mongodb.timeout"
	userKey        = "mongodb.user"
	createKey      = "mongodb.collection.create"
	shardKey       = "mongodb.shard.key"
	chunksKey      = "mongodb.shard.chunks"

	// PasswordKey is the property with the reference to the password.
	PasswordKey = "mongodb.password"
)

// defaultURL is the default of YCSB's binding.
const defaultURL = "mongodb://localhost:27017/ycsb?w=1"

// keys lists the properties.
func keys() []property.Key {
	const day = 86_400_000
	return []property.Key{
		{Name: urlKey, Kind: property.Text, Default: defaultURL, Check: checkURL, Doc: "connection string: servers, database (ycsb if it names none) and options; without a password, which is mongodb.password"},
		{Name: userKey, Kind: property.Text, Doc: "the user, authenticated by SCRAM unless authMechanism of the url says otherwise"},
		{Name: PasswordKey, Kind: property.Secret, Doc: "reference to the password of mongodb.user"},
		{Name: upsertKey, Kind: property.Bool, Default: "false", Doc: "insert by an upsert, which replaces a document that exists, and not by an insert, which fails then"},
		{Name: writeKey, Kind: property.Enum, Values: []string{"errors_ignored", "unacknowledged", "acknowledged", "journaled", "replica_acknowledged", "majority"}, Check: lower("errors_ignored", "unacknowledged", "acknowledged", "journaled", "replica_acknowledged", "majority"), Doc: "write concern, unless the url has w or journal; without both it is the server's default"},
		{Name: readKey, Kind: property.Enum, Values: []string{"primary", "primary_preferred", "secondary", "secondary_preferred", "nearest"}, Check: lower("primary", "primary_preferred", "secondary", "secondary_preferred", "nearest"), Doc: "which members of a replica set answer reads, unless the url has readPreference; without both it is the primary"},
		{Name: readConcernKey, Kind: property.Enum, Values: readConcerns(), Doc: "read concern, unless the url has readConcernLevel; without both it is the server's default"},
		{Name: connectionsKey, Kind: property.Int, Default: "100", Min: 1, Max: 100_000, Doc: "connections of each agent to each server at most, unless the url has maxPoolSize; further workers wait for one"},
		{Name: timeoutKey, Kind: property.Int, Default: "60000", Min: 10, Max: day, Doc: "milliseconds after which an operation ends as TIMEOUT; the server receives the rest of it as maxTimeMS"},
		{Name: createKey, Kind: property.Enum, Values: descriptor.Creations(), Doc: "whether to create the collection; by default missing in a load, and otherwise never"},
		{Name: shardKey, Kind: property.Enum, Default: string(Unsharded), Values: []string{string(Unsharded), string(Hashed), string(Ranged)}, Doc: "how a collection that is created is sharded by _id"},
		{Name: chunksKey, Kind: property.Int, Default: "0", Max: 8192, Doc: "chunks into which it is split before it has rows, spread over the shards; 0 is MongoDB's default"},

		{Name: "mongodb.batchsize", Kind: property.Int, Status: property.Alias, Of: "batchsize", Doc: "the name that YCSB's README and its asynchronous binding have for batchsize"},
		{Name: "mongodb.threadsAllowedToBlockForConnectionMultiplier", Kind: property.Text, Status: property.Idle, Reason: "workers that wait for a connection have no limit but mongodb.timeout"},
	}
}

// lower accepts one of the values in any case, as YCSB's binding does.
func lower(values ...string) func(string) (string, error) {
	return func(value string) (string, error) {
		return property.OneOf(strings.ToLower(strings.TrimSpace(value)), values)
	}
}

// CheckCollection accepts the name of a collection.
func CheckCollection(name string) error {
	const most = 120
	switch {
	case name == "" || strings.ContainsAny(name, "$\x00") || property.Printable(name) != nil:
		return fmt.Errorf("invalid collection name %s: want a name without $ and unprintable characters", property.Quote(name))
	case strings.HasPrefix(name, "system."):
		return fmt.Errorf("invalid collection name %s: want one outside of system., which has MongoDB's own collections", property.Quote(name))
	case strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".") || len(name) > most:
		return errors.New("invalid collection name: want at most 120 bytes, and no dot at either end")
	}
	return nil
}
