package setup

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/benchd/benchd/internal/target/mongodb/client"
	"github.com/benchd/benchd/internal/target/mongodb/mongodbspec"
)

// Shard is a shard of a cluster.
type Shard struct {
	ID   string `bson:"_id"`
	Host string `bson:"host"` // SET/HOST:PORT,HOST:PORT
}

// Members lists HOST:PORT of the shard's servers.
func (s Shard) Members() []string {
	_, members, ok := strings.Cut(s.Host, "/")
	if !ok {
		members = s.Host
	}
	return strings.Split(members, ",")
}

// Shards lists the shards of a cluster.
func Shards(ctx context.Context, c *client.Client) ([]Shard, error) {
	raw, err := c.Admin(ctx, bson.D{{Key: "listShards", Value: 1}})
	if err != nil {
		return nil, fmt.Errorf("list shards: %w", err)
	}
	var answer struct {
		Shards []Shard `bson:"shards"`
	}
	if err := bson.Unmarshal(raw, &answer); err != nil {
		return nil, fmt.Errorf("list shards: %w", err)
	}
	if len(answer.Shards) == 0 {
		return nil, errors.New("list shards: the cluster has none: add one with sh.addShard")
	}
	return answer.Shards, nil
}

// Sharding is how a collection is sharded.
type Sharding struct {
	Key     mongodbspec.Sharding
	Chunks  int
	ByShard map[string]int // chunks
	Filter  bson.D         // of the collection's chunks in config.chunks
}

// ShardingOf reads how a collection is sharded from the configuration of the cluster.
func ShardingOf(ctx context.Context, c *client.Client, s mongodbspec.Settings) (Sharding, error) {
	found := Sharding{Key: mongodbspec.Unsharded}
	var collection struct {
		Key     bson.Raw      `bson:"key"`
		UUID    bson.RawValue `bson:"uuid"`
		Dropped bool          `bson:"dropped"`
	}
	config := c.Database("config")
	err := config.Collection("collections").FindOne(ctx, bson.D{{Key: "_id", Value: s.Namespace()}}).Decode(&collection)
	if errors.Is(err, mongo.ErrNoDocuments) || err == nil && collection.Dropped {
		return found, nil
	}
	if err != nil {
		return found, c.Explain(ctx, "read how collection "+s.Namespace()+" is sharded", err) //nolint:wrapcheck // it names the place
	}
	found.Key = mongodbspec.Ranged
	if text, ok := collection.Key.Lookup("_id").StringValueOK(); ok && text == "hashed" {
		found.Key = mongodbspec.Hashed
	}
	// Before MongoDB 5.0 chunks have the name of the collection, and since then its UUID.
	found.Filter = bson.D{{Key: "$or", Value: bson.A{
		bson.D{{Key: "uuid", Value: collection.UUID}}, bson.D{{Key: "ns", Value: s.Namespace()}},
	}}}
	cursor, err := config.Collection("chunks").Aggregate(ctx, bson.A{
		bson.D{{Key: "$match", Value: found.Filter}},
		bson.D{{Key: "$group", Value: bson.D{{Key: "_id", Value: "$shard"}, {Key: "n", Value: bson.D{{Key: "$sum", Value: 1}}}}}},
	})
	if err != nil {
		return found, c.Explain(ctx, "count the chunks of "+s.Namespace(), err) //nolint:wrapcheck // it names the place
	}
	var groups []struct {
		ID string `bson:"_id"`
		N  int    `bson:"n"`
	}
	if err := cursor.All(ctx, &groups); err != nil {
		return found, c.Explain(ctx, "count the chunks of "+s.Namespace(), err) //nolint:wrapcheck // it names the place
	}
	found.ByShard = make(map[string]int, len(groups))
	for _, g := range groups {
		found.ByShard[g.ID] = g.N
		found.Chunks += g.N
	}
	return found, nil
}
