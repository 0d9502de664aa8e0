package sequoiadbspec

import (
	"net"
	"slices"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/property"
)

// The properties that other packages name.
const (
	// PasswordKey is the property with the reference to the user's password.
	PasswordKey = "sequoiadb.passwd" //nolint:gosec // a name

	urlKey      = "sequoiadb.url"
	hostKey     = "sequoiadb.host"
	portKey     = "sequoiadb.port"
	userKey     = "sequoiadb.user"
	spaceKey    = "database"
	timeoutKey  = "sequoiadb.timeout"
	upsertKey   = "sequoiadb.upsert"
	createKey   = "sequoiadb.table.create"
	shardingKey = "sequoiadb.sharding"
	splitKey    = "sequoiadb.autosplit"
	partsKey    = "sequoiadb.partitions"
	replicasKey = "sequoiadb.replsize"
	compressKey = "sequoiadb.compression"
	domainKey   = "sequoiadb.domain"
	groupsKey   = "sequoiadb.domain.groups"
	tlsKey      = "sequoiadb.tls"
)

// Values of sequoiadb.sharding and sequoiadb.compression.
const (
	Hash = "hash"
	None = "none"
)

// defaultPartitions is SequoiaDB's own number of partitions of a collection that is sharded by hash.
const defaultPartitions = 4096

// Settings are the settings of target sequoiadb.
type Settings struct {
	Coordinators []string // HOST:PORT
	User         string
	Space        string // the collection space
	Collection   string // without its space
	Timeout      time.Duration
	Upsert       bool
	TLS          bool

	Create      descriptor.Creation
	Sharded     bool // by hash of _id
	AutoSplit   bool
	Partitions  int // 0 is the server's default
	ReplSize    int
	Compression string // None, snappy or lzw
	Domain      string // empty for none
	Groups      []string
}

// FullName returns the collection's name with its space.
func (s Settings) FullName() string { return s.Space + "." + s.Collection }

// In returns the settings for another collection: its name, which has a space before a dot, or is in the space of the settings.
func (s Settings) In(table string) Settings {
	if space, collection, has := strings.Cut(table, "."); has {
		s.Space, s.Collection = space, collection
	} else if table != "" {
		s.Collection = table
	}
	return s
}

// Read returns the settings of resolved properties. The error is of type property.Problems.
func Read(properties map[string]string) (Settings, error) {
	known := slices.DeleteFunc(keys(), func(k property.Key) bool { return k.Status != "" })
	v, err := property.Read(properties, append(known,
		property.Key{Name: "table", Kind: property.Text, Default: "usertable"}, property.Key{Name: "phase", Kind: property.Text, Default: "run"}))
	if err != nil {
		return Settings{}, err
	}
	if err := CheckName(v.Text("table")); err != nil {
		return Settings{}, property.Problems{{Key: "table", Text: err.Error()}}
	}
	s := Settings{
		Coordinators: coordinators(v),
		User:         v.Text(userKey),
		Space:        v.Text(spaceKey),
		Timeout:      v.Duration(timeoutKey),
		Upsert:       v.Bool(upsertKey),
		TLS:          v.Bool(tlsKey),
		Create:       descriptor.CreationOf(v, createKey),
		Sharded:      v.Text(shardingKey) == Hash,
		AutoSplit:    v.Bool(splitKey),
		ReplSize:     v.Int(replicasKey),
		Compression:  v.Text(compressKey),
		Domain:       v.Text(domainKey),
		Groups:       v.List(groupsKey),
	}
	if n := v.Int(partsKey); n != defaultPartitions {
		s.Partitions = n
	}
	return s.In(v.Text("table")), nil
}

// coordinators returns the addresses: those of sequoiadb.url, or else the hosts with the port.
func coordinators(v property.Values) []string {
	if list := v.List(urlKey); len(list) > 0 {
		return list
	}
	var all []string
	for host := range strings.SplitSeq(v.Text(hostKey), ",") {
		all = append(all, net.JoinHostPort(strings.Trim(host, "[]"), v.Text(portKey)))
	}
	return all
}
