package mongodbspec

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/descriptor"
)

func TestConnectionStringsAreRead(t *testing.T) {
	u, err := parseURL("mongodb://anna@db1,db2:27018,[::1]:27019/bench?replicaSet=rs0&W=majority&j=true&ssl=true&retryWrites=true")
	require.NoError(t, err)
	require.Equal(t, []string{"db1:27017", "db2:27018", "[::1]:27019"}, u.Hosts)
	require.Equal(t, "anna", u.User)
	require.Equal(t, "bench", u.Database)
	require.Equal(t, "majority", u.Option("w"))
	require.Equal(t, "true", u.Option("journal"))
	require.Equal(t, "mongodb://db1:27017,db2:27018,[::1]:27019/bench?journal=true&replicaSet=rs0&tls=true&w=majority", u.String(), "without the user and the retries")
	u, err = parseURL("mongodb+srv://cluster.example.com/")
	require.NoError(t, err)
	require.True(t, u.SRV)
	require.Equal(t, "mongodb+srv://cluster.example.com/", u.String())
}

func TestMistakesInConnectionStringsHaveACure(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"http://db1", "want mongodb://HOST:PORT"},
		{"mongodb://anna:hush@db1", "mongodb.password=file:NAME"},
		{"mongodb://anna:hush@db1@db2/x?tlsCAFile=", "mongodb.password=file:NAME"},
		{"mongodb://db1:99999", "want 1 to 65535"},
		{"mongodb://", "invalid host"},
		{"mongodb://db1/a.b", "invalid database"},
		{"mongodb://db1/?wtimeoutms=x", "option wtimeoutMS: invalid value"},
		{"mongodb://db1/?readPreferense=primary", `did you mean "readPreference"`},
		{"mongodb://db1/?tlsCAFile=/etc/ca.pem", "--target-tls-ca"},
		{"mongodb://db1/?tlsInsecure=true", "authority of the servers"},
		{"mongodb://db1/?socketTimeoutMS=5", "mongodb.timeout"},
		{"mongodb://db1/?w=1&w=2", "two values"},
		{"mongodb+srv://a,b/", "one name without a port"},
	} {
		_, err := checkURL(c.text)
		require.ErrorContains(t, err, c.want, c.text)
		require.NotContains(t, err.Error(), "hush")
	}
}

func FuzzURL(f *testing.F) {
	for _, seed := range []string{defaultURL, "mongodb://u@h:1,[::1]/d?w=1&j=true", "mongodb+srv://h/", "mongodb://u:p@h/"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := parseURL(text)
		if err != nil {
			return
		}
		again, err := parseURL(u.String())
		require.NoError(t, err, u.String())
		require.Equal(t, u.Hosts, again.Hosts)
		require.Equal(t, u.Database, again.Database)
	})
}

func TestPropertiesMeanWhatYCSBsBindingMakesOfThem(t *testing.T) {
	read := func(pairs ...string) Settings {
		properties := make(map[string]string)
		for _, pair := range pairs {
			k, v, _ := strings.Cut(pair, "=")
			properties[k] = v
		}
		s, err := Read(properties)
		require.NoError(t, err)
		return s
	}
	s := read()
	require.Equal(t, "ycsb.usertable", s.Namespace())
	require.Equal(t, WriteConcern{W: "1"}, s.Write)
	require.Equal(t, 100, s.Connections)
	require.Equal(t, "primary", s.ReadPreference)
	require.Equal(t, descriptor.CreateNever, s.Create)
	require.Equal(t, WriteConcern{W: "1"}, read("mongodb.writeConcern=majority").Write, "the default url has w=1, which takes precedence")
	const url = "mongodb.url=mongodb://db1/bench"
	require.Equal(t, WriteConcern{}, read(url).Write, "the default of the server")
	require.Equal(t, "bench", read(url).Database)
	require.Equal(t, "ycsb", read("mongodb.url=mongodb://db1/admin").Database)
	require.Equal(t, WriteConcern{W: "majority"}, read(url, "mongodb.writeConcern=MAJORITY").Write)
	require.Equal(t, WriteConcern{W: "2"}, read(url, "mongodb.writeConcern=replica_acknowledged").Write)
	require.Equal(t, WriteConcern{Journal: "true"}, read(url, "mongodb.writeConcern=journaled").Write)
	require.True(t, read(url, "mongodb.writeConcern=unacknowledged").Write.Unacknowledged())
	require.Equal(t, "secondaryPreferred", read(url, "mongodb.readPreference=secondary_preferred").ReadPreference)
	require.Equal(t, "nearest", read(url+"?readPreference=nearest", "mongodb.readPreference=secondary").ReadPreference)
	require.Equal(t, 7, read(url+"?maxPoolSize=7", "mongodb.maxconnections=9").Connections)
	require.Equal(t, 9, read(url, "mongodb.maxconnections=9").Connections)
	require.Equal(t, descriptor.CreateMissing, read("phase=load").Create)
	_, err := Read(map[string]string{"table": "system.users"})
	require.ErrorContains(t, err, "system.")
}

// stub is a case with some properties.
type stub struct {
	values       map[string]string
	fails, warns []string
}

func (s *stub) Value(name string) string {
	if v, ok := s.values[name]; ok {
		return v
	}
	for _, k := range keys() {
		if k.Name == name {
			return k.Default
		}
	}
	return ""
}
func (s *stub) Changed(name string) bool { _, ok := s.values[name]; return ok }
func (*stub) Sound(...string) bool       { return true }
func (s *stub) Fail(name, _ string, _ ...any) {
	s.fails = append(s.fails, name)
}

func (s *stub) Warn(name, _ string, _ ...any) {
	s.warns = append(s.warns, name)
}

func TestPropertiesThatDoNotFitTogetherAreReported(t *testing.T) {
	for name, c := range map[string]struct{ fails, warns, values string }{
		"nothing":            {},
		"chunks alone":       {values: "mongodb.shard.chunks=4", fails: "mongodb.shard.chunks"},
		"user alone":         {values: "mongodb.user=a", fails: "mongodb.user"},
		"password alone":     {values: "mongodb.password=file:a", fails: "mongodb.password"},
		"two users":          {values: "mongodb.user=a mongodb.password=file:a mongodb.url=mongodb://b@db1/", fails: "mongodb.user"},
		"certificate":        {values: "mongodb.user=a mongodb.url=mongodb://db1/?authMechanism=MONGODB-X509"},
		"retries":            {values: "mongodb.url=mongodb://db1/?retryWrites=true", warns: "mongodb.url"},
		"no retries":         {values: "mongodb.url=mongodb://db1/?retryWrites=false"},
		"replaced":           {values: "mongodb.writeConcern=majority", warns: "mongodb.writeConcern"},
		"journal":            {values: "mongodb.writeConcern=journaled"},
		"direct to two":      {values: "mongodb.url=mongodb://db1,db2/?directConnection=true", fails: "mongodb.url"},
		"silent and durable": {values: "mongodb.url=mongodb://db1/?w=0&journal=true", fails: "mongodb.url"},
		"collection":         {values: "table=system.x", fails: "table"},
	} {
		s := &stub{values: make(map[string]string)}
		for pair := range strings.FieldsSeq(c.values) {
			k, v, _ := strings.Cut(pair, "=")
			s.values[k] = v
		}
		check(descriptor.Case(s))
		require.Equal(t, strings.Fields(c.fails), append([]string{}, s.fails...), name)
		require.Equal(t, strings.Fields(c.warns), append([]string{}, s.warns...), name)
	}
}

func TestTermsFollowFromTheServersSettings(t *testing.T) {
	set := map[string]string{TopologyFact: ReplicaSet, MembersFact: "3", EngineFact: "wiredTiger", DefaultWrite: "majority", DefaultRead: "local", MajorityJournal: "true"}
	const url = "mongodb://db1/bench"
	durability := func(url string, facts map[string]string) string {
		return terms(map[string]string{urlKey: url}, facts).Durability
	}
	require.Equal(t, "synced to the journal of a majority of the members (w: majority)", durability(url, set))
	require.Equal(t, "in memory of the primary; synced to the journal every 100 ms (w: 1)", durability(url+"?w=1", set))
	require.Equal(t, "synced to the journal of the primary (w: 1)", durability(url+"?w=1&journal=true", set))
	require.Equal(t, "in memory of 2 members; synced to the journal every 100 ms (w: 2)", durability(url+"?w=2", set))
	require.Equal(t, "none: writes are not acknowledged (w: 0)", durability(url+"?w=0", set))
	alone := map[string]string{TopologyFact: Standalone, CommitFact: "30", DefaultWrite: "majority"}
	require.Equal(t, "in memory of the server; synced to the journal every 30 ms (w: majority)", durability(url, alone))
	require.Equal(t, "in memory: the storage engine inMemory writes nothing to disk", durability(url, map[string]string{TopologyFact: Standalone, EngineFact: "inMemory"}))
	require.Equal(t, "as FerretDB v1.24.2 stores it, which ignores the write concern", durability(url, map[string]string{ProductFact: "FerretDB v1.24.2"}))
	require.Equal(t, descriptor.Terms{
		Durability: "synced to the journal of a majority of the members (w: majority)", Replicas: "3 members of the replica set",
		Consistency: "the writes of the primary, which a failover may undo (local)", Scans: "in the order of keys", Updates: "only the written fields ($set)",
	}, terms(map[string]string{urlKey: url}, set))
	other := terms(map[string]string{urlKey: url, readKey: "nearest", readConcernKey: "majority", "writeallfields": "true"}, map[string]string{
		TopologyFact: Sharded, MembersFact: "3", ShardKeyFact: "hashed",
	})
	require.Equal(t, descriptor.Terms{
		Replicas: "3 members of each shard", Consistency: "a member that is behind may answer (nearest, majority)",
		Scans: "in the order of keys, merged from all shards", Updates: "all fields ($set)",
	}, other)
}
