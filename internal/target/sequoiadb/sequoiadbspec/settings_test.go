package sequoiadbspec

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/descriptor"
)

func TestDefaultsAreThoseOfTheBinding(t *testing.T) {
	s, err := Read(nil)
	require.NoError(t, err)
	require.Equal(t, Settings{
		Coordinators: []string{"localhost:11810"}, User: "sdbadmin", Space: "ycsb", Collection: "usertable", Timeout: 30 * time.Second,
		Create: descriptor.CreateNever, Sharded: true, AutoSplit: true, ReplSize: 1, Compression: None,
	}, s)
	require.Equal(t, "ycsb.usertable", s.FullName())
	s, err = Read(map[string]string{"phase": "load"})
	require.NoError(t, err)
	require.Equal(t, descriptor.CreateMissing, s.Create)
}

func TestSettings(t *testing.T) {
	s, err := Read(map[string]string{
		"sequoiadb.url": " a:1, [::1]:2 ", "table": "other.t", "sequoiadb.partitions": "1024", "sequoiadb.replsize": "-1",
		"sequoiadb.domain": "d", "sequoiadb.domain.groups": "g1, g2", "sequoiadb.timeout": "100ms", "sequoiadb.upsert": "true",
		"sequoiadb.sharding": "none", "sequoiadb.table.create": "recreate", "sequoiadb.compression": "lzw", "sequoiadb.tls": "true",
	})
	require.NoError(t, err)
	require.Equal(t, Settings{
		Coordinators: []string{"a:1", "[::1]:2"}, User: "sdbadmin", Space: "other", Collection: "t", Timeout: 100 * time.Millisecond,
		Create: descriptor.Recreate, AutoSplit: true, ReplSize: -1, Compression: "lzw", Partitions: 1024, Domain: "d", Groups: []string{"g1", "g2"},
		Upsert: true, TLS: true,
	}, s)
	require.Equal(t, "x.y", s.In("x.y").FullName())
	require.Equal(t, "other.y", s.In("y").FullName())
	require.Equal(t, "other.t", s.In("").FullName())
	s, err = Read(map[string]string{"sequoiadb.host": "a, [::1] ,b", "sequoiadb.port": "11811"})
	require.NoError(t, err)
	require.Equal(t, []string{"a:11811", "[::1]:11811", "b:11811"}, s.Coordinators)
}

func TestWrongSettings(t *testing.T) {
	for property, want := range map[string]string{
		"sequoiadb.url=a":                  `invalid coordinator "a": want HOST:PORT, such as sdb1:11810`,
		"sequoiadb.url=a:0":                `invalid port in "a:0"`,
		"sequoiadb.url=http://a:1":         `invalid coordinator "http://a:1"`,
		"sequoiadb.url=a b:1":              `invalid host "a b"`,
		"sequoiadb.host=a:1":               `invalid host "a:1": the port is sequoiadb.port; or write sequoiadb.url=a:1`,
		"sequoiadb.keyfield=key":           `unknown value "key" (one of _id)`,
		"sequoiadb.partitions=100":         `invalid number of partitions "100": want a power of 2`,
		"sequoiadb.timeout=5":              `invalid duration "5": missing unit`,
		"sequoiadb.replsize=9":             "9 is out of range: want -1 to 7",
		"sequoiadb.passwd=hunter2":         "a secret is given by reference, never by its value",
		"database=SYSX":                    `invalid name "SYSX" of a collection space: names that begin with $ or SYS`,
		"database=a.b":                     "it cannot contain a dot",
		"sequoiadb.domain=$x":              "names that begin with $ or SYS",
		"sequoiadb.domain.groups=g1,,g2":   `invalid name "" of a group`,
		"table=a.b.c":                      "it cannot contain a dot",
		"table=$cmd":                       "names that begin with $ or SYS",
		"sequoiadb.table.create=sometimes": `unknown value "sometimes"`,
	} {
		t.Run(property, func(t *testing.T) {
			name, value, _ := strings.Cut(property, "=")
			_, err := Read(map[string]string{name: value})
			require.ErrorContains(t, err, name+": ")
			require.ErrorContains(t, err, want)
			require.NotContains(t, err.Error(), "hunter2")
		})
	}
}

// fakeCase is a case with the values of some properties.
type fakeCase struct {
	values   map[string]string
	findings []string
}

func (c *fakeCase) Value(name string) string {
	if v, ok := c.values[name]; ok {
		return v
	}
	for _, k := range keys() {
		if k.Name == name {
			return k.Default
		}
	}
	return ""
}

func (c *fakeCase) Changed(name string) bool { _, ok := c.values[name]; return ok }
func (*fakeCase) Sound(...string) bool       { return true }
func (c *fakeCase) Fail(name, format string, args ...any) {
	c.findings = append(c.findings, "fail "+name+" "+fmt.Sprintf(format, args...))
}

func (c *fakeCase) Warn(name, format string, args ...any) {
	c.findings = append(c.findings, "warn "+name+" "+fmt.Sprintf(format, args...))
}

func TestCombinationsAreChecked(t *testing.T) {
	for name, test := range map[string]struct {
		values map[string]string
		want   []string
	}{
		"none": {},
		"groups without a domain": {
			map[string]string{groupsKey: "g1"}, []string{"fail sequoiadb.domain.groups needs sequoiadb.domain, the name of the domain that these groups form"},
		},
		"partitions without sharding": {
			map[string]string{shardingKey: None, partsKey: "16"}, []string{"warn sequoiadb.partitions has no effect without sequoiadb.sharding=hash"},
		},
		"settings of a collection that is not created": {
			map[string]string{createKey: "never", replicasKey: "2"},
			[]string{"warn sequoiadb.replsize has no effect with sequoiadb.table.create=never: it is for a collection that is created"},
		},
		"a name": {map[string]string{"table": "$x"}, []string{`fail table invalid name "$x" of a collection: names that begin with $ or SYS are the system's own`}},
	} {
		t.Run(name, func(t *testing.T) {
			c := &fakeCase{values: test.values}
			check(c)
			require.Equal(t, test.want, c.findings)
		})
	}
}

func TestTerms(t *testing.T) {
	for name, test := range map[string]struct {
		properties, facts map[string]string
		want              descriptor.Terms
	}{
		"nothing is known": {nil, nil, descriptor.Terms{Scans: "in the order of keys", Updates: "only the written fields ($set)"}},
		"defaults": {
			nil,
			map[string]string{FactReplSize: "1", FactSyncInterval: "10000", FactReplicas: "3", FactPreferred: "m"},
			descriptor.Terms{
				Durability:  "received by the primary (ReplSize 1); synced to disk every 10000 ms (syncinterval)",
				Consistency: "strong: the primary answers (preferredinstance M)", Replicas: "3 nodes in each group",
				Scans: "in the order of keys", Updates: "only the written fields ($set)",
			},
		},
		"all nodes": {
			map[string]string{"writeallfields": "true"},
			map[string]string{FactReplSize: "0", FactSyncInterval: "0", FactReplicas: "1", FactPreferred: "s"},
			descriptor.Terms{
				Durability:  "received by all nodes of a group (ReplSize 0)",
				Consistency: "eventual: a node that is behind may answer (preferredinstance S)", Replicas: "1",
				Scans: "in the order of keys", Updates: "all fields ($set)",
			},
		},
		"two":       {nil, map[string]string{FactReplSize: "2"}, descriptor.Terms{Durability: "received by 2 nodes of a group (ReplSize)", Scans: "in the order of keys", Updates: "only the written fields ($set)"}},
		"reachable": {nil, map[string]string{FactReplSize: "-1"}, descriptor.Terms{Durability: "received by all reachable nodes of a group (ReplSize -1)", Scans: "in the order of keys", Updates: "only the written fields ($set)"}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, test.want, terms(test.properties, test.facts)) })
	}
}

func TestDoctorsFinding(t *testing.T) {
	require.Equal(t, descriptor.Finding{Found: ", SequoiaDB 6.0.0 with 6 nodes, authentication by SCRAM-SHA-256"},
		examine(map[string]string{FactVersion: "6.0.0", FactNodes: "6", FactAuth: "SCRAM-SHA-256"}))
	require.Equal(t, descriptor.Finding{}, examine(nil))
}
