package mongodb

import (
	"cmp"
	"context"
	"maps"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/benchd/benchd/internal/target/mongodb/mongodbspec"
	"github.com/benchd/benchd/internal/target/mongodb/setup"
)

// fact is an answer of a server, and the facts in it.
type fact struct {
	command bson.D
	primary bool // only the primary answers it
	paths   map[string][]string
}

// facts lists the commands that are asked for facts. A command that the server does not have, or that the user may not run, gives none.
func facts() []fact {
	ask := func(name string) bson.D { return bson.D{{Key: name, Value: 1}} }
	return []fact{
		{ask("buildInfo"), false, map[string][]string{
			mongodbspec.VersionFact: {"version"}, "mongodb.git.version": {"gitVersion"}, "mongodb.allocator": {"allocator"},
		}},
		{ask("serverStatus"), true, map[string][]string{
			mongodbspec.EngineFact: {"storageEngine", "name"}, "mongodb.cache.size": {"wiredTiger", "cache", "maximum bytes configured"},
		}},
		{ask("getCmdLineOpts"), true, map[string][]string{
			mongodbspec.CommitFact: {"parsed", "storage", "journal", "commitIntervalMs"}, "mongodb.cache.size.gb": {"parsed", "storage", "wiredTiger", "engineConfig", "cacheSizeGB"},
			"mongodb.block.compressor": {"parsed", "storage", "wiredTiger", "collectionConfig", "blockCompressor"},
		}},
		{ask("getDefaultRWConcern"), false, map[string][]string{
			mongodbspec.DefaultWrite: {"defaultWriteConcern", "w"}, mongodbspec.DefaultRead: {"defaultReadConcern", "level"},
		}},
		{ask("replSetGetConfig"), true, map[string][]string{
			mongodbspec.MajorityJournal: {"config", "writeConcernMajorityJournalDefault"}, "mongodb.election.timeout": {"config", "settings", "electionTimeoutMillis"},
		}},
		{bson.D{{Key: "getParameter", Value: 1}, {Key: "featureCompatibilityVersion", Value: 1}}, true, map[string][]string{
			"mongodb.feature.version": {"featureCompatibilityVersion", "version"},
		}},
	}
}

// Facts describes the servers by their own settings, and the settings of the client that affect a result.
func (t *Collection) Facts(ctx context.Context) (map[string]string, error) {
	s, h := t.settings, t.client.Hello
	all := map[string]string{
		"target":                   mongodbspec.Name,
		"mongodb.collection":       s.Namespace(),
		mongodbspec.TopologyFact:   h.Topology(),
		"mongodb.client":           "mongo-driver v2.9.3, without retries",
		"mongodb.connections":      strconv.Itoa(s.Connections),
		mongodbspec.PreferenceFact: s.ReadPreference,
		mongodbspec.ProductFact:    "MongoDB",
	}
	if h.SetName != "" {
		all["mongodb.replica.set"] = h.SetName
		all[mongodbspec.MembersFact] = strconv.Itoa(max(1, len(h.Members())))
	}
	if s.URL.Option("tls") == "true" || s.URL.SRV {
		all["mongodb.tls"] = "on"
	}
	for _, one := range facts() {
		ask := t.client.Admin
		if one.primary {
			ask = t.client.AdminOnPrimary
		}
		answer, err := ask(ctx, one.command)
		if err != nil {
			t.log.Debug("the server does not report a fact", "command", one.command[0].Key, "cause", err)
			continue
		}
		for name, path := range one.paths {
			if text := textOf(answer, path); text != "" {
				all[name] = text
			}
		}
		if text := textOf(answer, []string{"ferretdbVersion"}); text != "" {
			all[mongodbspec.ProductFact] = strings.TrimSpace("FerretDB " + text)
		}
	}
	all[mongodbspec.WriteFact] = concernText(s, all)
	all[mongodbspec.ReadFact] = cmp.Or(s.ReadConcern, all[mongodbspec.DefaultRead], "default of the server")
	if h.Mongos() {
		maps.Copy(all, t.shardFacts(ctx))
	}
	return all, ctx.Err()
}

// concernText describes the write concern of the settings, or else that of the server.
func concernText(s mongodbspec.Settings, facts map[string]string) string {
	text := ""
	if w := s.Write.W; w != "" {
		text = "w: " + w
	} else if w := facts[mongodbspec.DefaultWrite]; w != "" {
		text = "w: " + w + " (default of the server)"
	}
	if j := s.Write.Journal; j != "" {
		text = strings.TrimPrefix(text+", j: "+j, ", ")
	}
	return cmp.Or(text, "default of the server")
}

// shardFacts describes the shards of a cluster, and how they have the collection.
func (t *Collection) shardFacts(ctx context.Context) map[string]string {
	all := make(map[string]string)
	if shards, err := setup.Shards(ctx, t.client); err == nil {
		all[mongodbspec.ShardsFact] = strconv.Itoa(len(shards))
		all[mongodbspec.MembersFact] = strconv.Itoa(len(shards[0].Members()))
	}
	if found, err := setup.ShardingOf(ctx, t.client, t.settings); err == nil {
		all[mongodbspec.ShardKeyFact] = string(found.Key)
		all[mongodbspec.ChunksFact] = strconv.Itoa(found.Chunks)
	}
	if answer, err := t.client.AdminOnPrimary(ctx, bson.D{{Key: "balancerStatus", Value: 1}}); err == nil {
		all[mongodbspec.BalancerFact] = textOf(answer, []string{"mode"})
	}
	return all
}

// textOf returns a value of an answer as a text; empty if it is not there.
func textOf(answer bson.Raw, path []string) string {
	value, err := answer.LookupErr(path...)
	if err != nil {
		return ""
	}
	if text, ok := value.StringValueOK(); ok {
		return text
	}
	if is, ok := value.BooleanOK(); ok {
		return strconv.FormatBool(is)
	}
	if f, ok := value.AsFloat64OK(); ok {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return ""
}
