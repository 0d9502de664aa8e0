package mongodb

import (
	"context"
	"errors"
	"log/slog"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/mongodb/client"
	"github.com/benchd/benchd/internal/target/mongodb/mongodbspec"
	"github.com/benchd/benchd/internal/target/mongodb/setup"
	"github.com/benchd/benchd/internal/workload"
)

// Collection is a collection of MongoDB.
type Collection struct {
	settings mongodbspec.Settings
	workload workload.Config // its keys determine the split points of a collection
	log      *slog.Logger
	client   *client.Client
	events   *client.Events

	database *mongo.Database
	readFrom options.Lister[options.RunCmdOptions]
	// What commands end with: the read concern, and the write concern.
	readConcern, writeConcern []byte
	// unanswered is the collection without acknowledgement; nil if the server answers writes.
	unanswered *mongo.Collection
}

var (
	_ load.Admin    = (*Collection)(nil)
	_ load.Observer = (*Collection)(nil)
	_ load.Counter  = (*Collection)(nil)
)

// Open is MongoDB's load.Driver. It fails within ten seconds if no server answers, or if the servers do not fit the settings.
func Open(ctx context.Context, s load.Settings) (load.Target, error) {
	settings, err := mongodbspec.Read(s.Properties)
	if err != nil {
		return nil, err //nolint:wrapcheck // it lists the mistakes
	}
	password, err := s.Secret(mongodbspec.PasswordKey)
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the property
	}
	events := new(client.Events)
	c, err := client.Connect(ctx, client.Config{
		Settings: settings, Password: password, Dial: s.Dial, Credential: s.Credential, Logger: s.Logger, Events: events,
	})
	if err != nil {
		return nil, err //nolint:wrapcheck // it needs no context
	}
	t := &Collection{settings: settings, workload: s.Workload, log: s.Logger, client: c, events: events, database: c.Database(settings.Database)}
	if t.log == nil {
		t.log = slog.New(slog.DiscardHandler)
	}
	if err := t.prepareCommands(); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// prepareCommands encodes what commands have in common.
func (t *Collection) prepareCommands() error {
	from, err := client.ReadPreference(t.settings)
	if err != nil {
		return err //nolint:wrapcheck // it names the property
	}
	t.readFrom = options.RunCmd().SetReadPreference(from)
	if level := t.settings.ReadConcern; level != "" {
		t.readConcern = encoded("readConcern", bson.D{{Key: "level", Value: level}})
	}
	w := t.settings.Write
	if w.Unacknowledged() {
		t.unanswered = t.database.Collection(t.settings.Collection, options.Collection().SetWriteConcern(writeconcern.Unacknowledged()))
		return nil
	}
	if concern := client.WriteConcern(w); concern != nil {
		t.writeConcern = encoded("writeConcern", concern)
	}
	return nil
}

// Prepare creates the collection if mongodb.collection.create requires it, and checks that it can be used. The run's steward calls it.
func (t *Collection) Prepare(ctx context.Context) error {
	return setup.Prepare(ctx, t.client, t.settings, t.workload, t.log) //nolint:wrapcheck // it needs no context
}

// Open returns the session of a worker.
func (t *Collection) Open(context.Context, int) (load.Session, error) { return newSession(t), nil }

// Close ends all connections.
func (t *Collection) Close() error {
	return t.client.Close() //nolint:wrapcheck // it needs no context
}

// Counts returns how often the driver has connected to a server, and how often that failed.
func (t *Collection) Counts() map[string]uint64 { return t.events.Counts() }
