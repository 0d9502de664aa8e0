package cassandraspec

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/property"
)

// other returns a value that differs from the key's default.
func other(k property.Key) string {
	switch k.Kind {
	case property.Int:
		return "5"
	case property.Bool:
		return strconv.FormatBool(k.Default != "true")
	case property.Enum:
		return k.Values[len(k.Values)-1]
	case property.Duration:
		return "7ms"
	case property.Float, property.Percent, property.Rate, property.Text, property.List, property.Secret:
	}
	return "other"
}

func TestEveryHonouredKeyReachesTheSettings(t *testing.T) {
	before, err := Read(nil)
	require.NoError(t, err)
	for _, k := range keys() {
		if k.Status != "" || k.Kind == property.Secret { // secrets are read by their names
			continue
		}
		value := map[string]string{connectTimeoutKey: "70", readTimeoutKey: "70", replicationKey: "3"}[k.Name]
		if value == "" {
			value = other(k)
		}
		after, err := Read(map[string]string{k.Name: value})
		require.NoError(t, err, k.Name)
		require.NotEqual(t, before, after, k.Name)
	}
}

// A properties file for YCSB's binding has the same meaning here.
func TestTheDefaultsAreThoseOfYCSB(t *testing.T) {
	s, err := Read(nil)
	require.NoError(t, err)
	require.Equal(t, []string{"127.0.0.1:9042", "ycsb", "usertable", "QUORUM", "QUORUM"}, []string{s.Hosts[0], s.Keyspace, s.Table, s.ReadLevel, s.WriteLevel})
	require.Equal(t, descriptor.CreateNever, s.Create)
	s, err = Read(map[string]string{"hosts": "c1, [::1],c2:9043", "port": "9142", "table": "UserTable", "phase": "load", replicationKey: "dc2:1, dc1:3"})
	require.NoError(t, err)
	require.Equal(t, []string{"c1:9142", "[::1]:9142", "c2:9043"}, s.Hosts)
	require.Equal(t, "ycsb.usertable", s.FullTable(), "CQL without quotes has small letters")
	require.Equal(t, descriptor.CreateMissing, s.Create)
	require.Equal(t, "{'class': 'NetworkTopologyStrategy', 'dc1': 3, 'dc2': 1}", s.Copies.CQL())
	require.Equal(t, "{'class': 'SimpleStrategy', 'replication_factor': 2}", Copies{Everywhere: 2}.CQL())
}

func TestMistakesInSettings(t *testing.T) {
	for name, test := range map[string]struct{ key, value, want string }{
		"a port":             {hostsKey, "c1:x", `invalid port in "c1:x": want 1 to 65535`},
		"a bare IPv6":        {hostsKey, "::1", `invalid node "::1": want host or host:port, with brackets around an IPv6 address`},
		"an empty node":      {hostsKey, "a,,b", `invalid node "": want host or host:port, separated by commas`},
		"a keyspace":         {keyspaceKey, "a-b", `invalid keyspace name "a-b": want letters, digits and _, with a letter at its start`},
		"a table":            {"table", "1t", `invalid table name "1t": want letters, digits and _, with a letter at its start`},
		"a level":            {readLevelKey, "QUORUMS", `unknown value "QUORUMS"; did you mean "QUORUM"?`},
		"a level of writes":  {readLevelKey, "EACH_QUORUM", `unknown value "EACH_QUORUM"`},
		"copies":             {replicationKey, "0", `invalid number of copies "0": want 1 to 100`},
		"copies of nothing":  {replicationKey, ":3", `invalid replication ":3": want a number, or DATACENTER:NUMBER separated by commas, such as dc1:3,dc2:2`},
		"a datacenter twice": {replicationKey, "a:1,a:2", `invalid replication "a:1,a:2": it has datacenter a twice`},
		"a retry":            {speculativeRetryKey, "99p'", `invalid speculative retry "99p'"`},
		"a path":             {jolokiaPathKey, "/a?b", "invalid path: want a path such as /jolokia, without a query"},
		"a password":         {PasswordKey, "geheim", "a secret is given by reference"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read(map[string]string{test.key: test.value})
			require.ErrorContains(t, err, test.key+": "+test.want)
			require.NotContains(t, err.Error(), "geheim")
		})
	}
}

func TestTablesOfActionsMayHaveAKeyspace(t *testing.T) {
	keyspace, table, err := ParseTable("Other.t", "ycsb")
	require.NoError(t, err)
	require.Equal(t, []string{"other", "t"}, []string{keyspace, table})
	keyspace, _, err = ParseTable("t", "ycsb")
	require.NoError(t, err)
	require.Equal(t, "ycsb", keyspace)
	_, _, err = ParseTable("a.b.c", "ycsb")
	require.Error(t, err)
	require.True(t, System("system_auth"))
	require.False(t, System("systematic"))
}
