package admin

import (
	"context"
	"fmt"

	"github.com/benchd/benchd/internal/target/sequoiadb/sequoiadbspec"
	"github.com/benchd/benchd/internal/target/sequoiadb/wire"
)

// Count returns the number of documents of a collection.
func (c *Client) Count(ctx context.Context, collection string) (int64, error) {
	all, err := c.run(ctx, "$get count", empty, named("Collection", collection))
	if err != nil {
		return 0, err
	}
	if len(all) == 1 {
		if n, ok := all[0].Int("Total"); ok {
			return n, nil
		}
	}
	return 0, fmt.Errorf("get count: %w: want one document with Total", wire.ErrMalformed)
}

// Collections returns the names of all collections.
func (c *Client) Collections(ctx context.Context) ([]string, error) {
	all, err := c.run(ctx, "$list collections", empty, empty)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(all))
	for _, d := range all {
		if name := d.Text("Name"); name != "" {
			names = append(names, name)
		}
	}
	return names, nil
}

// Exists reports whether a collection exists.
func (c *Client) Exists(ctx context.Context, collection string) (bool, error) {
	_, err := c.run(ctx, "$test collection", named("Name", collection), empty)
	switch Code(err) {
	case wire.CodeNoCollection, wire.CodeNoSpaceOfName:
		return false, nil
	}
	return err == nil, err
}

// Drop deletes a collection.
func (c *Client) Drop(ctx context.Context, collection string) error {
	_, err := c.run(ctx, "$drop collection", named("Name", collection), empty)
	return err
}

// Truncate deletes a collection's documents.
func (c *Client) Truncate(ctx context.Context, collection string) error {
	_, err := c.run(ctx, "$truncate", named("Collection", collection), empty)
	return err
}

// Sync has all nodes write data and log to their disks.
func (c *Client) Sync(ctx context.Context) error {
	_, err := c.run(ctx, "$sync db", func(m *wire.Message) {
		m.Begin()
		m.Int32("Deep", 1)
		m.Bool("Block", false)
		m.End()
	}, empty)
	return err
}

// Create creates a collection, and its domain and space if they do not exist. It fails if the collection exists.
func (c *Client) Create(ctx context.Context, s sequoiadbspec.Settings) error {
	if err := c.createDomain(ctx, s); err != nil {
		return err
	}
	if err := c.createSpace(ctx, s); err != nil {
		return err
	}
	_, err := c.run(ctx, "$create collection", func(m *wire.Message) { collectionOptions(m, s) }, empty)
	return err
}

// collectionOptions appends the options of a collection that is created.
func collectionOptions(m *wire.Message, s sequoiadbspec.Settings) {
	m.Begin()
	m.Text("Name", s.FullName())
	if s.Sharded {
		m.BeginDocument("ShardingKey")
		m.Int32("_id", 1)
		m.End()
		m.Text("ShardingType", "hash")
		if s.Partitions > 0 {
			m.Int32("Partition", int32(s.Partitions))
		}
		m.Bool("AutoSplit", s.AutoSplit)
		m.Bool("EnsureShardingIndex", false) // _id has an index
	}
	m.Int32("ReplSize", int32(s.ReplSize))
	compressed := s.Compression != sequoiadbspec.None
	m.Bool("Compressed", compressed)
	if compressed {
		m.Text("CompressionType", s.Compression)
	}
	m.End()
}

func (c *Client) createSpace(ctx context.Context, s sequoiadbspec.Settings) error {
	_, err := c.run(ctx, "$create collectionspace", func(m *wire.Message) {
		m.Begin()
		m.Text("Name", s.Space)
		if s.Domain != "" {
			m.Text("Domain", s.Domain)
		}
		m.End()
	}, empty)
	if Code(err) == wire.CodeSpace {
		return nil
	}
	return err
}

func (c *Client) createDomain(ctx context.Context, s sequoiadbspec.Settings) error {
	if s.Domain == "" || len(s.Groups) == 0 {
		return nil
	}
	_, err := c.run(ctx, "$create domain", func(m *wire.Message) {
		m.Begin()
		m.Text("Name", s.Domain)
		m.BeginDocument("Options")
		m.BeginArray("Groups")
		for i, group := range s.Groups {
			m.Item(i, []byte(group))
		}
		m.End()
		m.Bool("AutoSplit", s.AutoSplit)
		m.End()
		m.End()
	}, empty)
	if Code(err) == wire.CodeDomain {
		return nil
	}
	return err
}

// Describe returns the catalogue's document of a collection; false if there is none.
func (c *Client) Describe(ctx context.Context, collection string) (wire.Document, bool, error) {
	all, err := c.run(ctx, "$snapshot catalog", named("Name", collection), empty)
	if err != nil || len(all) == 0 {
		return nil, false, err
	}
	return all[0], true, nil
}

// The snapshots.
const (
	Database = "database"
	System   = "system"
	Configs  = "configs"
)

// Snapshot returns a snapshot with a document for each node. A node that is not a coordinator returns its own.
func (c *Client) Snapshot(ctx context.Context, what string) ([]wire.Document, error) {
	return c.run(ctx, "$snapshot "+what, func(m *wire.Message) {
		m.Begin()
		m.Bool("RawData", true)
		m.End()
	}, empty)
}
