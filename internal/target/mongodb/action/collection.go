package action

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/mongodb/client"
	"github.com/benchd/benchd/internal/target/mongodb/mongodbspec"
	"github.com/benchd/benchd/internal/target/mongodb/setup"
)

// count reads all documents: the count in a collection's metadata may be wrong after a crash, and in a sharded cluster.
func (a *actor) count(ctx context.Context, args map[string]string) (load.Answer, error) {
	s := a.of(args)
	if err := a.exists(ctx, s); err != nil {
		return load.Answer{}, err
	}
	n, err := a.client.Database(s.Database).Collection(s.Collection).CountDocuments(ctx, bson.D{})
	if err != nil {
		return load.Answer{}, a.client.Explain(ctx, "count "+s.Namespace(), err) //nolint:wrapcheck // it names the place
	}
	return load.Answer{Columns: []string{"table", "rows"}, Rows: [][]any{{s.Collection, n}}}, nil
}

// exists fails if the collection does not exist.
func (a *actor) exists(ctx context.Context, s mongodbspec.Settings) error {
	found, err := setup.Exists(ctx, a.client, s)
	if err == nil && !found {
		err = fmt.Errorf("collection %s: %w", s.Namespace(), errNoCollection)
	}
	return err //nolint:wrapcheck // it names the collection
}

func (a *actor) create(ctx context.Context, args map[string]string) (load.Answer, error) {
	s := a.of(args)
	if s.Shard != mongodbspec.Unsharded {
		if err := a.sharded("mongodb.shard.key=" + string(s.Shard)); err != nil {
			return load.Answer{}, err
		}
	}
	if err := setup.Create(ctx, a.client, s, a.workload, a.log); err != nil {
		return load.Answer{}, err //nolint:wrapcheck // it names the collection
	}
	if s.Shard == mongodbspec.Unsharded {
		return answerf("collection %s is created", s.Namespace()), nil
	}
	return answerf("collection %s is created, sharded by %s _id", s.Namespace(), s.Shard), nil
}

func (a *actor) drop(ctx context.Context, args map[string]string) (load.Answer, error) {
	s := a.of(args)
	if err := a.exists(ctx, s); err != nil {
		return load.Answer{}, err
	}
	err := a.client.Database(s.Database).Collection(s.Collection).FindOne(ctx, bson.D{}).Err()
	switch {
	case err == nil && args["force"] != "true":
		return load.Answer{}, fmt.Errorf("collection %s has documents: add --force if they are no longer needed", s.Namespace())
	case err != nil && !errors.Is(err, mongo.ErrNoDocuments):
		return load.Answer{}, a.client.Explain(ctx, "read "+s.Namespace(), err) //nolint:wrapcheck // it names the place
	}
	if err := setup.Drop(ctx, a.client, s); err != nil {
		return load.Answer{}, err //nolint:wrapcheck // it names the collection
	}
	return answerf("collection %s is dropped", s.Namespace()), nil
}

func (a *actor) tables(ctx context.Context, _ map[string]string) (load.Answer, error) {
	list, err := a.client.Database(a.settings.Database).ListCollectionNames(ctx, bson.D{})
	if err != nil {
		return load.Answer{}, a.client.Explain(ctx, "list collections", err) //nolint:wrapcheck // it names the place
	}
	answer := load.Answer{Columns: []string{"table", "documents_estimated"}}
	slices.Sort(list)
	for _, name := range list {
		n, err := a.client.Database(a.settings.Database).Collection(name).EstimatedDocumentCount(ctx)
		if err != nil {
			return load.Answer{}, a.client.Explain(ctx, "count "+name, err) //nolint:wrapcheck // it names the place
		}
		answer.Rows = append(answer.Rows, []any{name, n})
	}
	return answer, nil
}

func (a *actor) describe(ctx context.Context, args map[string]string) (load.Answer, error) {
	s := a.of(args)
	if err := a.exists(ctx, s); err != nil {
		return load.Answer{}, err
	}
	raw, err := a.client.OnPrimary(ctx, bson.D{{Key: "collStats", Value: s.Collection}})
	if err != nil {
		return load.Answer{}, err //nolint:wrapcheck // it names the place
	}
	var stats struct {
		Count     int64 `bson:"count"`
		Size      int64 `bson:"size"`
		Storage   int64 `bson:"storageSize"`
		Indexes   int64 `bson:"nindexes"`
		IndexSize int64 `bson:"totalIndexSize"`
	}
	if err := bson.Unmarshal(raw, &stats); err != nil {
		return load.Answer{}, fmt.Errorf("read the statistics of %s: %w", s.Namespace(), err)
	}
	answer := answerf("%s: %d documents of %d bytes, %d bytes in files, %d indexes of %d bytes", s.Namespace(), stats.Count, stats.Size, stats.Storage, stats.Indexes, stats.IndexSize)
	if !a.client.Hello.Mongos() {
		return answer, nil
	}
	found, err := setup.ShardingOf(ctx, a.client, s)
	if err != nil {
		return load.Answer{}, err //nolint:wrapcheck // it names the place
	}
	if found.Key == mongodbspec.Unsharded {
		answer.Text = append(answer.Text, "not sharded")
		return answer, nil
	}
	answer.Text = append(answer.Text, fmt.Sprintf("sharded by %s _id, %d chunks", found.Key, found.Chunks))
	for _, shard := range slices.Sorted(maps.Keys(found.ByShard)) {
		answer.Text = append(answer.Text, fmt.Sprintf("shard %s: %d chunks", shard, found.ByShard[shard]))
	}
	return answer, nil
}

// split splits the chunk of a key, or every chunk.
func (a *actor) split(ctx context.Context, args map[string]string) (load.Answer, error) {
	if err := a.sharded("split"); err != nil {
		return load.Answer{}, err
	}
	s := a.of(args)
	found, err := setup.ShardingOf(ctx, a.client, s)
	if err != nil {
		return load.Answer{}, err //nolint:wrapcheck // it names the place
	}
	if found.Key == mongodbspec.Unsharded {
		return load.Answer{}, fmt.Errorf("collection %s is not sharded: it has no chunks to split", s.Namespace())
	}
	if key := args["key"]; key != "" {
		if found.Key == mongodbspec.Hashed {
			err = a.splitAtMedian(ctx, s, bson.E{Key: "find", Value: bson.D{{Key: "_id", Value: key}}})
		} else {
			err = setup.Split(ctx, a.client, s.Namespace(), []byte(key))
		}
		if err != nil {
			return load.Answer{}, err
		}
		return answerf("the chunk of %q of collection %s is split", key, s.Namespace()), nil
	}
	return a.splitAll(ctx, s, found)
}

func (a *actor) splitAtMedian(ctx context.Context, s mongodbspec.Settings, which bson.E) error {
	if _, err := a.client.AdminOnPrimary(ctx, bson.D{{Key: "split", Value: s.Namespace()}, which}); err != nil {
		return fmt.Errorf("split a chunk of %s: %w", s.Namespace(), err)
	}
	return nil
}

// splitAll splits every chunk in the middle of its documents. A chunk with few documents cannot be split.
func (a *actor) splitAll(ctx context.Context, s mongodbspec.Settings, found setup.Sharding) (load.Answer, error) {
	cursor, err := a.client.Database("config").Collection("chunks").Find(ctx, found.Filter)
	if err != nil {
		return load.Answer{}, a.client.Explain(ctx, "list the chunks of "+s.Namespace(), err) //nolint:wrapcheck // it names the place
	}
	var chunks []struct {
		Min bson.Raw `bson:"min"`
		Max bson.Raw `bson:"max"`
	}
	if err := cursor.All(ctx, &chunks); err != nil {
		return load.Answer{}, a.client.Explain(ctx, "list the chunks of "+s.Namespace(), err) //nolint:wrapcheck // it names the place
	}
	split := 0
	var first error
	for _, chunk := range chunks {
		err := a.splitAtMedian(ctx, s, bson.E{Key: "bounds", Value: bson.A{chunk.Min, chunk.Max}})
		if err == nil {
			split++
		} else if first == nil {
			first = err
		}
		if client.Code(err) == 0 && err != nil {
			return load.Answer{}, err // not an answer of the server
		}
	}
	if split == 0 && first != nil {
		return load.Answer{}, first
	}
	return answerf("%d of %d chunks of collection %s are split; the others have too few documents", split, len(chunks), s.Namespace()), nil
}
