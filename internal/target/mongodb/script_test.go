package mongodb_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.uber.org/goleak"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/observe"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/target/mongodb"
	"github.com/benchd/benchd/internal/target/mongodb/action"
	"github.com/benchd/benchd/internal/target/mongodb/mongodbspec"
	"github.com/benchd/benchd/internal/target/mongodb/mongodbtest"
	"github.com/benchd/benchd/internal/target/mongodb/watch"
	"github.com/benchd/benchd/internal/workload"
)

// constant is an answer that is always the same.
func constant(d bson.D) func(bson.Raw) bson.D { return func(bson.Raw) bson.D { return d } }

func script(t *testing.T, replies mongodbtest.Replies) *mongodbtest.Script {
	t.Helper()
	if replies["find"] == nil {
		replies["find"] = constant(mongodbtest.Batch())
	}
	s, err := mongodbtest.NewScript(t.Context(), replies)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func openScript(t *testing.T, s *mongodbtest.Script, options string, more ...string) load.Target {
	t.Helper()
	target, err := mongodb.Open(t.Context(), load.Settings{
		Properties: scripted(s, options, more...), Workload: workload.Config{KeyPrefix: "user", RecordCount: 1000, ZeroPadding: 1},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, target.Close()) })
	return target
}

func scripted(s *mongodbtest.Script, options string, more ...string) map[string]string {
	properties := map[string]string{"mongodb.url": "mongodb://" + s.Address() + "/ycsb" + options, "phase": "load"}
	for _, pair := range more {
		k, v, _ := strings.Cut(pair, "=")
		properties[k] = v
	}
	return properties
}

func worker(t *testing.T, target load.Target) func(op *workload.Op) workload.Outcome {
	t.Helper()
	s, err := target.Open(t.Context(), 0)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(t.Context())) })
	return func(op *workload.Op) workload.Outcome { return s.Do(t.Context(), op) }
}

// mongos answers as a router of a cluster with two shards.
func mongos(t *testing.T, more mongodbtest.Replies) *mongodbtest.Script {
	t.Helper()
	ok := constant(mongodbtest.OK())
	replies := mongodbtest.Replies{
		"hello":  constant(mongodbtest.Hello(bson.D{{Key: "msg", Value: "isdbgrid"}})),
		"create": ok, "shardCollection": ok, "split": ok, "moveChunk": ok,
		"listCollections": constant(mongodbtest.Batch()),
		"listShards": constant(mongodbtest.OK(bson.E{Key: "shards", Value: bson.A{
			bson.D{{Key: "_id", Value: "s1"}, {Key: "host", Value: "s1/a:1,b:1,c:1"}}, bson.D{{Key: "_id", Value: "s2"}, {Key: "host", Value: "s2/d:1,e:1,f:1"}},
		}})),
	}
	maps.Copy(replies, more)
	return script(t, replies)
}

func TestAHashedCollectionIsSplitByTheServers(t *testing.T) {
	s := mongos(t, nil)
	target := openScript(t, s, "", "mongodb.shard.key=hashed", "mongodb.shard.chunks=4096")
	require.NoError(t, target.(load.Admin).Prepare(t.Context()))
	sharded := s.Seen("shardCollection")
	require.Len(t, sharded, 1)
	require.Equal(t, "ycsb.usertable", sharded[0].Lookup("shardCollection").StringValue())
	require.Equal(t, "hashed", sharded[0].Lookup("key", "_id").StringValue())
	require.EqualValues(t, 4096, sharded[0].Lookup("numInitialChunks").Int32())
	require.Empty(t, s.Seen("split"))
}

func TestARangedCollectionIsSplitAtTheKeysOfTheWorkload(t *testing.T) {
	s := mongos(t, nil)
	target := openScript(t, s, "", "mongodb.shard.key=ranged", "mongodb.shard.chunks=4")
	require.NoError(t, target.(load.Admin).Prepare(t.Context()))
	require.EqualValues(t, 1, s.Seen("shardCollection")[0].Lookup("key", "_id").Int32())
	splits, moves := s.Seen("split"), s.Seen("moveChunk")
	require.Len(t, splits, 3)
	require.Len(t, moves, 3)
	var shards []string
	for i := range splits {
		key := splits[i].Lookup("middle", "_id").StringValue()
		require.True(t, strings.HasPrefix(key, "user"), key)
		require.Equal(t, key, moves[i].Lookup("find", "_id").StringValue())
		shards = append(shards, moves[i].Lookup("to").StringValue())
	}
	require.Equal(t, []string{"s2", "s1", "s2"}, shards, "the first chunk stays where it is")
}

func TestAnExistingCollectionMustHaveTheSharding(t *testing.T) {
	s := mongos(t, mongodbtest.Replies{"listCollections": constant(mongodbtest.Batch(bson.D{{Key: "name", Value: "usertable"}, {Key: "type", Value: "collection"}}))})
	target := openScript(t, s, "", "mongodb.shard.key=hashed")
	require.ErrorContains(t, target.(load.Admin).Prepare(t.Context()), "mongodb.shard.key=none, and the settings have hashed")
	require.Empty(t, s.Seen("shardCollection"))
}

func TestTheBalancerIsSwitched(t *testing.T) {
	ok := constant(mongodbtest.OK())
	s := mongos(t, mongodbtest.Replies{
		"balancerStatus": constant(mongodbtest.OK(bson.E{Key: "mode", Value: "full"}, bson.E{Key: "inBalancerRound", Value: false})), "balancerStart": ok, "balancerStop": ok,
	})
	a, err := action.Open(t.Context(), load.Settings{Properties: scripted(s, "")})
	require.NoError(t, err)
	defer func() { require.NoError(t, a.Close()) }()
	for _, c := range []struct{ state, want string }{
		{"", "the balancer is on"}, {"off", "the balancer is off; it was on"}, {"on", "the balancer is on; it was on"},
	} {
		answer, err := a.Act(t.Context(), load.Action{Name: "balancer", Args: map[string]string{"state": c.state}})
		require.NoError(t, err)
		require.Equal(t, []string{c.want}, answer.Text)
	}
	require.Len(t, s.Seen("balancerStop"), 1)
	require.Len(t, s.Seen("balancerStart"), 1)
	s.Set("balancerStop", constant(mongodbtest.Failure(13, "Unauthorized", "not authorized on admin to execute command")))
	_, err = a.Act(t.Context(), load.Action{Name: "balancer", Args: map[string]string{"state": "off"}})
	require.ErrorContains(t, err, "not authorized")
}

func TestFactsOfAClusterDecideAboutItsTerms(t *testing.T) {
	s := mongos(t, mongodbtest.Replies{
		"buildInfo":           constant(mongodbtest.OK(bson.E{Key: "version", Value: "7.0.12"})),
		"getDefaultRWConcern": constant(mongodbtest.OK(bson.E{Key: "defaultReadConcern", Value: bson.D{{Key: "level", Value: "local"}}}, bson.E{Key: "defaultWriteConcern", Value: bson.D{{Key: "w", Value: "majority"}, {Key: "wtimeout", Value: 0}}})),
		"balancerStatus":      constant(mongodbtest.OK(bson.E{Key: "mode", Value: "off"})),
		"find": func(c bson.Raw) bson.D {
			if c.Lookup("find").StringValue() == "collections" {
				return mongodbtest.Batch(bson.D{{Key: "_id", Value: "ycsb.usertable"}, {Key: "key", Value: bson.D{{Key: "_id", Value: "hashed"}}}, {Key: "uuid", Value: bson.Binary{Subtype: 4, Data: make([]byte, 16)}}})
			}
			return mongodbtest.Batch()
		},
		"aggregate": constant(mongodbtest.Batch(bson.D{{Key: "_id", Value: "s1"}, {Key: "n", Value: 3}}, bson.D{{Key: "_id", Value: "s2"}, {Key: "n", Value: 5}})),
	})
	target := openScript(t, s, "")
	facts, err := target.(load.Observer).Facts(t.Context())
	require.NoError(t, err)
	for name, want := range map[string]string{
		"mongodb.version": "7.0.12", "mongodb.topology": "sharded cluster", "mongodb.shards": "2", "mongodb.members": "3", "mongodb.chunks": "8",
		"mongodb.shard.key": "hashed", "mongodb.balancer": "off", "mongodb.write.concern": "w: majority (default of the server)", "mongodb.product": "MongoDB",
	} {
		require.Equal(t, want, facts[name], name)
	}
	terms := mongodbspec.Target().Terms(scripted(s, ""), facts)
	require.Equal(t, "synced to the journal of a majority of the members (w: majority)", terms.Durability)
	require.Equal(t, "3 members of each shard", terms.Replicas)
	require.Equal(t, "in the order of keys, merged from all shards", terms.Scans)
}

// The documents are those of YCSB's binding: the key is _id, a string, and fields are binary of subtype 0.
func TestDocumentsAreThoseOfYCSB(t *testing.T) {
	s := script(t, mongodbtest.Replies{"insert": constant(mongodbtest.OK(bson.E{Key: "n", Value: int32(1)})), "update": constant(mongodbtest.OK(bson.E{Key: "n", Value: int32(1)}))})
	insert := &workload.Op{Kind: workload.Insert, Key: []byte("user1"), Fields: bytesIn("field0", "field1"), Values: bytesIn("abc", "")}
	want, err := bson.Marshal(bson.D{{Key: "_id", Value: "user1"}, {Key: "field0", Value: []byte("abc")}, {Key: "field1", Value: []byte{}}})
	require.NoError(t, err)

	require.Equal(t, workload.OK, worker(t, openScript(t, s, "?w=1"))(insert).Code)
	sent := s.Seen("insert")[0]
	require.Equal(t, bson.Raw(want), sent.Lookup("documents", "0").Document())
	require.EqualValues(t, 1, sent.Lookup("writeConcern", "w").Int32())
	require.True(t, sent.Lookup("ordered").Boolean())
	_, err = sent.LookupErr("txnNumber")
	require.Error(t, err, "no retries")

	require.Equal(t, workload.OK, worker(t, openScript(t, s, "?journal=true", "mongodb.upsert=true"))(insert).Code)
	upsert := s.Seen("update")[0]
	require.Equal(t, bson.Raw(want), upsert.Lookup("updates", "0", "u").Document())
	require.True(t, upsert.Lookup("updates", "0", "upsert").Boolean())
	require.True(t, upsert.Lookup("writeConcern", "j").Boolean())

	batch := &workload.Op{Kind: workload.Insert, Keys: bytesIn("user1", "user2"), Fields: bytesIn("field0"), Values: bytesIn("a", "b")}
	require.EqualValues(t, 2, worker(t, openScript(t, s, ""))(batch).Rows)
	many := s.Seen("insert")[1]
	require.Equal(t, "user2", many.Lookup("documents", "1", "_id").StringValue())
	require.False(t, many.Lookup("ordered").Boolean())
	_, err = many.LookupErr("writeConcern")
	require.Error(t, err, "the default of the server")
}

func bytesIn(texts ...string) [][]byte {
	all := make([][]byte, len(texts))
	for i, text := range texts {
		all[i] = []byte(text)
	}
	return all
}

func TestErrorsOfServersHaveTheirOutcomes(t *testing.T) {
	s := script(t, mongodbtest.Replies{})
	do := worker(t, openScript(t, s, "?w=1", "mongodb.timeout=2000"))
	update := &workload.Op{Kind: workload.Update, Key: []byte("user1"), Fields: bytesIn("field0"), Values: bytesIn("a")}
	concern := func(code int32, message string) bson.D {
		return mongodbtest.OK(bson.E{Key: "n", Value: int32(1)}, bson.E{Key: "writeConcernError", Value: bson.D{{Key: "code", Value: code}, {Key: "errmsg", Value: message}}})
	}
	for _, c := range []struct {
		answer bson.D
		code   workload.Code
		text   string
	}{
		{concern(64, "waiting for replication timed out"), workload.Timeout, "waiting for replication timed out"},
		{concern(100, "Not enough data-bearing nodes"), workload.BadRequest, "Not enough data-bearing nodes"},
		{mongodbtest.Failure(10107, "NotWritablePrimary", "not primary"), workload.ServiceUnavailable, "not primary"},
		{mongodbtest.Failure(91, "ShutdownInProgress", "shutting down"), workload.ServiceUnavailable, "shutting down"},
		{mongodbtest.Failure(50, "MaxTimeMSExpired", "operation exceeded time limit"), workload.Timeout, "time limit"},
		{mongodbtest.Failure(13, "Unauthorized", "not authorized"), workload.Forbidden, "not authorized"},
		{mongodbtest.Failure(73, "InvalidNamespace", "bad"), workload.BadRequest, "bad"},
		{mongodbtest.Failure(8000, "Other", "other"), workload.Error, "other"},
		{mongodbtest.OK(bson.E{Key: "n", Value: int32(0)}), workload.NotFound, "does not exist"},
	} {
		s.Set("update", constant(c.answer))
		before := len(s.Seen("update"))
		out := do(update)
		require.Equal(t, c.code, out.Code, c.text)
		require.ErrorContains(t, out.Err, c.text)
		require.Len(t, s.Seen("update"), before+1, "it is sent once")
	}
	s.Set("find", constant(nil))
	before := len(s.Seen("find"))
	require.Equal(t, workload.ServiceUnavailable, do(&workload.Op{Kind: workload.Read, Key: []byte("user1")}).Code)
	require.Len(t, s.Seen("find"), before+1, "it is not sent again after a broken connection")
}

func TestAServerThatDoesNotAnswerEndsAnOperationByItsTimeout(t *testing.T) {
	hold := make(chan struct{})
	defer close(hold)
	s := script(t, mongodbtest.Replies{})
	do := worker(t, openScript(t, s, "", "mongodb.timeout=300"))
	s.Set("find", func(bson.Raw) bson.D {
		<-hold
		return nil
	})
	begin := time.Now()
	out := do(&workload.Op{Kind: workload.Read, Key: []byte("user1")})
	require.Equal(t, workload.Timeout, out.Code)
	require.Less(t, time.Since(begin), 5*time.Second)
	require.Positive(t, s.Seen("find")[1].Lookup("maxTimeMS").AsInt64(), "the server gets the rest of the time")
}

func TestUnacknowledgedWritesAreNotAnswered(t *testing.T) {
	s := script(t, mongodbtest.Replies{"insert": constant(mongodbtest.OK()), "update": constant(mongodbtest.OK()), "delete": constant(mongodbtest.OK())})
	do := worker(t, openScript(t, s, "?w=0"))
	require.Equal(t, workload.Outcome{Rows: 1, Bytes: 6}, do(&workload.Op{Kind: workload.Insert, Key: []byte("user1"), Fields: bytesIn("field0"), Values: bytesIn("a")}))
	require.Equal(t, workload.Outcome{Rows: 1, Bytes: 6}, do(&workload.Op{Kind: workload.Update, Key: []byte("user1"), Fields: bytesIn("field0"), Values: bytesIn("a")}))
	require.Equal(t, workload.Outcome{Rows: 1, Bytes: 5}, do(&workload.Op{Kind: workload.Delete, Key: []byte("user1")}))
	require.Equal(t, workload.NotFound, do(&workload.Op{Kind: workload.Read, Key: []byte("user1")}).Code, "the read comes after them on the same connection")
	require.EqualValues(t, 0, s.Seen("insert")[0].Lookup("writeConcern", "w").AsInt64())
	require.Len(t, s.Seen("update"), 1)
	require.Len(t, s.Seen("delete"), 1)
}

// A server ends a batch at 16 MiB. The scan goes on behind the last document of it.
func TestAScanGoesOnBehindALargeBatch(t *testing.T) {
	value := make([]byte, 5<<20)
	document := func(key string) bson.D { return bson.D{{Key: "_id", Value: key}, {Key: "field0", Value: value}} }
	s := script(t, mongodbtest.Replies{})
	do := worker(t, openScript(t, s, ""))
	s.Set("find", func(c bson.Raw) bson.D {
		if _, err := c.LookupErr("filter", "_id", "$gt"); err == nil {
			return mongodbtest.Batch(document("c"))
		}
		return mongodbtest.Batch(document("a"), document("b"))
	})
	out := do(&workload.Op{Kind: workload.Scan, Key: []byte("a"), ScanLength: 5})
	require.Equal(t, workload.OK, out.Code)
	require.EqualValues(t, 3, out.Rows)
	finds := s.Seen("find")
	require.Equal(t, "b", finds[len(finds)-1].Lookup("filter", "_id", "$gt").StringValue())
	require.EqualValues(t, 3, finds[len(finds)-1].Lookup("limit").Int32(), "two of five are there")
}

// status is the answer of a member to serverStatus.
func status(pid, operations int, set string, primary bool) bson.D {
	return mongodbtest.OK(
		bson.E{Key: "pid", Value: int64(pid)}, bson.E{Key: "uptime", Value: 10.0},
		bson.E{Key: "metrics", Value: bson.D{{Key: "commands", Value: bson.D{{Key: "find", Value: bson.D{{Key: "total", Value: int64(operations)}}}}}}},
		bson.E{Key: "wiredTiger", Value: bson.D{{Key: "cache", Value: bson.D{{Key: "pages requested from the cache", Value: int64(1000)}, {Key: "pages read into cache", Value: int64(100)}}}}},
		bson.E{Key: "extra_info", Value: bson.D{{Key: "user_time_us", Value: int64(4_000_000)}, {Key: "system_time_us", Value: int64(0)}}},
		bson.E{Key: "repl", Value: bson.D{{Key: "setName", Value: set}, {Key: "isWritablePrimary", Value: primary}}},
	)
}

func TestEveryMemberOfAReplicaSetIsWatched(t *testing.T) {
	members := make([]*mongodbtest.Script, 3)
	hosts := make([]string, 3)
	for i := range members {
		members[i] = script(t, mongodbtest.Replies{"hostInfo": constant(mongodbtest.OK(bson.E{Key: "system", Value: bson.D{{Key: "numCores", Value: 4}}}))})
		hosts[i] = members[i].Address()
	}
	elect := func(primary int) {
		for i, m := range members {
			m.Set("hello", constant(mongodbtest.Member("rs0", hosts[i], hosts[primary], hosts...)))
			m.Set("serverStatus", constant(status(i, 100, "rs0", i == primary)))
		}
	}
	elect(0)
	source, err := watch.Open(map[string]string{"mongodb.url": "mongodb://" + hosts[0] + "/ycsb?replicaSet=rs0"}, observe.Access{})
	require.NoError(t, err)
	defer source.Close()
	look := source.Look(t.Context())
	require.Empty(t, look.Warnings)
	require.Len(t, look.Groups, 3)
	readings := make(map[string]observe.Reading)
	for _, r := range look.Groups[0].Readings {
		readings[r.Name] = r
	}
	require.InDelta(t, 100, readings["mongodb.server.operations"].Value, 0)
	require.InDelta(t, 900, readings["mongodb.server.cache_hit_percent"].Value, 0)
	require.InDelta(t, 1000, readings["mongodb.server.cache_hit_percent"].Of, 0)
	require.InDelta(t, 100, readings["mongodb.server.cpu_percent"].Value, 1e-9, "4 s of 4 processors: 100 % in a second")
	elect(2)
	look = source.Look(t.Context())
	require.Len(t, look.Events, 1)
	require.Contains(t, result.HappeningKinds(), look.Events[0].Kind)
	require.Equal(t, fmt.Sprintf("%s is the primary of replica set rs0; it was %s", hosts[2], hosts[0]), look.Events[0].Text)
}

func TestOperationsOfShardsAreAddedUp(t *testing.T) {
	var members [4]*mongodbtest.Script
	for i := range members {
		set := fmt.Sprintf("s%d", i/2)
		members[i] = script(t, mongodbtest.Replies{"hello": constant(mongodbtest.Hello(nil)), "serverStatus": constant(status(i, 100*(i+1), set, i%2 == 0))})
	}
	host := func(set string, i int) string { return set + "/" + members[i].Address() + "," + members[i+1].Address() }
	router := mongos(t, mongodbtest.Replies{
		"listShards": constant(mongodbtest.OK(bson.E{Key: "shards", Value: bson.A{
			bson.D{{Key: "_id", Value: "s0"}, {Key: "host", Value: host("s0", 0)}}, bson.D{{Key: "_id", Value: "s1"}, {Key: "host", Value: host("s1", 2)}},
		}})),
		"serverStatus": constant(status(9, 7, "", false)),
	})
	source, err := watch.Open(scripted(router, ""), observe.Access{})
	require.NoError(t, err)
	defer source.Close()
	sums := make(map[string]float64)
	for _, g := range source.Look(t.Context()).Groups {
		for _, r := range g.Readings {
			if r.Name == "mongodb.shard.operations" {
				sums[g.Source] = r.Value
			}
		}
	}
	require.Equal(t, map[string]float64{"s0": 300, "s1": 700}, sums)
}

// The driver watches each server with goroutines of its own. They end with the target, so an idle agent has none.
func TestAClosedTargetLeavesNothingBehind(t *testing.T) {
	s := script(t, mongodbtest.Replies{})
	before := goleak.IgnoreCurrent()
	target, err := mongodb.Open(t.Context(), load.Settings{Properties: scripted(s, "")})
	require.NoError(t, err)
	session, err := target.Open(t.Context(), 0)
	require.NoError(t, err)
	session.Do(t.Context(), &workload.Op{Kind: workload.Read, Key: []byte("user1")})
	require.NoError(t, session.Close(t.Context()))
	require.NoError(t, target.Close())
	require.NoError(t, s.Close())
	goleak.VerifyNone(t, before)
}
