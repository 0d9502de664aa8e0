package cassandraspec

import (
	"strings"

	"github.com/benchd/benchd/internal/descriptor"
)

// admin describes the commands of `benchctl admin cassandra`.
func admin() descriptor.Admin {
	return descriptor.Admin{
		Short: "Administer a Cassandra: tables, count, flush, compact and more",
		Long: `Cassandra administers a Cassandra cluster. Its address is given by -p hosts=HOST:PORT; the default is the agent's own machine.

TABLE is a table of cassandra.keyspace, or KEYSPACE.TABLE. It defaults to the property table, which is usertable by default. Cassandra
has flush, compact, drain and some others only in JMX. benchd reaches it over HTTP, if each node has the Jolokia agent and
cassandra.jolokia.port names its port (docs/cassandra.md).`,
		Example: `  benchctl admin cassandra servers -p hosts=c1
  benchctl admin cassandra count usertable --local -o json | jq '.rows[0][1]'`,
	}
}

// ParseTable returns the keyspace and the table of a name: [keyspace.]table.
func ParseTable(name, keyspace string) (inKeyspace, table string, err error) {
	if before, after, ok := strings.Cut(name, "."); ok {
		if keyspace, err = parseName("keyspace", before); err != nil {
			return "", "", err
		}
		name = after
	}
	table, err = parseName("table", name)
	return keyspace, table, err
}

// System reports whether a keyspace belongs to Cassandra itself.
func System(keyspace string) bool {
	return keyspace == "system" || strings.HasPrefix(keyspace, "system_")
}
