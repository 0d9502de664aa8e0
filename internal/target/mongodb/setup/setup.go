// Package setup creates a run's collection, sharded and split, or checks the existing one.
package setup

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/target/mongodb/client"
	"github.com/benchd/benchd/internal/target/mongodb/mongodbspec"
	"github.com/benchd/benchd/internal/workload"
)

// codeExists is the code of the server's error about a collection that exists.
const codeExists = 48

// Prepare prepares the collection for a run.
func Prepare(ctx context.Context, c *client.Client, s mongodbspec.Settings, w workload.Config, log *slog.Logger) error {
	exists, err := Exists(ctx, c, s)
	switch {
	case err != nil:
		return err
	case !exists && s.Create == descriptor.CreateNever:
		return fmt.Errorf("collection %s does not exist: load it first (--phase load, or load,run), or create it empty with mongodb.collection.create=missing", s.Namespace())
	case !exists:
		return Create(ctx, c, s, w, log)
	case s.Create != descriptor.Recreate:
		return fits(ctx, c, s, log)
	}
	log.Info("dropping the collection, because mongodb.collection.create=recreate", "collection", s.Namespace())
	if err := Drop(ctx, c, s); err != nil {
		return err
	}
	return Create(ctx, c, s, w, log)
}

// Exists reports whether the collection exists.
func Exists(ctx context.Context, c *client.Client, s mongodbspec.Settings) (bool, error) {
	names, err := c.Database(s.Database).ListCollectionNames(ctx, bson.D{{Key: "name", Value: s.Collection}})
	if err != nil {
		return false, c.Explain(ctx, "look up collection "+s.Namespace(), err) //nolint:wrapcheck // it names the place
	}
	return len(names) > 0, nil
}

// Drop deletes the collection.
func Drop(ctx context.Context, c *client.Client, s mongodbspec.Settings) error {
	_, err := c.OnPrimary(ctx, bson.D{{Key: "drop", Value: s.Collection}})
	if err != nil && !client.NotFound(err) {
		return fmt.Errorf("drop collection %s: %w", s.Namespace(), err)
	}
	return nil
}

// fits reports a collection that does not have the sharding of the settings.
func fits(ctx context.Context, c *client.Client, s mongodbspec.Settings, log *slog.Logger) error {
	if s.Shard == mongodbspec.Unsharded {
		return nil
	}
	found, err := ShardingOf(ctx, c, s)
	if err != nil {
		return err
	}
	if found.Key != s.Shard {
		return fmt.Errorf("collection %s exists with mongodb.shard.key=%s, and the settings have %s: set mongodb.collection.create=recreate, or remove mongodb.shard.key", s.Namespace(), found.Key, s.Shard)
	}
	if s.Chunks > 0 && found.Chunks != s.Chunks {
		log.Warn("the collection already exists: it is not split again", "collection", s.Namespace(), "chunks", found.Chunks, "wanted", s.Chunks)
	}
	return nil
}

// Create creates the collection.
func Create(ctx context.Context, c *client.Client, s mongodbspec.Settings, w workload.Config, log *slog.Logger) error {
	log.Info("creating the collection", "collection", s.Namespace(), "sharded", string(s.Shard), "chunks", s.Chunks)
	_, err := c.OnPrimary(ctx, bson.D{{Key: "create", Value: s.Collection}})
	if client.Code(err) == codeExists {
		return fmt.Errorf("%w: another client created it at the same time; run again to use it", err)
	}
	if err != nil {
		return fmt.Errorf("create collection %s: %w", s.Namespace(), err)
	}
	switch s.Shard {
	case mongodbspec.Hashed:
		return shardHashed(ctx, c, s)
	case mongodbspec.Ranged:
		points, err := points(s, w)
		if err != nil {
			return err
		}
		return shardRanged(ctx, c, s, points)
	case mongodbspec.Unsharded:
	}
	return nil
}

// points returns the keys at which a ranged collection is split.
func points(s mongodbspec.Settings, w workload.Config) ([][]byte, error) {
	if s.Chunks < 2 {
		return nil, nil
	}
	return w.Splits(s.Chunks)
}

// shardHashed shards the collection by the hash of _id. The servers split it and spread the chunks.
func shardHashed(ctx context.Context, c *client.Client, s mongodbspec.Settings) error {
	command := bson.D{{Key: "shardCollection", Value: s.Namespace()}, {Key: "key", Value: bson.D{{Key: "_id", Value: "hashed"}}}}
	if s.Chunks > 0 {
		command = append(command, bson.E{Key: "numInitialChunks", Value: int32(s.Chunks)})
	}
	if _, err := c.AdminOnPrimary(ctx, command); err != nil {
		return fmt.Errorf("shard collection %s: %w", s.Namespace(), err)
	}
	return nil
}

// shardRanged shards the collection by _id, splits it at the points, and spreads the chunks over the shards in turn.
func shardRanged(ctx context.Context, c *client.Client, s mongodbspec.Settings, points [][]byte) error {
	ns := s.Namespace()
	if _, err := c.AdminOnPrimary(ctx, bson.D{{Key: "shardCollection", Value: ns}, {Key: "key", Value: bson.D{{Key: "_id", Value: 1}}}}); err != nil {
		return fmt.Errorf("shard collection %s: %w", ns, err)
	}
	for _, point := range points {
		if err := Split(ctx, c, ns, point); err != nil {
			return err
		}
	}
	shards, err := Shards(ctx, c)
	if err != nil {
		return err
	}
	for i, point := range points {
		to := shards[(i+1)%len(shards)].ID
		move := bson.D{{Key: "moveChunk", Value: ns}, {Key: "find", Value: bson.D{{Key: "_id", Value: string(point)}}}, {Key: "to", Value: to}}
		if _, err := c.AdminOnPrimary(ctx, move); err != nil && !strings.Contains(err.Error(), "already on that shard") {
			return fmt.Errorf("move the chunk of %q to shard %s: %w", point, to, err)
		}
	}
	return nil
}

// Split splits a chunk of a collection at a key.
func Split(ctx context.Context, c *client.Client, namespace string, key []byte) error {
	split := bson.D{{Key: "split", Value: namespace}, {Key: "middle", Value: bson.D{{Key: "_id", Value: string(key)}}}}
	if _, err := c.AdminOnPrimary(ctx, split); err != nil {
		return fmt.Errorf("split collection %s at %q: %w", namespace, key, err)
	}
	return nil
}
