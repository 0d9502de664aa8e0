package sequoiadb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/sequoiadb/admin"
	"github.com/benchd/benchd/internal/target/sequoiadb/sequoiadbspec"
	"github.com/benchd/benchd/internal/target/sequoiadb/wire"
)

// openWithin bounds the connection to the cluster at the start.
const openWithin = 8 * time.Second

// cluster is a collection of SequoiaDB, as one agent uses it.
type cluster struct {
	settings   sequoiadbspec.Settings
	collection string // with its space
	access     *admin.Access
	shard      int
	log        *slog.Logger
	info       wire.Info

	dials  atomic.Uint64
	broken atomic.Uint64
}

// Open is SequoiaDB's load.Driver. It fails within ten seconds if no coordinator can be used.
func Open(ctx context.Context, s load.Settings) (load.Target, error) {
	settings, err := sequoiadbspec.Read(s.Properties)
	if err != nil {
		return nil, fmt.Errorf("read settings of target sequoiadb: %w", err)
	}
	password, err := s.Secret(sequoiadbspec.PasswordKey)
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the property
	}
	access, err := admin.NewAccess(settings, password, s.Dial, s.Credential)
	if err != nil {
		return nil, err //nolint:wrapcheck // it needs no context
	}
	t := &cluster{settings: settings, collection: settings.FullName(), access: access, shard: s.Shard, log: s.Logger}
	if t.log == nil {
		t.log = slog.New(slog.DiscardHandler)
	}
	client, err := t.client(ctx)
	if err != nil {
		return nil, err
	}
	t.info = client.Info()
	return t, client.Close() //nolint:wrapcheck // it names the address
}

// client connects for commands.
func (t *cluster) client(ctx context.Context) (*admin.Client, error) {
	ctx, cancel := context.WithTimeout(ctx, openWithin)
	defer cancel()
	return t.access.Open(ctx) //nolint:wrapcheck // it names the address
}

// Prepare creates the collection if sequoiadb.table.create requires it, and checks that it can be used. The run's steward calls
// it.
func (t *cluster) Prepare(ctx context.Context) (err error) {
	client, err := t.client(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	exists, err := client.Exists(ctx, t.collection)
	if err != nil {
		return fmt.Errorf("look up collection %s: %w", t.collection, err)
	}
	switch {
	case exists && t.settings.Create != descriptor.Recreate:
		return nil
	case exists:
		t.log.Info("dropping a collection", "collection", t.collection)
		if err := client.Drop(ctx, t.collection); err != nil {
			return fmt.Errorf("drop collection %s: %w", t.collection, err)
		}
	case t.settings.Create == descriptor.CreateNever:
		return fmt.Errorf("collection %s does not exist: load it first, correct the properties database and table, or set sequoiadb.table.create=missing", t.collection)
	}
	t.log.Info("creating a collection", "collection", t.collection)
	if err := client.Create(ctx, t.settings); err != nil {
		return fmt.Errorf("create collection %s: %w", t.collection, explainCreate(err))
	}
	return nil
}

// explainCreate adds the cure to an error of creating a collection.
func explainCreate(err error) error {
	switch admin.Code(err) {
	case wire.CodeNoDomain:
		return fmt.Errorf("%w: set sequoiadb.domain.groups to the groups that form the domain, or correct sequoiadb.domain", err)
	case wire.CodeCoordinator, wire.CodeNotSupported:
		return fmt.Errorf("%w: connect to a coordinator, or set sequoiadb.sharding=none for a node that stands alone", err)
	case wire.CodeFewNodes:
		return fmt.Errorf("%w: the groups have fewer nodes than sequoiadb.replsize", err)
	}
	return err
}

// Open opens the session of a worker, with its connection.
func (t *cluster) Open(ctx context.Context, worker int) (load.Session, error) {
	s := newSession(t, t.shard+worker)
	if err := s.connect(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// Close has nothing to release: connections belong to sessions.
func (*cluster) Close() error { return nil }

// Counts returns how often sessions have connected, and how often a connection broke.
func (t *cluster) Counts() map[string]uint64 {
	return map[string]uint64{"connect": t.dials.Load(), "broken_connection": t.broken.Load()}
}

var (
	_ load.Admin    = (*cluster)(nil)
	_ load.Observer = (*cluster)(nil)
	_ load.Counter  = (*cluster)(nil)
)
